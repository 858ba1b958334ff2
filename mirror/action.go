// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// ActionKind is what to do. The set is closed: a minor version adds none.
type ActionKind string

const (
	// AddFinalizer puts Keys.Cleanup on the local Job: Patch.
	AddFinalizer ActionKind = "AddFinalizer"
	// Claim writes the dispatch record to the local Job, and live counters of zero in the same
	// request where Subresource is "status": Patch. What follows in the plan must not be done unless it succeeds.
	Claim ActionKind = "Claim"
	// CreateMirror creates Job, or Unstructured, on the worker.
	CreateMirror ActionKind = "CreateMirror"
	// PatchMirror carries changes of the local spec to the mirror, or marks one that we hold as deleted by us:
	// Patch.
	PatchMirror ActionKind = "PatchMirror"
	// WriteStatus writes the status of the local Job, with the dispatch record where that changes
	// too: Patch, of the subresource "status".
	WriteStatus ActionKind = "WriteStatus"
	// DeleteMirror deletes a Job on the worker, with [Action.DeleteOptions].
	DeleteMirror ActionKind = "DeleteMirror"
	// ReleaseMirror takes Keys.Hold off a Job on the worker: Patch.
	ReleaseMirror ActionKind = "ReleaseMirror"
	// RemoveFinalizer takes Keys.Cleanup off the local Job: Patch.
	RemoveFinalizer ActionKind = "RemoveFinalizer"
	// ReadLive reads what Read names from the API servers, not from a cache; plan again with that.
	ReadLive ActionKind = "ReadLive"
)

// Read says which observations [ReadLive] asks for.
type Read struct {
	Local, Mirror, Elsewhere bool
}

// Action is one step of a [Plan]. Repeating it does no harm: each has a precondition that no longer
// holds once it was carried out, or finds that there is nothing left to do.
type Action struct {
	Kind ActionKind

	// Object is the Job to act on: the local one, or the one on this worker if OnWorker says so. It
	// is empty for ReadLive.
	Object types.NamespacedName

	// UID and ResourceVersion are the preconditions: those of the Job that the plan was made for.
	// They are in Patch and in DeleteOptions. CreateMirror has none: that nothing has the name is
	// the precondition. ReleaseMirror, and a PatchMirror behind a DeleteMirror, have no ResourceVersion: they
	// are right whatever else has changed.
	UID             types.UID
	ResourceVersion string

	// Subresource is "status" or empty.
	Subresource string

	// Patch and its PatchType. All are JSON merge patches ([types.MergePatchType]) but ReleaseMirror's, which
	// is a JSON patch ([types.JSONPatchType]).
	Patch     []byte
	PatchType types.PatchType

	// Job is what CreateMirror creates, of [Planner.Decide]; Unstructured is, of [Planner.DecideObject].
	Job          *batchv1.Job
	Unstructured *unstructured.Unstructured

	// Read is what ReadLive reads.
	Read Read
}

// OnWorker reports whether the action goes to the worker; the others go to the management cluster. A
// ReadLive goes to where Read says.
func (a Action) OnWorker() bool {
	switch a.Kind {
	case CreateMirror, PatchMirror, DeleteMirror, ReleaseMirror:
		return true
	default:
		return false
	}
}

// DeleteOptions are those of DeleteMirror. Propagation is Foreground: once the Job is gone, so are its
// pods. A client that leaves the options out orphans the pods.
func (a Action) DeleteOptions() metav1.DeleteOptions {
	policy := metav1.DeletePropagationForeground
	options := metav1.DeleteOptions{PropagationPolicy: &policy, Preconditions: &metav1.Preconditions{UID: &a.UID}}
	if a.ResourceVersion != "" {
		options.Preconditions.ResourceVersion = &a.ResourceVersion
	}
	return options
}

// Tolerates reports whether a refusal by the API server for that reason ([apierrors.ReasonForError])
// is not an error, but news: the world is no longer what the plan was made for. Leave the rest of the plan,
// and plan again when the news arrives. Every other failure is an error, to be tried again with
// back-off.
//
// [apierrors.ReasonForError]: https://pkg.go.dev/k8s.io/apimachinery/pkg/api/errors#ReasonForError
func (a Action) Tolerates(reason metav1.StatusReason) bool {
	// Invalid is what a JSON patch gets whose test fails, and a merge patch with the UID of another Job and no
	// resourceVersion. (API servers 1.30.14 and 1.37.2)
	unversioned := a.Kind == ReleaseMirror || a.Kind == PatchMirror && a.ResourceVersion == ""
	switch reason {
	case metav1.StatusReasonAlreadyExists:
		return a.Kind == CreateMirror
	case metav1.StatusReasonConflict, metav1.StatusReasonNotFound:
		return a.Kind != CreateMirror
	case metav1.StatusReasonInvalid:
		return unversioned
	default:
		return false
	}
}

// String returns the action and what it acts on, on one line. Programs must not depend on its form.
func (a Action) String() string {
	if a.Kind != ReadLive {
		return printable(string(a.Kind) + " " + a.Object.String())
	}
	var names []string
	for _, r := range []struct {
		asked bool
		name  string
	}{{a.Read.Local, "local"}, {a.Read.Mirror, "mirror"}, {a.Read.Elsewhere, "elsewhere"}} {
		if r.asked {
			names = append(names, r.name)
		}
	}
	return string(ReadLive) + " " + strings.Join(names, ", ")
}

// on is an action on a Job that was seen.
func on(kind ActionKind, job *batchv1.Job) Action {
	return Action{Kind: kind, Object: keyOf(job), UID: job.UID, ResourceVersion: job.ResourceVersion}
}

// patch is an action that changes a Job that was seen. The members are JSON objects' to be merged into
// metadata and status, nil for none.
func patch(kind ActionKind, job *batchv1.Job, metadata, status map[string]any) Action {
	a := on(kind, job)
	a.Patch, a.PatchType = mergePatch(job, metadata, status), types.MergePatchType
	if status != nil {
		a.Subresource = "status"
	}
	return a
}

func (p *Planner) addFinalizer(local *batchv1.Job) Action {
	finalizers := append(slices.Clone(local.Finalizers), p.policy.Keys.Cleanup)
	return patch(AddFinalizer, local, map[string]any{"finalizers": finalizers}, nil)
}

func (p *Planner) removeFinalizer(local *batchv1.Job) Action {
	return patch(RemoveFinalizer, local, map[string]any{"finalizers": without(local.Finalizers, p.policy.Keys.Cleanup)}, nil)
}

// releaseMirror takes the hold off by its place in the list, so that it can follow a DeleteMirror, which leaves these
// finalizers. The garbage collector's has to be there still: somebody may have deleted the mirror in the background
// meanwhile, and then it would go before its pods. Where the garbage collector was faster, the next plan tries again.
//
// Source: deletionFinalizersForGarbageCollection in k8s.io/apiserver/pkg/registry/generic/registry/store.go, 1.30 to 1.37.
func (p *Planner) releaseMirror(mirror *batchv1.Job, finalizers []string) Action {
	place := func(finalizer string) string {
		return "/metadata/finalizers/" + strconv.Itoa(slices.Index(finalizers, finalizer))
	}
	hold, wait := p.policy.Keys.Hold, metav1.FinalizerDeleteDependents
	steps := []map[string]any{
		{"op": "test", "path": "/metadata/uid", "value": mirror.UID},
		{"op": "test", "path": place(hold), "value": hold},
	}
	if slices.Contains(finalizers, wait) {
		steps = append(steps, map[string]any{"op": "test", "path": place(wait), "value": wait})
	}
	a := Action{Kind: ReleaseMirror, Object: keyOf(mirror), UID: mirror.UID, PatchType: types.JSONPatchType}
	a.Patch, _ = json.Marshal(append(steps, map[string]any{"op": "remove", "path": place(hold)})) // nothing in it can fail
	return a
}

// deletedInForeground are the finalizers of a Job after a DeleteMirror.
func deletedInForeground(finalizers []string) []string {
	return append(without(without(finalizers, metav1.FinalizerOrphanDependents), metav1.FinalizerDeleteDependents), metav1.FinalizerDeleteDependents)
}

// draining is the value of the annotation Keys.Hold of a mirror that we hold and have deleted in the
// foreground.
const draining = "draining"

// holdSize is the room that the mark takes among the annotations of a mirror that we will hold.
func (p *Planner) holdSize() int { return p.roomForMark(p.policy.HoldMirror) }

// markSize is the room that the mark still needs on a mirror.
func (p *Planner) markSize(mirror *batchv1.Job) int {
	_, marked := mirror.Annotations[p.policy.Keys.Hold]
	return p.roomForMark(p.holds(mirror) && !marked)
}

func (p *Planner) roomForMark(isNeeded bool) int {
	if !isNeeded {
		return 0
	}
	return len(p.policy.Keys.Hold) + len(draining)
}

// markDraining follows a DeleteMirror, so it goes without resourceVersion.
func (p *Planner) markDraining(mirror *batchv1.Job) Action {
	unversioned := *mirror
	unversioned.ResourceVersion = ""
	return patch(PatchMirror, &unversioned, map[string]any{"annotations": map[string]string{p.policy.Keys.Hold: draining}}, nil)
}

func without(list []string, s string) []string {
	rest := []string{}
	for _, element := range list {
		if element != s {
			rest = append(rest, element)
		}
	}
	return rest
}

func (p *Planner) cleansUp(local *batchv1.Job) bool {
	return slices.Contains(local.Finalizers, p.policy.Keys.Cleanup)
}

func (p *Planner) holds(mirror *batchv1.Job) bool {
	return slices.Contains(mirror.Finalizers, p.policy.Keys.Hold)
}
