// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"encoding/json"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/managedby-dev/managedby/mirror"
)

// TestTimesThatJSONCannotHave: what is written can be read again. A time of a year that RFC 3339 does not have can
// come from an API server that answers in protobuf, and no API server takes it.
func TestTimesThatJSONCannotHave(t *testing.T) {
	first, last := time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
	for _, test := range []struct {
		at   time.Time
		want mirror.StatusOutcome
	}{
		{first.Add(-time.Second), mirror.Invalid},
		{first, mirror.Copied},
		{last, mirror.Copied},
		{last.Add(time.Second), mirror.Invalid},
		{last.Add(time.Second).In(time.FixedZone("", -3600)), mirror.Invalid},
	} {
		at := metav1.NewTime(test.at)
		for field, status := range map[string]batchv1.JobStatus{
			"startTime":          {StartTime: &at},
			"lastProbeTime":      {Conditions: []batchv1.JobCondition{{Type: "a.io/b", Status: corev1.ConditionTrue, LastProbeTime: at}}},
			"lastTransitionTime": {Conditions: []batchv1.JobCondition{{Type: "a.io/b", Status: corev1.ConditionTrue, LastTransitionTime: at}}},
			"completionTime": {StartTime: &metav1.Time{Time: first}, CompletionTime: &at, Succeeded: 1, Conditions: []batchv1.JobCondition{
				{Type: batchv1.JobSuccessCriteriaMet, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Unix(9, 0)},
				{Type: batchv1.JobComplete, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Unix(9, 0)},
			}},
		} {
			plan := mirror.ProjectStatus(mirror.Pair{Local: &batchv1.Job{}, Remote: &batchv1.Job{Status: status}}, mirror.StatusOptions{Now: metav1.Unix(10, 0)})
			want := test.want
			if field == "completionTime" && test.at.Before(first) { // raised to startTime, which can be written
				want = mirror.Copied
			}
			if plan.Outcome != want || (plan.Status == nil) != (want == mirror.Invalid) {
				t.Errorf("%s %v: %s, want %s", field, at, plan, want)
			}
			if data, err := json.Marshal(plan.Status); err != nil || json.Unmarshal(data, &batchv1.JobStatus{}) != nil {
				t.Errorf("%s %v: nothing can read %s", field, at, data)
			}
		}
	}
}
