// SPDX-License-Identifier: Apache-2.0

package jobgen

import (
	"fmt"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// controller is how a built-in Job controller writes statuses.
type controller struct {
	bare        bool // terminal conditions come alone, and terminating is never updated again (to 1.30)
	clearsStart bool // suspending clears startTime (from 1.36)
}

var controllers = []weighted[controller]{
	{2, controller{bare: true}},
	{2, controller{}},
	{1, controller{clearsStart: true}},
}

// run is the life of a Job under a controller, step by step.
type run struct {
	g      *Gen
	spec   *batchv1.JobSpec
	how    controller
	now    int64
	status batchv1.JobStatus
	fate   batchv1.JobConditionType // Complete or Failed once decided
	done   [window]bool             // of an Indexed Job: the indexes that succeeded
	lost   [window]bool             // of one with backoffLimitPerIndex: those that failed
}

// window is how many indexes of a Job, at most, see something happen before the end.
const window = 12

type step func(*run)

// lives of a Job whose spec is running; the last statuses of a life may never be reached.
var lives = []weighted[[]step]{
	{4, []step{start, work, work, work}},
	{6, []step{start, work, work, succeed, drain, conclude}},
	{6, []step{start, work, work, fail, drain, conclude}},
	{3, []step{suspend, resume, work, succeed, drain, conclude}},
	{3, []step{start, work, suspend, drain, resume, work, fail, drain, conclude}},
	{2, []step{start, work, suspend, drain}}, // told to resume, and has not yet
	{1, []step{suspend}},
}

// suspendedLives are those of a Job whose spec is suspended.
var suspendedLives = []weighted[[]step]{
	{2, []step{suspend}},
	{3, []step{start, work, suspend, drain}},
	{1, []step{start, work}}, // told to suspend, and has not yet
	{2, []step{start, work, suspend, succeed, drain, conclude}},
	{2, []step{start, work, suspend, drain, fail, conclude}},
	{1, []step{suspend, succeed, conclude}},
}

// life returns the statuses of a Job from creation on, in order. The first one is empty.
func (g *Gen) life(spec *batchv1.JobSpec, how controller, begin int64) []batchv1.JobStatus {
	table := lives
	if ptr.Deref(spec.Suspend, false) {
		table = suspendedLives
	}
	r := &run{g: g, spec: spec, how: how, now: begin}
	statuses := []batchv1.JobStatus{{}}
	for _, s := range pick(g, table) {
		r.now += g.rand.Int64N(4)
		s(r)
		statuses = append(statuses, *r.status.DeepCopy())
	}
	return statuses
}

// The steps.

func start(r *run) {
	if r.nothingToDo() {
		return
	}
	r.status.StartTime = r.g.atPtr(r.now)
	r.pods(1 + r.g.upTo(min(r.parallelism(), 5)-1))
}

func work(r *run) {
	if r.nothingToDo() {
		return
	}
	for range r.g.rand.IntN(3) {
		r.podEnds()
	}
	r.pods(r.g.upTo(min(r.parallelism(), 5)))
	r.status.Terminating = oneOf(r.g, nil, ptr.To[int32](0), ptr.To[int32](1))
	if r.g.in(4) {
		r.status.UncountedTerminatedPods = &batchv1.UncountedTerminatedPods{
			Succeeded: []types.UID{r.podID()}, Failed: []types.UID{r.podID()},
		}
	}
}

func suspend(r *run) {
	r.set(batchv1.JobSuspended, corev1.ConditionTrue, "JobSuspended", "Job suspended")
	if r.how.clearsStart {
		r.status.StartTime = nil
	}
	r.killPods()
}

func resume(r *run) {
	r.set(batchv1.JobSuspended, corev1.ConditionFalse, "JobResumed", "Job resumed")
	start(r)
}

func succeed(r *run) {
	r.fate = batchv1.JobComplete
	r.finishWork()
	if !r.how.bare || r.spec.SuccessPolicy != nil {
		r.verdict(batchv1.JobSuccessCriteriaMet)
	}
	r.killPods()
}

func fail(r *run) {
	r.fate = batchv1.JobFailed
	r.status.Failed++
	if !r.how.bare {
		r.verdict(batchv1.JobFailureTarget)
	}
	r.killPods()
}

// drain waits for the pods to be gone.
func drain(r *run) {
	r.pods(0)
	if !r.how.bare {
		r.status.Terminating = ptr.To[int32](0)
	}
}

func conclude(r *run) {
	drain(r)
	r.status.UncountedTerminatedPods = oneOf(r.g, nil, &batchv1.UncountedTerminatedPods{})
	if r.status.StartTime == nil && !r.mayFinishUnstarted() {
		r.status.StartTime = r.g.atPtr(r.now)
	}
	r.verdict(r.fate)
	if r.fate == batchv1.JobComplete {
		r.status.CompletionTime = r.g.atPtr(r.now)
	}
}

// What the steps are made of.

func (r *run) parallelism() int32 { return ptr.Deref(r.spec.Parallelism, 1) }

func (r *run) indexed() bool {
	return ptr.Deref(r.spec.CompletionMode, batchv1.NonIndexedCompletion) == batchv1.IndexedCompletion
}

func (r *run) nothingToDo() bool { return r.spec.Completions != nil && *r.spec.Completions == 0 }

// mayFinishUnstarted is the exception that the API server makes.
func (r *run) mayFinishUnstarted() bool { return ptr.Deref(r.spec.Suspend, false) && r.nothingToDo() }

// pods sets the number of active pods, some of which are ready.
func (r *run) pods(active int32) {
	r.status.Active = active
	r.status.Ready = ptr.To(r.g.upTo(active))
}

// killPods makes the active pods terminating; some take their time to show.
func (r *run) killPods() {
	terminating := r.status.Active
	if terminating > 0 && r.g.in(4) {
		terminating--
		r.pods(1)
	} else {
		r.pods(0)
	}
	r.status.Terminating = ptr.To(terminating)
	r.status.UncountedTerminatedPods = nil
}

// podEnds makes one pod end, well or not.
func (r *run) podEnds() {
	completions := ptr.Deref(r.spec.Completions, window)
	if r.g.in(3) || r.status.Succeeded >= completions-1 {
		r.indexFails()
		return
	}
	if !r.indexed() {
		r.status.Succeeded++
		return
	}
	if i := r.freeIndex(); i >= 0 {
		r.done[i] = true
		r.status.Succeeded++
		r.status.CompletedIndexes = listIndexes(r.done[:])
	}
}

func (r *run) indexFails() {
	r.status.Failed++
	if r.spec.BackoffLimitPerIndex == nil {
		return
	}
	if i := r.freeIndex(); i >= 0 && r.g.in(2) {
		r.lost[i] = true
	}
	r.status.FailedIndexes = ptr.To(listIndexes(r.lost[:]))
}

// freeIndex returns an index that is neither done nor lost, -1 if it found none.
func (r *run) freeIndex() int {
	i := r.g.rand.IntN(min(window, int(ptr.Deref(r.spec.Completions, window))))
	if r.done[i] || r.lost[i] {
		return -1
	}
	return i
}

// finishWork makes as many pods succeed as the Job needs.
func (r *run) finishWork() {
	if r.spec.Completions == nil {
		r.status.Succeeded++
		return
	}
	if r.spec.SuccessPolicy != nil && r.status.Succeeded > 0 || *r.spec.Completions == 0 {
		return
	}
	r.status.Succeeded = *r.spec.Completions
	if !r.indexed() {
		return
	}
	r.status.CompletedIndexes = fmt.Sprintf("0-%d", *r.spec.Completions-1)
	if *r.spec.Completions == 1 {
		r.status.CompletedIndexes = "0"
	}
	if r.status.FailedIndexes != nil {
		r.status.FailedIndexes = ptr.To("") // a Job with failed indexes would not be Complete
	}
}

func (r *run) podID() types.UID { return types.UID(fmt.Sprintf("pod-%d", r.g.rand.IntN(1_000_000))) }

// verdict adds the condition, or the one that announces it, with what the built-in controller gives
// as the reason.
func (r *run) verdict(t batchv1.JobConditionType) {
	if r.fate == batchv1.JobFailed {
		r.set(t, corev1.ConditionTrue, "BackoffLimitExceeded", "Job has reached the specified backoff limit")
		return
	}
	r.set(t, corev1.ConditionTrue, "CompletionsReached", "Reached expected number of succeeded pods")
}

// set adds or updates a condition.
func (r *run) set(t batchv1.JobConditionType, status corev1.ConditionStatus, reason, message string) {
	now := r.g.at(r.now)
	c := batchv1.JobCondition{
		Type: t, Status: status, Reason: reason, Message: message, LastProbeTime: now, LastTransitionTime: now,
	}
	for i := range r.status.Conditions {
		if r.status.Conditions[i].Type == t {
			r.status.Conditions[i] = c
			return
		}
	}
	r.status.Conditions = append(r.status.Conditions, c)
}

// listIndexes writes indexes as the built-in controller does: an interval has at least three.
func listIndexes(set []bool) string {
	var parts []string
	for i := 0; i < len(set); i++ {
		last := i
		for last+1 < len(set) && set[i] && set[last+1] {
			last++
		}
		switch {
		case !set[i]:
		case last > i+1:
			parts = append(parts, fmt.Sprintf("%d-%d", i, last))
			i = last
		default:
			parts = append(parts, fmt.Sprint(i))
		}
	}
	return strings.Join(parts, ",")
}
