// SPDX-License-Identifier: Apache-2.0

package statusvalidate_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/managedby-dev/managedby/statusvalidate"
)

// TestUncountedPods compares with a plain reading of the rule for lists of every length up to some
// beyond that from which ids are looked up in a set, with one entry spoiled in each place.
func TestUncountedPods(t *testing.T) {
	for n := range 80 {
		succeeded, failed := podList("s", n/2), podList("f", n-n/2)
		checkPods(t, succeeded, failed)
		for i := range n {
			for _, spoilt := range []types.UID{"", "s-0", "f-1"} {
				s, f := podList("s", n/2), podList("f", n-n/2)
				if i < len(s) {
					s[i] = spoilt
				} else {
					f[i-len(s)] = spoilt
				}
				checkPods(t, s, f)
			}
		}
	}
}

func podList(prefix string, n int) (ids []types.UID) {
	for i := range n {
		ids = append(ids, types.UID(fmt.Sprintf("%s-%d", prefix, i)))
	}
	return ids
}

func checkPods(t *testing.T, succeeded, failed []types.UID) {
	t.Helper()
	var want []string
	seen := map[types.UID]bool{}
	for list, ids := range [][]types.UID{succeeded, failed} {
		for i, id := range ids {
			field := fmt.Sprintf("status.uncountedTerminatedPods.%s[%d]", []string{"succeeded", "failed"}[list], i)
			switch {
			case id == "":
				want = append(want, "FieldValueInvalid "+field)
			case seen[id]:
				want = append(want, "FieldValueDuplicate "+field)
			}
			seen[id] = true
		}
	}
	c := statusvalidate.Change{Old: &batchv1.Job{}, New: &batchv1.Job{}}
	c.New.Status.UncountedTerminatedPods = &batchv1.UncountedTerminatedPods{Succeeded: succeeded, Failed: failed}
	got := typesAndFields(newest.Validate(c).ErrorList())
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("succeeded %q, failed %q (-want +got):\n%s", succeeded, failed, diff)
	}
}
