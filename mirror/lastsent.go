// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// The last-sent annotation records every field of a mirror that may change after its creation, as
// it was sent, so that a later plan can tell what the user changed from what the worker changed. It
// is a JSON object:
//
//	v            the version of this form, 1
//	pending      true if the local Job has a change that the worker would not take yet, or not at all
//	spent        seconds of activeDeadlineSeconds that earlier mirrors have used up
//	spec         the scalar fields of JobSpec
//	labels       the mirror's own labels, without the identity
//	annotations  likewise
//	template     labels, annotations, scheduling directives and resources of the pod template
//
// What is empty is left out, and the bytes are the same for the same Job. A label or annotation
// value longer than maxValue is replaced by its digest, which is as good for telling whether it
// changed. If the whole is longer than maxLastSent, or than the room there is, the digest of
// "labels", "annotations" and "template" takes their place:
//
//	digest       of the three, written as members of one object without its braces
//
// If even that does not fit, there is no annotation.
const (
	lastSentVersion = 1
	maxValue        = 64
	maxLastSent     = 32 << 10
	digestPrefix    = "sha256:"
	shortRecord     = 512 // no record without the maps is longer
)

// pendingPrefix is how a record begins that has something pending.
const pendingPrefix = `{"v":1,"pending":true`

// sentRecord is what to record.
type sentRecord struct {
	pending             bool
	spent               int64
	spec                *batchv1.JobSpec
	labels, annotations map[string]string
	asIs                bool // the values of maps have been shortened
}

// lastSent is the text of a record, but for the closing brace: the first split bytes are the
// scalars, {"v":1,"spec":{...}, the others the maps, ,"labels":...,"annotations":...,"template":...
type lastSent struct {
	json  jsonText
	split int
}

// text writes to buf as far as that reaches.
func (r sentRecord) text(buf []byte) lastSent {
	b := append(jsonText(buf), '{').key("v").int(lastSentVersion)
	if r.pending {
		b = b.key("pending").bool(true)
	}
	if r.spent > 0 {
		b = b.key("spent").int(r.spent)
	}
	b = b.scalars(r.spec)
	split := len(b)
	b = b.optionalMap("labels", r.labels, r.asIs).
		optionalMap("annotations", r.annotations, r.asIs).
		template(&r.spec.Template, r.asIs)
	return lastSent{json: b, split: split}
}

// digest returns the digest of the maps, "" if there is nothing in them.
func (l lastSent) digest() string {
	maps := l.json[l.split:]
	if len(maps) == 0 {
		return ""
	}
	return digest(maps[len(","):])
}

// fit returns the record in at most room bytes, or "" if that is impossible.
func (l lastSent) fit(room int) string {
	if len(l.json)+len("}") <= min(room, maxLastSent) {
		return string(append(l.json, '}'))
	}
	short := string(l.json[:l.split])
	if sum := l.digest(); sum != "" {
		short += `,"digest":"` + sum + `"`
	}
	if short += "}"; len(short) > room {
		return ""
	}
	return short
}

// digest returns a short name for data, which tells it from any other in practice.
func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return digestPrefix + base64.RawURLEncoding.EncodeToString(sum[:16])
}

// shorten returns value, or its digest if it is long or could be taken for one.
func shorten(value string) string {
	if len(value) > maxValue || strings.HasPrefix(value, digestPrefix) {
		return digest([]byte(value))
	}
	return value
}

func (b jsonText) scalars(spec *batchv1.JobSpec) jsonText {
	start := len(b)
	b = b.open("spec", '{').
		optionalInt("parallelism", spec.Parallelism).
		optionalInt("completions", spec.Completions).
		optionalLong("activeDeadlineSeconds", spec.ActiveDeadlineSeconds).
		optionalInt("backoffLimit", spec.BackoffLimit).
		optionalInt("maxFailedIndexes", spec.MaxFailedIndexes).
		optionalInt("ttlSecondsAfterFinished", spec.TTLSecondsAfterFinished).
		optionalBool("suspend", spec.Suspend).
		optionalString("podReplacementPolicy", string(ptr.Deref(spec.PodReplacementPolicy, "")))
	return b.close(start, '}')
}

// template records what may change while the Job is suspended.
//
// Source: validatePodTemplateUpdate and validatePodResourceUpdatesOnly in
// pkg/apis/batch/validation/validation.go, 1.30 to 1.37.
func (b jsonText) template(template *corev1.PodTemplateSpec, asIs bool) jsonText {
	start := len(b)
	b = b.open("template", '{')
	inner := len(b)
	b = b.open("metadata", '{').
		optionalMap("labels", template.Labels, asIs).
		optionalMap("annotations", template.Annotations, asIs).
		close(inner, '}')
	return b.podSpec(&template.Spec, asIs).close(start, '}')
}

func (b jsonText) podSpec(spec *corev1.PodSpec, asIs bool) jsonText {
	start := len(b)
	b = b.open("spec", '{').optionalMap("nodeSelector", spec.NodeSelector, asIs)
	if spec.Affinity != nil && spec.Affinity.NodeAffinity != nil {
		inner := len(b)
		b = b.open("affinity", '{').other("nodeAffinity", spec.Affinity.NodeAffinity).close(inner, '}')
	}
	return b.tolerations(spec.Tolerations).
		schedulingGates(spec.SchedulingGates).
		containers("initContainers", spec.InitContainers).
		containers("containers", spec.Containers).
		close(start, '}')
}

func (b jsonText) tolerations(list []corev1.Toleration) jsonText {
	start := len(b)
	b = b.open("tolerations", '[')
	for i := range list {
		t := &list[i]
		b = append(b.comma(), '{').
			optionalString("key", t.Key).
			optionalString("operator", string(t.Operator)).
			optionalString("value", t.Value).
			optionalString("effect", string(t.Effect)).
			optionalLong("tolerationSeconds", t.TolerationSeconds)
		b = append(b, '}')
	}
	return b.close(start, ']')
}

func (b jsonText) schedulingGates(list []corev1.PodSchedulingGate) jsonText {
	start := len(b)
	b = b.open("schedulingGates", '[')
	for _, gate := range list {
		b = append(append(b.comma(), '{').key("name").string(gate.Name), '}')
	}
	return b.close(start, ']')
}

// containers records the resources of the containers that have any.
func (b jsonText) containers(name string, list []corev1.Container) jsonText {
	start := len(b)
	b = b.open(name, '[')
	for i := range list {
		c := &list[i]
		if len(c.Resources.Limits)+len(c.Resources.Requests)+len(c.Resources.Claims) > 0 {
			b = append(b.comma(), '{').key("name").string(c.Name).open("resources", '{')
			b = b.quantities("limits", c.Resources.Limits).quantities("requests", c.Resources.Requests)
			if len(c.Resources.Claims) > 0 {
				b = b.other("claims", c.Resources.Claims)
			}
			b = append(b, '}', '}')
		}
	}
	return b.close(start, ']')
}

func (b jsonText) quantities(name string, list corev1.ResourceList) jsonText {
	start := len(b)
	b = b.open(name, '{')
	var few [8]corev1.ResourceName
	for _, key := range sorted(list, few[:0]) {
		q := list[key] // a copy, for formatting a Quantity writes to it
		b = b.anyKey(string(key)).string(q.String())
	}
	return b.close(start, '}')
}
