// SPDX-License-Identifier: Apache-2.0

package dispatcher

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func worker(name string, up bool, load int64) *Worker {
	w := &Worker{Name: name}
	w.up.Store(up)
	w.load.Store(load)
	return w
}

func TestPlace(t *testing.T) {
	a, b := worker("a", true, 5), worker("b", true, 3)
	for _, test := range []struct {
		name, pinned, sent string
		workers            []*Worker
		want, why          string
	}{
		{"least loaded", "", "", []*Worker{a, b}, "b", "it has fewer mirrors"},
		{"sticky", "", "a", []*Worker{a, b}, "a", "it was sent there"},
		{"sticky on a worker that is gone", "", "c", []*Worker{a, b}, "c", "nobody knows whether it runs there"},
		{"pinned", "a", "", []*Worker{a, b}, "a", "the user says so"},
		{"moved", "b", "a", []*Worker{a, b}, "b", "the user says so"},
		{"nowhere", Nowhere, "a", []*Worker{a, b}, "", "the user says so"},
		{"down", "", "", []*Worker{a, worker("b", false, 0)}, "a", "b does not answer"},
		{"all down", "", "", []*Worker{worker("a", false, 0)}, "", "no worker answers"},
		{"none", "", "", nil, "", "there is no worker"},
	} {
		t.Run(test.name, func(t *testing.T) {
			job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{UID: "u", Annotations: map[string]string{}}}
			if test.pinned != "" {
				job.Annotations[WorkerAnnotation] = test.pinned
			}
			if got := place(job, test.sent, test.workers); got != test.want {
				t.Errorf("place = %q, want %q: %s", got, test.want, test.why)
			}
		})
	}
}

// Jobs that arrive faster than the cache counts their mirrors do not all go to one worker.
func TestPlaceSpreads(t *testing.T) {
	workers, count := []*Worker{worker("a", true, 0), worker("b", true, 0)}, map[string]int{}
	for i := range 1000 {
		job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{UID: types.UID(rune('a' + i))}}
		count[place(job, "", workers)]++
	}
	if count["a"] < 400 || count["b"] < 400 {
		t.Errorf("of 1000 Jobs %v", count)
	}
}
