// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"strconv"
	"strings"

	batchv1 "k8s.io/api/batch/v1"

	"github.com/managedby-dev/managedby/jobmanagedby"
)

// PlanSpec plans what to change on pair.Remote so that it follows the changes that the user makes
// to pair.Local.
//
// It looks at three sides: what was last sent, by the record on the mirror; the local Job; and the
// mirror. A field is sent only when the local Job has changed since it was sent. What the worker
// changed by itself is left alone and reported ([SetByWorker]). Where both have changed, the local
// Job wins, which is reported too (Difference.Overrides). These fields are sent:
//
//   - suspend (by Policy.Suspend), parallelism, activeDeadlineSeconds, backoffLimit, maxFailedIndexes,
//     podReplacementPolicy, and with Policy.KeepTTL ttlSecondsAfterFinished;
//   - completions of an Indexed Job where it becomes equal to parallelism, and parallelism with it;
//   - while the mirror is suspended, under the conditions of Policy.Worker: labels, annotations, node
//     selector, node affinity, tolerations and scheduling gates of the pod template, and from 1.36 on
//     the resources of its containers;
//   - the mirror's own labels and annotations, less what [Planner.Build] leaves out.
//
// Labels, annotations and the node selector are looked at key by key; tolerations and scheduling
// gates element by element, in any order; resources container by container, by name. What a webhook
// of the worker added to them stays. Values are compared by what they are in JSON. A change that the
// worker's API server would not accept is [NotYet] or [Immutable]: a pod template waits for the mirror
// to be suspended and at rest, and a resume for the pod template. One patch holds both a
// resume and the template change that it has to wait for, because the server goes by the stored Job.
// Nothing else in the spec can change; where it differs it is SetByWorker.
//
// The record says what was sent, and no more: what is NotYet or Immutable is found again by the next
// plan. Without a record that can be read (a mirror that somebody edited, or one with too much to
// record), differences are [Undecided] and left alone, because they may be a queue's doing. What no
// queue is known to change is sent even then: backoffLimit, maxFailedIndexes, podReplacementPolicy
// and ttlSecondsAfterFinished, and labels and annotations of the mirror that it does not have at all.
//
// When the local generation is the recorded one, nothing has failed to be sent, and the local labels
// and annotations are on the mirror (they do not count for the generation), PlanSpec returns the zero
// SpecPlan at once, without allocating and without looking at the rest: [Planner.Differences] does.
// It returns the zero SpecPlan, too, for a Remote that [Planner.Relate] does not call Ours, and when
// one of the Jobs is being deleted or has finished, when Local is not managed by Policy.Controller,
// or when Remote lacks a UID or resourceVersion. A Local whose generation is older than the recorded
// one is Stale.
//
// Paths in Policy.IgnoreFields have the form of Difference.Field. Each is neither sent nor reported,
// with all that is in it: "spec.parallelism", "metadata.annotations[example.com/cost]",
// "spec.template.spec.nodeSelector".
//
// Containers are patched as a whole list, with the fields that the Go types of this program know. A
// worker whose containers use newer ones refuses the patch as a change of the pod template.
//
// It panics if one of the Jobs is nil. It changes neither, and the plan shares no memory with them.
func (p *Planner) PlanSpec(pair Pair) SpecPlan {
	if p.told(pair) || !p.mayPatch(pair) {
		return SpecPlan{}
	}
	if recorded, err := strconv.ParseInt(pair.Remote.Annotations[p.policy.Keys.Generation], 10, 64); err == nil && recorded > pair.Local.Generation {
		return SpecPlan{Stale: true}
	}
	m := p.merge(pair)
	return SpecPlan{Differences: m.differences(), Patch: m.patch()}
}

// Differences returns what [Planner.PlanSpec] would report if it had a reason to look: every place in
// which the mirror is not what the local Job asks for, whatever generation is recorded. It answers
// which of them a queue, a webhook or a newer release of the worker has made. The answer is nil
// where PlanSpec has none, but for the generation.
func (p *Planner) Differences(pair Pair) []Difference {
	if !p.mayPatch(pair) {
		return nil
	}
	return p.merge(pair).differences()
}

// mayPatch reports whether the remote Job is ours to patch, and worth it.
func (p *Planner) mayPatch(pair Pair) bool {
	local, remote := pair.Local, pair.Remote
	return jobmanagedby.IsManagedBy(local, p.policy.Controller) &&
		p.relationOf(local, remote) == Ours &&
		remote.UID != "" && remote.ResourceVersion != "" &&
		isAlive(local) && isAlive(remote)
}

func isAlive(job *batchv1.Job) bool {
	_, finished := verdictOf(job)
	return !finished && job.DeletionTimestamp == nil
}

// told reports whether the mirror surely has been told everything. It looks at no more than that
// takes.
func (p *Planner) told(pair Pair) bool {
	keys, local, remote := &p.policy.Keys, pair.Local, pair.Remote
	sent := remote.Annotations[keys.LastSent]
	var few [20]byte
	generation := strconv.AppendInt(few[:0], local.Generation, 10)
	return local.Generation > 0 && remote.Annotations[keys.Generation] == string(generation) &&
		!strings.HasPrefix(sent, pendingPrefix) &&
		p.toldMap(pair, sent, metadataLabels, keys.Origin) &&
		p.toldMap(pair, sent, metadataAnnotations, keys.Local, keys.UID, keys.Generation, keys.LastSent)
}

const (
	metadataLabels      = "metadata.labels"
	metadataAnnotations = "metadata.annotations"
)

// metadataMap returns the labels or the annotations of a Job.
func metadataMap(job *batchv1.Job, path string) map[string]string {
	if path == metadataLabels {
		return job.Labels
	}
	return job.Annotations
}

// keeps reports whether a label or an annotation of the local Job belongs on its mirror.
func (p *Planner) keeps(local *batchv1.Job, path, key, value string) bool {
	if path == metadataLabels {
		return p.keepsLabel(local, key, value)
	}
	return !p.drop.has(key, value)
}

// toldMap reports whether all of a local map that belongs on the mirror is there, and nothing that
// was sent and has since been removed. Whether the worker added anything is found by counting. The
// own keys are those that Build stamps into the map.
func (p *Planner) toldMap(pair Pair, sent, path string, own ...string) bool {
	local, remote := metadataMap(pair.Local, path), metadataMap(pair.Remote, path)
	added := len(remote)
	for _, key := range own {
		if _, ok := remote[key]; ok {
			added--
		}
	}
	for key, value := range local {
		switch has, ok := remote[key]; {
		case p.policy.Keys.has(key):
		case ok && has == value:
			added--
		case p.keeps(pair.Local, path, key, value) && !p.ignoresKey(path, key):
			return false
		}
	}
	if added == 0 {
		return true
	}
	for key := range remote {
		if _, ok := local[key]; !ok && !p.policy.Keys.has(key) && mentions(sent, key) && !p.ignoresKey(path, key) {
			return false
		}
	}
	return true
}

// has reports whether a key is one of ours. It is faster than dropSet.
func (k *Keys) has(key string) bool {
	switch key {
	case k.Origin, k.Local, k.UID, k.Generation, k.LastSent, k.Hold, k.Dispatch, k.Cleanup:
		return true
	default:
		return false
	}
}

// mentions reports whether a record may have a member of that name.
func mentions(sent, key string) bool {
	if !isPlain(key) {
		return true
	}
	for {
		i := strings.Index(sent, key)
		if i < 0 {
			return false
		}
		rest := sent[i+len(key):]
		if i > 0 && sent[i-1] == '"' && strings.HasPrefix(rest, `"`) {
			return true
		}
		sent = sent[i+1:]
	}
}
