// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"context"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/managedby-dev/managedby/examples/multicluster/fleet"
	"github.com/managedby-dev/managedby/examples/multicluster/jobs"
)

// The built-in controller of the management cluster makes no pods for a Job that is ours, and runs the one
// that is not.
func TestBuiltInController(t *testing.T) {
	for _, pair := range releasePairs() {
		t.Run(pair.management, func(t *testing.T) {
			f := sharedFleet(t, pair.management, pair.worker)
			run(t, f, nil)
			management, h := admin(t, f.Management), &hand{t: t}
			createAll(t, management, jobs.New("builtin-ours", jobs.Pods(2, 2)), jobs.New("builtin-theirs", jobs.Unmanaged, jobs.Pods(2, 2)))
			h.waitIs(management, "builtin-ours", batchv1.JobComplete)
			h.waitIs(management, "builtin-theirs", batchv1.JobComplete)
			time.Sleep(time.Second)
			if n := podsOf(t, management, "builtin-ours"); n != 0 {
				t.Errorf("the management cluster has %d pods of a Job that is ours", n)
			}
			if n := podsOf(t, management, "builtin-theirs"); n != 2 {
				t.Errorf("the management cluster has %d pods of the Job that is not ours, want 2", n)
			}
			for _, w := range f.Workers {
				if find(t, admin(t, w), "builtin-theirs") != nil {
					t.Errorf("%s has the Job that is not ours", w.Name)
				}
			}
		})
	}
}

func podsOf(t *testing.T, c client.Client, job string) int {
	t.Helper()
	pods := &corev1.PodList{}
	must(t, c.List(t.Context(), pods, client.InNamespace(fleet.Namespace), client.MatchingLabels{batchv1.JobNameLabel: job}))
	return len(pods.Items)
}

// runningPods are those that have not ended.
func runningPods(c client.Client, job string) int {
	pods, n := &corev1.PodList{}, 0
	_ = c.List(context.Background(), pods, client.InNamespace(fleet.Namespace), client.MatchingLabels{batchv1.JobNameLabel: job})
	for _, pod := range pods.Items {
		if pod.Status.Phase != corev1.PodSucceeded && pod.Status.Phase != corev1.PodFailed {
			n++
		}
	}
	return n
}
