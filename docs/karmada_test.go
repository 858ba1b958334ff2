// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/mirror"
	"github.com/managedby-dev/managedby/statusvalidate"
)

// FROM-KARMADA: the interpreter

// Interpreter has the operations of Karmada's resource interpreter that Jobs need.
type Interpreter struct {
	planner   *mirror.Planner
	apiServer statusvalidate.Validator // of Karmada's control plane
}

// Member is an AggregatedStatusItem: a cluster, and what ReflectStatus took there; nil if it has not reported.
type Member struct {
	Cluster string
	Status  *batchv1.JobStatus
}

// Prune returns what is sent to a member. It decides about the selector and the generated labels.
func (i Interpreter) Prune(local *batchv1.Job) (*batchv1.Job, error) { return i.planner.Build(local) }

// Retain returns what to change in a member's Job. It is a patch, so that there is nothing to retain.
func (i Interpreter) Retain(desired, observed *batchv1.Job) mirror.SpecPlan {
	return i.planner.PlanSpec(mirror.Pair{Local: desired, Remote: observed})
}

// ReflectStatus takes the whole status.
func (Interpreter) ReflectStatus(observed *batchv1.Job) *batchv1.JobStatus {
	return observed.Status.DeepCopy()
}

// AggregateStatus plans the status of the local Job.
func (i Interpreter) AggregateStatus(local *batchv1.Job, members []Member, now metav1.Time) mirror.StatusPlan {
	return mirror.ProjectStatus(mirror.Pair{Local: local, Remote: sum(local, members)}, mirror.StatusOptions{Validator: i.apiServer, Now: now})
}

// InterpretHealth: a Job that fails is as healthy as one that succeeds; one whose status cannot be shown is not.
func (Interpreter) InterpretHealth(plan mirror.StatusPlan) bool {
	return plan.Outcome != mirror.Conflict && plan.Outcome != mirror.Invalid
}

// sum is a Job that has run on all members. What the API server does not take of it, ProjectStatus mends.
func sum(local *batchv1.Job, members []Member) *batchv1.Job {
	all := &batchv1.Job{Spec: local.Spec}
	for _, m := range members {
		if m.Status == nil {
			continue
		}
		all.Status.Active += m.Status.Active
		all.Status.Succeeded += m.Status.Succeeded
		all.Status.Failed += m.Status.Failed
		all.Status.Ready = add(all.Status.Ready, m.Status.Ready)
		all.Status.Terminating = add(all.Status.Terminating, m.Status.Terminating)
		if start := m.Status.StartTime; start != nil && (all.Status.StartTime == nil || start.Before(all.Status.StartTime)) {
			all.Status.StartTime = start
		}
		if end := m.Status.CompletionTime; end != nil && (all.Status.CompletionTime == nil || all.Status.CompletionTime.Before(end)) {
			all.Status.CompletionTime = end
		}
	}
	for _, rule := range []struct {
		kind batchv1.JobConditionType
		of   int // that many members
	}{
		{batchv1.JobFailureTarget, 1}, {batchv1.JobFailed, 1},
		{batchv1.JobSuspended, len(members)}, {batchv1.JobSuccessCriteriaMet, len(members)}, {batchv1.JobComplete, len(members)},
	} {
		if found := having(members, rule.kind); len(found) > 0 && len(found) >= rule.of {
			all.Status.Conditions = append(all.Status.Conditions, found[len(found)-1])
		}
	}
	if len(having(members, batchv1.JobComplete)) < len(members) {
		all.Status.CompletionTime = nil
	}
	return all
}

func having(members []Member, kind batchv1.JobConditionType) (found []batchv1.JobCondition) {
	for _, m := range members {
		if m.Status == nil {
			continue
		}
		for _, c := range m.Status.Conditions {
			if c.Type == kind && c.Status == corev1.ConditionTrue {
				found = append(found, c)
				break
			}
		}
	}
	return found
}

func add(a, b *int32) *int32 {
	if a == nil && b == nil {
		return nil
	}
	return ptr.To(ptr.Deref(a, 0) + ptr.Deref(b, 0))
}

// FROM-KARMADA: end

func newInterpreter() Interpreter {
	return Interpreter{planner: must(mirror.New(mirror.Policy{Controller: "karmada.io/karmada", Origin: "karmada"}))}
}

// One member fails while the other still runs, and later leaves.
func ExampleInterpreter() {
	local := newJob("karmada.io/karmada")

	// FROM-KARMADA: the run
	i := newInterpreter()
	aggregate := func(members ...Member) {
		plan := i.AggregateStatus(local, members, at(120))
		fmt.Printf("%s, healthy: %v\n", plan.Outcome, i.InterpretHealth(plan))
		for _, adjustment := range plan.Adjustments {
			fmt.Println("  ", adjustment)
		}
		if plan.Status != nil {
			local.Status = *plan.Status
		}
	}

	eu := &batchv1.JobStatus{StartTime: ptr.To(at(0)), Active: 1, Failed: 2}
	us := &batchv1.JobStatus{StartTime: ptr.To(at(5)), Active: 2, Succeeded: 1}
	aggregate(Member{"eu", eu}, Member{"us", us})

	eu = &batchv1.JobStatus{StartTime: ptr.To(at(0)), Failed: 3, Conditions: []batchv1.JobCondition{condition(batchv1.JobFailed, 60)}} // of 1.30
	aggregate(Member{"eu", eu}, Member{"us", us})

	aggregate(Member{"eu", eu}) // us has left, and what had succeeded there
	// FROM-KARMADA: end

	// Output:
	// Copied, healthy: true
	// Terminating, healthy: true
	//    status.conditions[Failed]: withheld until the pods are gone (FinishedWithActivePods)
	//    status.conditions[FailureTarget]: shows the verdict to come
	// Copied, healthy: true
	//    status.conditions[FailureTarget]: added to go with Failed (FailedWithoutFailureTarget)
	//    status.succeeded: held at the local value (SucceededDecreased)
}

// TestInterpreterSpec: what is sent to a member, and what of a later change.
func TestInterpreterSpec(t *testing.T) {
	i, local := newInterpreter(), newJob("karmada.io/karmada")
	local.Spec.TTLSecondsAfterFinished = ptr.To[int32](60)
	local.Spec.Template.Labels = map[string]string{"app": "train", "controller-uid": "1111", batchv1.JobNameLabel: "train"}
	member := must(i.Prune(local))
	if fmt.Sprint(member.Spec.Template.Labels) != "map[app:train]" || member.Spec.ManagedBy != nil || member.Spec.TTLSecondsAfterFinished != nil {
		t.Errorf("sent: %+v", member.Spec)
	}
	member.UID, member.ResourceVersion, member.Status.Active = "2222", "1", 2
	local.Spec.Parallelism, local.Generation = ptr.To[int32](3), 2
	var patch struct{ Spec map[string]any }
	decode(i.Retain(local, member).Patch, &patch)
	if fmt.Sprint(patch.Spec) != "map[parallelism:3]" {
		t.Errorf("patched: %v", patch.Spec)
	}
	if i.ReflectStatus(member).Active != 2 {
		t.Error("the status is not reflected")
	}
}

// TestSum pins when a verdict of members is one of all.
func TestSum(t *testing.T) {
	complete := &batchv1.JobStatus{StartTime: ptr.To(at(0)), Succeeded: 1, CompletionTime: ptr.To(at(60)), Conditions: []batchv1.JobCondition{condition(batchv1.JobComplete, 60)}}
	running := &batchv1.JobStatus{StartTime: ptr.To(at(0)), Active: 1}
	failed := &batchv1.JobStatus{StartTime: ptr.To(at(0)), Failed: 1, Conditions: []batchv1.JobCondition{condition(batchv1.JobFailed, 60)}}
	for _, test := range []struct {
		name    string
		members []Member
		want    []batchv1.JobConditionType // of the status to write
		outcome mirror.Outcome
	}{
		{"no members", nil, nil, mirror.InSync},
		{"none has reported", []Member{{"eu", nil}}, nil, mirror.InSync},
		{"one has not reported", []Member{{"eu", complete}, {"us", nil}}, nil, mirror.Copied},
		{"one runs", []Member{{"eu", complete}, {"us", running}}, nil, mirror.Copied},
		{"all are complete", []Member{{"eu", complete}, {"us", complete}}, []batchv1.JobConditionType{batchv1.JobComplete, batchv1.JobSuccessCriteriaMet}, mirror.Copied},
		{"one has failed, one runs", []Member{{"eu", failed}, {"us", running}}, []batchv1.JobConditionType{batchv1.JobFailureTarget}, mirror.Terminating},
		{"one has failed, one is complete", []Member{{"eu", failed}, {"us", complete}}, []batchv1.JobConditionType{batchv1.JobFailed, batchv1.JobFailureTarget}, mirror.Copied},
	} {
		plan := newInterpreter().AggregateStatus(newJob("karmada.io/karmada"), test.members, at(120))
		var got []batchv1.JobConditionType
		if plan.Status != nil {
			for _, c := range plan.Status.Conditions {
				got = append(got, c.Type)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(test.want) || plan.Outcome != test.outcome {
			t.Errorf("%s: %v, want %v: %v", test.name, got, test.want, plan)
		}
	}
}

// TestSumCounts: every count is added up, the first start is taken, and an end only when all have ended.
func TestSumCounts(t *testing.T) {
	eu := &batchv1.JobStatus{StartTime: ptr.To(at(5)), Active: 1, Succeeded: 2, Failed: 3, Ready: ptr.To[int32](1), Terminating: ptr.To[int32](4)}
	us := &batchv1.JobStatus{StartTime: ptr.To(at(0)), Active: 2, Succeeded: 1, Failed: 1, Ready: ptr.To[int32](2), CompletionTime: ptr.To(at(60))}
	want := batchv1.JobStatus{StartTime: ptr.To(at(0)), Active: 3, Succeeded: 3, Failed: 4, Ready: ptr.To[int32](3), Terminating: ptr.To[int32](4)}
	for _, members := range [][]Member{{{"eu", eu}, {"us", us}}, {{"us", us}, {"ap", nil}, {"eu", eu}}} {
		if diff := cmp.Diff(want, sum(newJob("karmada.io/karmada"), members).Status); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
	us.Conditions = []batchv1.JobCondition{condition(batchv1.JobComplete, 60)}
	if end := sum(newJob("karmada.io/karmada"), []Member{{"us", us}}).Status.CompletionTime; !end.Equal(ptr.To(at(60))) {
		t.Errorf("ended at %v", end)
	}
}
