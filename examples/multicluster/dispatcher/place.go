// SPDX-License-Identifier: Apache-2.0

package dispatcher

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/types"
)

// WorkerAnnotation on a local Job says on which worker it is to run: its name, or [Nowhere]. A change moves
// the Job, which starts from the beginning. Without it the dispatcher chooses.
const (
	WorkerAnnotation = "dispatcher.example.com/worker"
	Nowhere          = "none"
)

// place says on which worker a Job is to run, and answers the empty string for none. A Job stays where it
// was sent. A new one goes to the worker with the fewest mirrors of those that answer.
func place(local *batchv1.Job, sent string, workers []*Worker) string {
	switch pinned := local.Annotations[WorkerAnnotation]; {
	case pinned == Nowhere:
		return ""
	case pinned != "":
		return pinned
	case sent != "":
		return sent
	}
	candidates := slices.DeleteFunc(slices.Clone(workers), func(w *Worker) bool { return !w.Up() })
	if len(candidates) == 0 {
		return ""
	}
	return slices.MinFunc(candidates, func(a, b *Worker) int {
		return cmp.Or(cmp.Compare(a.Load(), b.Load()), cmp.Compare(rank(local.UID, a.Name), rank(local.UID, b.Name)))
	}).Name
}

// rank spreads Jobs over workers with the same load.
func rank(uid types.UID, worker string) uint64 {
	sum := sha256.Sum256([]byte(worker + "/" + string(uid)))
	return binary.BigEndian.Uint64(sum[:])
}
