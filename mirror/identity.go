// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"strconv"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
)

// Relation says what the Job on the worker is to the local Job. Values are stable and may be
// logged; new ones may be added in a minor version.
type Relation string

const (
	// Ours means that it is the mirror of this local Job.
	Ours Relation = "Ours"
	// PreviousIncarnation means that it is the mirror of an earlier Job of ours, which had the same
	// namespace and name but another UID.
	PreviousIncarnation Relation = "PreviousIncarnation"
	// Foreign means that it is no mirror of this Job: never adopt it, copy from it, change it or
	// delete it.
	Foreign Relation = "Foreign"
)

// Relate says whether pair.Remote is the mirror of pair.Local.
//
// It is [Ours] if and only if Remote carries our origin and a complete identity that names Local's
// namespace, name and UID, and stands where Policy.Target puts the mirror of Local: a copy that
// somebody made under another name is [Foreign]. It is [PreviousIncarnation] if only the UID is
// another. An identity that is missing, incomplete or malformed, or names another Job, is Foreign,
// and so is every Remote to a Local without UID.
//
// A nil Local means that there is no such Job any more: a Remote with our origin and a complete
// identity is then a PreviousIncarnation. A nil Remote, or a nil Pair, is no relation: the empty
// string.
//
// Whoever may change Jobs on the worker may forge an identity. Relate cannot see that, but a forged
// identity can only claim to be the mirror of a Job whose UID the forger knows.
func (p *Planner) Relate(pair Pair) Relation {
	if pair.Remote == nil {
		return ""
	}
	return p.relationOf(pair.Local, pair.Remote)
}

func (p *Planner) relationOf(local, remote *batchv1.Job) Relation {
	named, uid, ok := p.LocalOf(remote)
	switch {
	case !ok:
		return Foreign
	case local == nil:
		return PreviousIncarnation
	case local.UID == "" || named != keyOf(local) || keyOf(remote) != p.TargetOf(local):
		return Foreign
	case uid != local.UID:
		return PreviousIncarnation
	default:
		return Ours
	}
}

// LocalOf returns the namespace, name and UID of the local Job that a mirror names. It is what maps
// an event on the worker to a key of the management cluster.
//
// The mirror may be a *batchv1.Job, or its metadata alone (*metav1.PartialObjectMetadata), since no
// more is read. Answer ok is false, and the others are empty, if it does not carry our origin, or
// if the UID is missing, or the name is not of the form namespace/name. That the local Job exists is not said: ask
// [Planner.Relate].
//
// LocalOf panics if mirror is nil.
func (p *Planner) LocalOf(mirror metav1.Object) (local types.NamespacedName, uid types.UID, ok bool) {
	keys, annotations := &p.policy.Keys, mirror.GetAnnotations()
	if mirror.GetLabels()[keys.Origin] != p.policy.Origin {
		return types.NamespacedName{}, "", false
	}
	local, ok = parseKey(annotations[keys.Local])
	uid = types.UID(annotations[keys.UID])
	if !ok || uid == "" {
		return types.NamespacedName{}, "", false
	}
	return local, uid, true
}

// Selector returns the label selector of all mirrors of ours, for a list or watch on the worker. It
// matches every object that [Planner.LocalOf] takes for a mirror, and forged ones too.
func (p *Planner) Selector() labels.Selector {
	return labels.SelectorFromValidatedSet(labels.Set{p.policy.Keys.Origin: p.policy.Origin})
}

// TargetOf returns the namespace and name under which the mirror of a Job is to be looked up on the
// worker: those of the Job itself unless Policy.Target says otherwise. It panics if local is nil.
func (p *Planner) TargetOf(local *batchv1.Job) types.NamespacedName {
	own := keyOf(local)
	if p.policy.Target == nil {
		return own
	}
	target := p.policy.Target(local)
	if target.Namespace == "" {
		target.Namespace = own.Namespace
	}
	if target.Name == "" {
		target.Name = own.Name
	}
	return target
}

// stamp writes the identity of local into the metadata of its mirror.
func (p *Planner) stamp(mirror *metav1.ObjectMeta, local *batchv1.Job) {
	keys := &p.policy.Keys
	mirror.Labels[keys.Origin] = p.policy.Origin
	mirror.Annotations[keys.Local] = keyOf(local).String()
	mirror.Annotations[keys.UID] = string(local.UID)
	mirror.Annotations[keys.Generation] = strconv.FormatInt(local.Generation, 10)
}

// lacking returns the field without which the identity of local could not be stamped, or not be
// read back.
func lacking(local *batchv1.Job) (field string, ok bool) {
	switch {
	case local.UID == "":
		return "metadata.uid", true
	case local.Namespace == "" || strings.Contains(local.Namespace, "/"):
		return "metadata.namespace", true
	case local.Name == "" || strings.Contains(local.Name, "/"):
		return "metadata.name", true
	default:
		return "", false
	}
}

func keyOf(job *batchv1.Job) types.NamespacedName {
	return types.NamespacedName{Namespace: job.Namespace, Name: job.Name}
}

// parseKey reads what stamp wrote with NamespacedName.String.
func parseKey(s string) (key types.NamespacedName, ok bool) {
	namespace, name, _ := strings.Cut(s, "/")
	ok = namespace != "" && name != "" && !strings.Contains(name, "/")
	return types.NamespacedName{Namespace: namespace, Name: name}, ok
}
