// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/jobmanagedby"
)

// Policy is what a controller decides once: who it is, and how its mirrors differ from the local
// Jobs. Controller and Origin are required; every other field has a zero value that is safe.
//
// [New] checks a Policy and keeps a copy, so changing it afterwards changes nothing. The functions
// in it must be pure (the same answer for the same Job, the Job not changed) and safe for
// concurrent use: a Planner calls them whenever it is asked something.
type Policy struct {
	// Controller is the spec.managedBy value that this controller answers to, such as
	// "acme.io/dispatcher". Its domain is the default domain of the identity keys (see Keys). Where that is
	// somebody else's, as for kinds that take "kueue.x-k8s.io/multikueue" only, set all Keys.
	Controller string

	// Origin names the management cluster on the workers, as the value of a label. The UID of the
	// kube-system namespace is a good one: it is unique and outlives the controller. Two
	// controllers whose keys are the same, as those of one domain are by default, need different
	// Origins.
	Origin string

	// Management lists the API servers that validate what is written to the local Job's status, all
	// the members of a control plane during an upgrade. Empty means every release that validates
	// strictly by default, from 1.32 to the newest known. Strict releases later than 1.30 and any 1.30 contradict
	// each other about SuccessCriteriaMet: of most Jobs, no Complete suits both.
	Management []jobmanagedby.Release

	// Worker is the release of the worker's control plane. The zero Release is the newest known.
	// [New] uses it to refuse a WorkerManagedBy that the worker would ignore.
	Worker jobmanagedby.Release

	// Keys are the label and annotation keys of the identity that [Planner.Build] stamps on a
	// mirror. Each empty one has its default in the domain of Controller. Mirrors stamped with
	// other keys are Foreign, so change them only while there are no mirrors.
	Keys Keys

	// Target says where the mirror of a Job lives on the worker. An empty Namespace or Name in the
	// answer is that of the local Job; a nil Target keeps both. It should look at nothing that may
	// change in the life of a Job (namespace, name and UID are safe), for a mirror that is not
	// where Target says is Foreign. Where it maps two Jobs to one place the first to be created has
	// it, and to the other it is Foreign: nothing is overwritten, but the other never runs. A name
	// that holds a hash of the namespace, or the UID, avoids that.
	Target func(local *batchv1.Job) types.NamespacedName

	// Admit is asked before a mirror is built. It is the place for rules of tenancy: the mirror
	// runs with the service accounts, secrets and quota of target.Namespace on the worker. An error
	// refuses the Job ([NotAdmittedError]). A nil Admit admits every Job.
	Admit func(local *batchv1.Job, target types.NamespacedName) error

	// AdmitObject is Admit for the other kinds ([Planner.BuildObject]). Where Admit is set and AdmitObject
	// is not, every object of another kind is refused.
	AdmitObject func(local *unstructured.Unstructured, target types.NamespacedName) error

	// WorkerManagedBy is the spec.managedBy of the mirrors, for a worker where yet another
	// controller runs the Jobs. Empty leaves the field out: the built-in controller runs them. It
	// must differ from Controller, which would hand the mirror on and on.
	WorkerManagedBy string

	// KeepTTL copies spec.ttlSecondsAfterFinished to the mirror. By default it is left out, because
	// a mirror that deletes itself before its result was read looks like one that never ran.
	KeepTTL bool

	// KeepKeys exempts label and annotation keys from [DefaultDropKeys]. An entry is a key, or a
	// domain with its slash ("argocd.argoproj.io/") for all the keys of that domain.
	KeepKeys []string

	// DropKey reports whether one more label or annotation of the local Job is to be left out of
	// the mirror. It is asked about the keys that DefaultDropKeys would keep, and has the last word
	// on KeepKeys. Labels and annotations of the pod template are never asked about. A nil DropKey
	// drops nothing more.
	DropKey func(key, value string) bool

	// StampTerminal makes [Planner.PlanStatus] set the lastTransitionTime of a terminal condition
	// to the time of the plan when it is first written, so that the local TTL counts from the
	// arrival of the result and not by the worker's clock.
	StampTerminal bool

	// Suspend says how spec.suspend of the local Job reaches the mirror. The zero value,
	// [SuspendFollows], carries every change over.
	Suspend SuspendPolicy

	// IgnoreFields names fields of the mirror that the worker's cluster changes on purpose.
	// [Planner.PlanSpec] neither sends nor reports them. See there for the form of a path.
	IgnoreFields []string

	// ExclusiveOrigin is the caller's word that no other management cluster uses this Origin on
	// these workers. Without it nobody can tell an orphan of ours from another manager's running
	// mirror, so [Planner.Decide] reports an orphan and an earlier Job's mirror but never deletes
	// them.
	ExclusiveOrigin bool

	// HoldMirror puts a finalizer (Keys.Hold) on mirrors, so that nobody's TTL or delete takes one
	// before its result is read. [Planner.Decide] takes it off again when no result can come any more, by
	// what the worker's Job controller and garbage collector show. Without it a result is lost that comes
	// when the mirror is being deleted and is gone before it is read, also where Decide deleted it. With it
	// one deletion can still take a success away: one in the background of a mirror that is being deleted in the
	// foreground, while its status does not show its last pod.
	HoldMirror bool

	// KeepFinished is how long the mirror of a finished Job is kept, for its pods and their logs,
	// counted from the lastTransitionTime of the local terminal condition. The local Job keeps its
	// finalizer for that time. Where a clock is ahead it is kept longer, by as much again or an hour at most.
	// Zero deletes the mirror as soon as the result is on the local Job; a
	// negative value leaves it until the local Job is deleted.
	KeepFinished time.Duration

	// AbandonAfter is how long the deletion of a local Job waits for a worker that does not answer,
	// counted from its deletionTimestamp. What runs there then is left behind. Zero means for ever.
	AbandonAfter time.Duration

	// OnMirrorLost says what becomes of a Job whose mirror has disappeared before there was a
	// result. The zero value, [RecreateMirror], runs it again.
	OnMirrorLost LossPolicy

	// MaxAttempts is how many times a Job may be run by mirrors that disappear: when the last of
	// them does, the Job is concluded as Failed. Mirrors that were deleted because the Job was not wanted on
	// its worker do not count, nor do creates that failed. Zero means any number.
	MaxAttempts int32

	// RetryDelay is how long after its claim an attempt that left no mirror is followed by the
	// next. It doubles with every attempt until it is ten minutes or more. Zero means ten seconds.
	RetryDelay time.Duration

	// Condition is the type of a condition, such as "acme.io/Mirrored", that [Planner.Decide] keeps
	// on the local Job: who runs it, and is that alive. Empty means none. Objects of other kinds do not get it.
	Condition batchv1.JobConditionType
}

// SuspendPolicy says how spec.suspend of the local Job reaches the mirror.
type SuspendPolicy string

const (
	// SuspendFollows sends every change of the local value.
	SuspendFollows SuspendPolicy = ""
	// SuspendAtCreation leaves spec.suspend alone once the mirror is there, because the worker has a
	// queue of its own that suspends and resumes.
	SuspendAtCreation SuspendPolicy = "AtCreation"
)

// LossPolicy says what becomes of a Job whose mirror is lost.
type LossPolicy string

const (
	// RecreateMirror runs the Job again, from the start.
	RecreateMirror LossPolicy = ""
	// FailJob concludes the Job as Failed, with reason MirrorLost.
	FailJob LossPolicy = "Fail"
)

// clone returns a copy that shares no memory with p but the functions, and the versions, which
// cannot change.
func (p Policy) clone() Policy {
	p.Management = slices.Clone(p.Management)
	for i, r := range p.Management {
		p.Management[i] = cloneRelease(r)
	}
	p.Worker = cloneRelease(p.Worker)
	p.KeepKeys = slices.Clone(p.KeepKeys)
	p.IgnoreFields = slices.Clone(p.IgnoreFields)
	return p
}

func cloneRelease(r jobmanagedby.Release) jobmanagedby.Release {
	if r.Gate != nil {
		r.Gate = ptr.To(*r.Gate)
	}
	return r
}
