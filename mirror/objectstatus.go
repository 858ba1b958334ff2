// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"fmt"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/managedby-dev/managedby/internal/objpath"
	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/statusvalidate"
)

// ObjectStatusPlan says what to write to the status of a local object, as [StatusPlan] does for a Job. It is a
// value, and prints on one line.
type ObjectStatusPlan struct {
	Outcome StatusOutcome
	Why     string // what the outcome says, in words

	// Status is the whole status to write, nil for nothing.
	Status map[string]any

	// Adjustments, Violations and RequeueAfter are as in [StatusPlan]. Of other kinds than Job an
	// adjustment is a condition that was kept, and there are no violations.
	Adjustments  []Adjustment
	Violations   statusvalidate.Violations
	RequeueAfter time.Duration
}

// String returns the plan on one line. Programs must not depend on its text.
func (p ObjectStatusPlan) String() string {
	plan := StatusPlan{Outcome: p.Outcome, Why: p.Why, Adjustments: p.Adjustments, Violations: p.Violations, RequeueAfter: p.RequeueAfter}
	if p.Status != nil {
		plan.Status = &batchv1.JobStatus{}
	}
	return plan.String()
}

// Patch is [StatusPlan.Patch]: the plan's write as a JSON merge patch of the subresource "status" of
// local, with its UID and resourceVersion as preconditions; nil if there is nothing to write. Of a custom resource
// the API server looks at the resourceVersion alone there. (1.37.2)
func (p ObjectStatusPlan) Patch(local *unstructured.Unstructured) []byte {
	if p.Status == nil {
		return nil
	}
	from, _ := local.Object["status"].(map[string]any)
	return mergePatch(metadataOf(local), nil, diff(from, p.Status))
}

// PlanObjectStatus is [Planner.PlanStatus] for an object of any kind: [ProjectObjectStatus] with the
// options of the Policy, behind the questions whether the object is ours and the mirror its mirror.
//
// The errors are those of the methods of [jobmanagedby.Kind]; the plan is then empty. It panics if one of
// the objects is nil.
func (p *Planner) PlanObjectStatus(kind jobmanagedby.Kind, pair ObjectPair, now metav1.Time) (ObjectStatusPlan, error) {
	managed, err := kind.IsManagedBy(pair.Local, p.policy.Controller)
	if err != nil {
		return ObjectStatusPlan{}, err
	}
	if !managed {
		return objectPlan(NotManaged), nil
	}
	if relation := p.RelateObject(pair); relation != Ours {
		plan := objectPlan(Conflict)
		plan.Why = "the remote object is not the mirror of the local one: " + string(relation)
		return plan, nil
	}
	typed, err := typedPair(kind, pair)
	if err != nil {
		return ObjectStatusPlan{}, err
	}
	return ProjectObjectStatus(kind, pair, p.statusOptions(typed, now))
}

// ProjectObjectStatus is [ProjectStatus] for an object of any kind. For a Job it is the same. For every
// other kind the API server validates no status beyond its schema, and the operator does not look at an object
// that is not its own, so that the remote status is copied as it is, with these outcomes:
//
//	local       remote                                outcome
//	finished    same result                           Finished, nothing is written
//	finished    other result, or not finished         Conflict, nothing is written
//	unfinished  finished                              Copied
//	running     suspended, after the local one ran    Copied, as Evicted (Resuming with opts.Untold)
//	otherwise                                         Copied, InSync
//
// A suspended object shows what its mirror does: nothing is Deferred, for no status freezes a template. A remote
// object that has no status yet has nothing to copy. Counters may go down when an object is sent out
// again.
//
// Conditions of the local object stay if the remote has none of that type and the type has a
// domain, such as acme.io/Mirrored: operators write plain names, and other controllers are meant to use
// a domain. Each is an [Adjustment].
//
// Of the options, other kinds than Job need Untold only. The plan is settled as that of ProjectStatus is, and shares no memory
// with the objects, which are not changed. Where the CRD of the management cluster prunes, defaults or rewrites what is
// copied, as one of another version may, each plan writes it again, which changes nothing there. The errors are [*jobmanagedby.KindError] and
// [*jobmanagedby.MalformedError].
func ProjectObjectStatus(kind jobmanagedby.Kind, pair ObjectPair, opts StatusOptions) (ObjectStatusPlan, error) {
	if isJob(kind) {
		return projectJob(kind, pair, opts)
	}
	local, err := kind.Finished(pair.Local)
	if err != nil {
		return ObjectStatusPlan{}, err
	}
	remote, err := kind.Finished(pair.Remote)
	switch {
	case err != nil:
		return ObjectStatusPlan{}, err
	case local != jobmanagedby.Unfinished && local == remote:
		return objectPlan(Finished), nil
	case local != jobmanagedby.Unfinished:
		return objectPlan(Conflict), nil
	case remote != jobmanagedby.Unfinished:
		return copyObject(kind, pair, Copied)
	}
	outcome, err := suspension(kind, pair, opts.Untold)
	if err != nil {
		return ObjectStatusPlan{}, err
	}
	return copyObject(kind, pair, outcome)
}

// projectJob goes through the typed Job.
func projectJob(kind jobmanagedby.Kind, pair ObjectPair, opts StatusOptions) (ObjectStatusPlan, error) {
	var typed Pair
	for _, side := range []struct {
		from *unstructured.Unstructured
		to   **batchv1.Job
	}{{pair.Local, &typed.Local}, {pair.Remote, &typed.Remote}} {
		if _, err := kind.Finished(side.from); err != nil {
			return ObjectStatusPlan{}, err
		}
		job, err := jobOf(kind, side.from)
		if err != nil {
			return ObjectStatusPlan{}, err
		}
		*side.to = job
	}
	p := ProjectStatus(typed, opts)
	plan := ObjectStatusPlan{Outcome: p.Outcome, Why: p.Why, Adjustments: p.Adjustments, Violations: p.Violations, RequeueAfter: p.RequeueAfter}
	if p.Status == nil {
		return plan, nil
	}
	var err error
	plan.Status, err = runtime.DefaultUnstructuredConverter.ToUnstructured(p.Status)
	return plan, err
}

// suspension tells an eviction from progress.
func suspension(kind jobmanagedby.Kind, pair ObjectPair, untold bool) (StatusOutcome, error) {
	local, err := kind.Suspended(pair.Local)
	if err != nil {
		return "", err
	}
	remote, err := kind.Suspended(pair.Remote)
	if err != nil || local || !remote {
		return Copied, err
	}
	started, err := kind.HasStarted(pair.Local)
	switch {
	case err != nil || !started:
		return Copied, err
	case untold:
		return Resuming, nil
	}
	return Evicted, nil
}

// copyObject plans to write the remote status, and the local conditions that are not the operator's.
func copyObject(kind jobmanagedby.Kind, pair ObjectPair, outcome StatusOutcome) (ObjectStatusPlan, error) {
	statuses := [2]map[string]any{}
	for i, u := range []*unstructured.Unstructured{pair.Local, pair.Remote} {
		status, err := valueAt[map[string]any](kind, u, kind.Status, "object")
		if err != nil {
			return ObjectStatusPlan{}, err
		}
		statuses[i] = status
	}
	local, remote := statuses[0], statuses[1]
	if len(remote) == 0 {
		plan := objectPlan(inSync(outcome))
		if outcome == Copied {
			plan.Why = "the mirror has no status yet"
		}
		return plan, nil
	}
	copied, err := objpath.Copy(remote, kind.Status)
	if at := (*objpath.Error)(nil); asPathError(err, &at) {
		return ObjectStatusPlan{}, malformed(kind, at)
	}
	status := copied.(map[string]any)
	adjustments, err := keepConditions(kind, status, local)
	if err != nil {
		return ObjectStatusPlan{}, err
	}
	if len(diff(local, status)) == 0 { // null is as good as nothing, and a patch cannot write it
		plan := objectPlan(inSync(outcome))
		plan.Adjustments = adjustments
		return plan, nil
	}
	plan := objectPlan(outcome)
	plan.Status, plan.Adjustments = status, adjustments
	return plan, nil
}

// keepConditions adds the conditions to a status that only the local one has and that are somebody
// else's.
func keepConditions(kind jobmanagedby.Kind, status, local map[string]any) ([]Adjustment, error) {
	own, err := conditionsOf(kind, local)
	if err != nil {
		return nil, err
	}
	all, err := conditionsOf(kind, status)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, c := range all {
		conditionType, _ := c.(map[string]any)["type"].(string)
		seen[conditionType] = true
	}
	var adjustments []Adjustment
	for i, c := range own {
		conditionType, _ := c.(map[string]any)["type"].(string)
		if seen[conditionType] || !strings.Contains(conditionType, "/") {
			continue
		}
		seen[conditionType] = true
		kept, err := objpath.Copy(c, fmt.Sprintf("%s.conditions[%d]", kind.Status, i))
		if at := (*objpath.Error)(nil); asPathError(err, &at) {
			return nil, malformed(kind, at)
		}
		all = append(all, kept)
		adjustments = append(adjustments, Adjustment{Field: kind.Status + ".conditions[" + conditionType + "]", Why: "kept: the local object has it, and the operator writes no such type"})
	}
	if len(adjustments) > 0 {
		status["conditions"] = all
	}
	return adjustments, nil
}

// conditionsOf returns the conditions of a status; each is an object.
func conditionsOf(kind jobmanagedby.Kind, status map[string]any) ([]any, error) {
	value, path := status["conditions"], kind.Status+".conditions"
	if value == nil {
		return nil, nil
	}
	list, isList := value.([]any)
	if !isList {
		return nil, malformed(kind, &objpath.Error{Path: path, Want: "list", Value: value})
	}
	for i, c := range list {
		if _, isObject := c.(map[string]any); !isObject {
			return nil, malformed(kind, &objpath.Error{Path: fmt.Sprintf("%s[%d]", path, i), Want: "object", Value: c})
		}
	}
	return list, nil
}

// objectPlan is [planOf], whose texts speak of Jobs.
func objectPlan(outcome StatusOutcome) ObjectStatusPlan {
	why := strings.NewReplacer("both Jobs", "both objects", "local Job", "local object").Replace(planOf(outcome).Why)
	return ObjectStatusPlan{Outcome: outcome, Why: why}
}
