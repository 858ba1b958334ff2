// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/internal/mergepatch"
	"github.com/managedby-dev/managedby/mirror"
	"github.com/managedby-dev/managedby/statusvalidate"
)

// server is an API server with one Job in it, nil if there is none.
type server struct {
	t       testing.TB
	job     *batchv1.Job
	creates int
	hidden  bool // there are pods that the status does not show
}

// Get, Create, Patch and Delete are what a client of the server does.
func (s *server) Get(context.Context, types.NamespacedName) (*batchv1.Job, error) {
	if s.job == nil {
		return nil, s.answer(metav1.StatusReasonNotFound)
	}
	return s.job.DeepCopy(), nil
}

func (s *server) Create(_ context.Context, job *batchv1.Job) error {
	return s.answer(s.create(job))
}

func (s *server) Delete(_ context.Context, key types.NamespacedName, options metav1.DeleteOptions) error {
	return s.answer(s.do(mirror.Action{
		Kind: mirror.DeleteMirror, Object: key,
		UID: *options.Preconditions.UID, ResourceVersion: *options.Preconditions.ResourceVersion,
	}))
}

func (s *server) Patch(_ context.Context, key types.NamespacedName, kind types.PatchType, data []byte, subresource string) error {
	if kind == types.JSONPatchType {
		return s.answer(s.release(data))
	}
	var patch struct{ Metadata metav1.ObjectMeta }
	if err := json.Unmarshal(data, &patch); err != nil {
		return err
	}
	return s.answer(s.do(mirror.Action{
		Kind: mirror.WriteStatus, Object: key, Patch: data, Subresource: subresource,
		UID: patch.Metadata.UID, ResourceVersion: patch.Metadata.ResourceVersion,
	}))
}

func (s *server) answer(reason metav1.StatusReason) error {
	if reason == "" {
		return nil
	}
	return &apierrors.StatusError{ErrStatus: metav1.Status{Reason: reason}}
}

// do carries out an action, as far as its preconditions hold, and returns the reason of a refusal.
func (s *server) do(a mirror.Action) metav1.StatusReason {
	switch {
	case a.Kind == mirror.CreateMirror:
		return s.create(a.Job)
	case s.job == nil:
		return metav1.StatusReasonNotFound
	case a.Kind == mirror.ReleaseMirror:
		return s.release(a.Patch)
	case a.UID != s.job.UID || a.ResourceVersion != "" && a.ResourceVersion != s.job.ResourceVersion:
		return metav1.StatusReasonConflict
	case a.Kind == mirror.DeleteMirror:
		s.delete(*a.DeleteOptions().PropagationPolicy)
	default:
		s.patch(a)
	}
	return ""
}

func (s *server) create(job *batchv1.Job) metav1.StatusReason {
	if s.job != nil {
		return metav1.StatusReasonAlreadyExists
	}
	s.creates++
	s.job = job.DeepCopy()
	s.job.UID = types.UID("mirror-" + strconv.Itoa(s.creates))
	s.job.ResourceVersion, s.job.Generation = "100", 1
	return ""
}

// delete marks the Job, and takes it away if no finalizer holds it. The last deletion says whether the garbage
// collector's is one.
func (s *server) delete(policy metav1.DeletionPropagation) {
	s.touch(func(job *batchv1.Job) {
		job.Finalizers = slices.DeleteFunc(job.Finalizers, func(f string) bool {
			return f == metav1.FinalizerDeleteDependents || f == metav1.FinalizerOrphanDependents
		})
		if policy == metav1.DeletePropagationForeground {
			job.Finalizers = append(job.Finalizers, metav1.FinalizerDeleteDependents)
		}
		if job.DeletionTimestamp == nil {
			job.DeletionTimestamp = ptr.To(at(50))
		}
	})
}

// release applies the JSON patch that takes a finalizer off.
func (s *server) release(data []byte) metav1.StatusReason {
	rest, ok := released(data, s.job)
	if !ok {
		return metav1.StatusReasonInvalid
	}
	s.touch(func(job *batchv1.Job) { job.Finalizers = rest })
	return ""
}

// released returns the finalizers that a ReleaseMirror leaves, unless one of its tests fails.
func released(data []byte, o metav1.Object) (rest []string, ok bool) {
	var steps []struct{ Op, Path, Value string }
	decode(data, &steps)
	last := len(steps) - 1
	if last < 2 || steps[0].Path != "/metadata/uid" || steps[last].Op != "remove" || steps[last].Path != steps[1].Path {
		panic(string(data))
	}
	place := func(path string) int {
		i, err := strconv.Atoi(strings.TrimPrefix(path, "/metadata/finalizers/"))
		if err != nil {
			panic(string(data))
		}
		return i
	}
	finalizers := slices.Clone(o.GetFinalizers())
	for _, step := range steps[1:last] {
		if i := place(step.Path); i >= len(finalizers) || finalizers[i] != step.Value {
			return nil, false
		}
	}
	i := place(steps[last].Path)
	return slices.Delete(finalizers, i, i+1), steps[0].Value == string(o.GetUID())
}

func (s *server) patch(a mirror.Action) {
	patched := patchedWith(s.job, a.Patch)
	if a.Subresource == "status" {
		patched.Spec = s.job.Spec
	} else {
		patched.Status = s.job.Status
	}
	if violations := (statusvalidate.Validator{}).Validate(statusvalidate.Change{Old: s.job, New: patched}); len(violations) > 0 {
		s.t.Errorf("the API server refuses %s: %v", a, violations)
	}
	if size := annotationSize(patched); size > annotationLimit {
		s.t.Errorf("the API server refuses %s: annotations of %d bytes", a, size)
	}
	s.touch(func(job *batchv1.Job) { *job = *patched })
}

// annotationLimit is that of the API server, for all annotations of an object together.
const annotationLimit = 256 << 10

func annotationSize(o metav1.Object) (size int) {
	for key, value := range o.GetAnnotations() {
		size += len(key) + len(value)
	}
	return size
}

// patchedWith returns a Job to which a JSON merge patch was applied.
func patchedWith(job *batchv1.Job, data []byte) *batchv1.Job {
	var object, patch map[string]any
	decode(encode(job), &object)
	decode(data, &patch)
	patched := &batchv1.Job{}
	decode(encode(mergepatch.Apply(object, patch)), patched)
	return patched
}

func encode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}

func decode(data []byte, v any) {
	if err := json.Unmarshal(data, v); err != nil {
		panic(err)
	}
}

// touch changes the Job as somebody else would.
func (s *server) touch(mods ...mod) {
	for _, m := range mods {
		m(s.job)
	}
	version, _ := strconv.Atoi(s.job.ResourceVersion)
	s.job.ResourceVersion = strconv.Itoa(version + 1)
	if s.job.DeletionTimestamp != nil && len(s.job.Finalizers) == 0 {
		s.job = nil
	}
}

// podsGone is what the garbage collector does in the foreground.
func (s *server) podsGone() {
	s.touch(active(0))
	s.collect()
}

// collect takes the garbage collector's finalizer off a Job without pods.
func (s *server) collect() {
	if s.job != nil && s.job.DeletionTimestamp != nil && s.job.Status.Active == 0 && !s.hidden && slices.Contains(s.job.Finalizers, metav1.FinalizerDeleteDependents) {
		s.touch(func(job *batchv1.Job) {
			job.Finalizers = slices.DeleteFunc(job.Finalizers, func(f string) bool { return f == metav1.FinalizerDeleteDependents })
		})
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// world is a management cluster and one worker, looked at live.
type world struct {
	t                  testing.TB
	planner            *mirror.Planner
	management, worker *server
	elsewhere          mirror.Others
	wanted             bool
	now                metav1.Time
}

func newWorld(t testing.TB, change ...func(*mirror.Policy)) *world {
	return &world{
		t: t, planner: planner(t, change...), wanted: true, now: at(100), elsewhere: mirror.OtherWorkers(),
		management: &server{t: t, job: storedJob()}, worker: &server{t: t},
	}
}

func (w *world) state() mirror.State {
	return mirror.State{
		Key: jobKey, Local: mirror.Live(w.management.job.DeepCopy()), Mirror: mirror.Live(w.worker.job.DeepCopy()),
		Elsewhere: w.elsewhere, Worker: worker, Wanted: w.wanted, Now: w.now,
	}
}

// step plans once and carries the plan out, up to the first refusal.
func (w *world) step() mirror.Plan {
	w.t.Helper()
	plan := w.planner.Decide(w.state())
	defer w.worker.collect()
	for _, a := range plan.Actions {
		side := w.management
		if a.OnWorker() {
			side = w.worker
		}
		if reason := side.do(a); reason != "" {
			if !a.Tolerates(reason) {
				w.t.Errorf("%s: %s is an error", a, reason)
			}
			break
		}
	}
	return plan
}

// settle plans until nothing is left to do, and returns the actions that it took, and the last outcome.
func (w *world) settle() (kinds []mirror.ActionKind, last mirror.Outcome) {
	w.t.Helper()
	for range 20 {
		plan := w.step()
		last = plan.Outcome
		if len(plan.Actions) == 0 {
			return kinds, last
		}
		for _, a := range plan.Actions {
			kinds = append(kinds, a.Kind)
		}
	}
	w.t.Fatalf("the plans do not settle: %v", kinds)
	return nil, ""
}

// expect settles and compares.
func (w *world) expect(outcome mirror.Outcome, kinds ...mirror.ActionKind) {
	w.t.Helper()
	took, last := w.settle()
	if last != outcome || !slices.Equal(took, kinds) {
		w.t.Errorf("%v, then %s; want %v, then %s", took, last, kinds, outcome)
	}
}

func (w *world) pass(d time.Duration) { w.now = metav1.NewTime(w.now.Add(d)) }
