// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/mirror"
)

// The API server refuses annotations of more than 256 KiB. The server of a world does, too, and fails the test.

// lastApplied is an annotation that takes room on the local Job alone.
func lastApplied(size int) mod {
	return annotate("kubectl.kubernetes.io/last-applied-configuration", strings.Repeat("x", size))
}

// fillUp leaves so many bytes for other annotations.
func fillUp(free int) mod {
	return func(j *batchv1.Job) {
		lastApplied(0)(j)
		lastApplied(annotationLimit - annotationSize(j) - free)(j)
	}
}

// TestRoomForRecord: a Job is dispatched only if there is room for all that its dispatch record may become, and runs
// to its end then.
func TestRoomForRecord(t *testing.T) {
	refused, ran := 0, 0
	for free := 120; ran < 120; free++ {
		w := newWorld(t)
		w.management.job.UID = "d2b0f1a2-5a38-4a0e-9d0c-0d0b6a3f7c11"
		w.management.touch(fillUp(free))
		if _, last := w.settle(); last == mirror.Refused {
			refused++
			continue
		}
		w.worker.job.UID = "5f0c6f0e-5a38-4a0e-9d0c-0d0b6a3f7c11" // as long as they are
		w.worker.touch(start(1), active(2))
		w.settle()
		if got := w.management.job.Annotations[dispatchKey]; !strings.Contains(got, string(w.worker.job.UID)) {
			t.Errorf("%d bytes free: %s", free, got)
		}
		w.wanted = false
		w.step()
		if got := w.management.job.Annotations[dispatchKey]; !strings.Contains(got, `"evicting":true`) {
			t.Errorf("%d bytes free: %s", free, got)
		}
		if size := annotationSize(w.management.job); ran == 0 && size != annotationLimit {
			t.Errorf("the first that is dispatched takes %d bytes in the end, and could take %d", size, annotationLimit)
		}
		ran++
	}
	if refused == 0 {
		t.Error("it should begin with some that are refused")
	}
}

// TestRoomTakenLater: where annotations have taken the room since, a result arrives all the same, and no mirror that we
// delete counts as lost.
func TestRoomTakenLater(t *testing.T) {
	finish := func(w *world) {
		w.worker.touch(active(0), end(20), succeeded(4), is(complete, 20), is(criteriaMet, 20))
	}
	for name, policy := range map[string]func(*mirror.Policy){"recreate": func(*mirror.Policy) {}, "fail": failJob, "hold": hold} {
		w := newWorld(t, policy)
		w.expectStep(addFinalizer)
		w.expectStep(claim, create)
		w.worker.touch(start(1), active(2))
		w.management.touch(fillUp(0))
		finish(w)
		w.settle()
		if !hasAny(w.management.job, complete) || w.worker.job != nil {
			t.Errorf("%s: %+v", name, w.management.job.Status)
		}
	}
	w := newWorld(t, failJob)
	w.settle()
	w.worker.touch(start(1), active(2))
	w.settle()
	w.management.touch(fillUp(0))
	w.wanted = false
	if plan := w.step(); plan.Outcome != mirror.Refused || w.worker.job.DeletionTimestamp != nil {
		t.Errorf("evicted, to be taken for lost: %s", plan)
	}
	w.management.touch(lastApplied(0))
	w.settle()
	w.worker.podsGone()
	w.settle()
	w.wanted = true
	w.pass(time.Hour)
	w.settle()
	if hasAny(w.management.job, failedJob) || w.worker.creates != 2 {
		t.Errorf("created %d times, %+v", w.worker.creates, w.management.job.Status)
	}
}

// TestRoomForMark: whatever is built or sent leaves room for the mark of a held mirror, so that it can be let go.
func TestRoomForMark(t *testing.T) {
	p := planner(t, hold)
	mark := len(holdFinalizer) + len("draining")
	built := 0
	for size := annotationLimit; built < 150; size-- {
		local := withMods(storedJob(), annotate("a", strings.Repeat("x", size)))
		object, errObject := p.BuildObject(jobKind(t), asObject(t, local))
		job, err := p.Build(local)
		if (err == nil) != (errObject == nil) {
			t.Fatalf("%d: Build %v, BuildObject %v", size, err, errObject)
		}
		tooLarge, tooLargeObject := (*mirror.TooLargeError)(nil), (*mirror.TooLargeError)(nil)
		if errors.As(err, &tooLarge) && (!errors.As(errObject, &tooLargeObject) || *tooLarge != *tooLargeObject || tooLarge.Size <= annotationLimit) {
			t.Fatalf("%d: Build %v, BuildObject %v", size, err, errObject)
		}
		if err == nil {
			built++
			if a, b := annotationSize(job), annotationSize(object); a+mark > annotationLimit || a != b {
				t.Fatalf("%d: %d and %d bytes", size, a, b)
			}
		}
	}
	sent := 0
	for free := 0; sent < 50; free += 3 {
		local := storedJob()
		m := storedMirror(build(t, p, local))
		local.Generation++
		annotate("a", strings.Repeat("x", annotationLimit-annotationSize(m)-free))(local)
		plan := p.PlanSpec(mirror.Pair{Local: local, Remote: m})
		after := patched(t, m, plan.Patch)
		if annotationSize(after)+mark > annotationLimit {
			t.Fatalf("%d: %d bytes", free, annotationSize(after))
		}
		if after.Annotations["a"] != "" {
			sent++
		}
		if after.Annotations[sentKey] == "" {
			t.Fatalf("%d: an annotation has pushed out what was sent", free)
		}
	}
	for free := range 100 { // the worker has filled the mirror
		local := storedJob()
		m := storedMirror(build(t, p, local))
		local.Generation++
		local.Labels = map[string]string{"team": "physics"} // makes the record longer
		m.Annotations["w"] = strings.Repeat("w", annotationLimit-annotationSize(m)-mark-free)
		if after := patched(t, m, p.PlanSpec(mirror.Pair{Local: local, Remote: m}).Patch); annotationSize(after)+mark > annotationLimit {
			t.Fatalf("%d: %d bytes", free, annotationSize(after))
		}
	}
}

// TestSuspendAfterLargeAnnotation: an annotation that fills the mirror does not keep a suspension from it.
func TestSuspendAfterLargeAnnotation(t *testing.T) {
	p := planner(t)
	for free := 0; free < 1000; free += 50 {
		local := storedJob()
		m := storedMirror(build(t, p, local))
		local.Generation++
		annotate("a", strings.Repeat("x", annotationLimit-annotationSize(m)-free))(local)
		m = patched(t, m, p.PlanSpec(mirror.Pair{Local: local, Remote: m}).Patch)
		local.Generation++
		local.Spec.Suspend = ptr.To(true)
		if m = patched(t, m, p.PlanSpec(mirror.Pair{Local: local, Remote: m}).Patch); !*m.Spec.Suspend {
			t.Errorf("%d bytes free: not suspended", free)
		}
	}
}

// TestShortRecord: the room that is kept for a record of what was sent is enough for the longest without its maps.
func TestShortRecord(t *testing.T) {
	p := planner(t, func(p *mirror.Policy) { p.KeepTTL = true })
	most := ptr.To[int32](math.MaxInt32)
	local := storedJob(func(j *batchv1.Job) {
		j.Spec.Parallelism, j.Spec.Completions, j.Spec.BackoffLimit, j.Spec.MaxFailedIndexes, j.Spec.TTLSecondsAfterFinished = most, most, most, most, most
		j.Spec.ActiveDeadlineSeconds, j.Spec.Suspend = ptr.To[int64](math.MaxInt64), ptr.To(false)
		j.Spec.PodReplacementPolicy = ptr.To(batchv1.TerminatingOrFailed)
		for i := range 2000 {
			annotate(fmt.Sprintf("example.com/%d", i), "a value")(j)
		}
	})
	m, err := p.BuildSpent(local, math.MaxInt64/2)
	if err != nil {
		t.Fatal(err)
	}
	longest := len(m.Annotations[sentKey]) + len(`,"pending":true`)
	if t.Logf("%d bytes", longest); longest > 512 || !strings.Contains(m.Annotations[sentKey], `"digest":`) {
		t.Errorf("%d bytes: %s", longest, m.Annotations[sentKey])
	}
}
