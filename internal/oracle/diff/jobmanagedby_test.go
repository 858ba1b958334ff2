// SPDX-License-Identifier: Apache-2.0

package diff_test

import (
	"encoding/json"
	"flag"
	"math/rand/v2"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/internal/oracle/ask"
	"github.com/managedby-dev/managedby/internal/oracle/wire"
	"github.com/managedby-dev/managedby/jobmanagedby"
)

var numNames = flag.Int("names", 2_000, "how many names each API server is asked about")

// TestNameAtCreate compares ValidateName, and Dropped with what is stored of a name.
func TestNameAtCreate(t *testing.T) {
	names := randomNames(t)
	requests := make([]wire.Request, len(names))
	for i, name := range names {
		requests[i] = wire.Request{Op: wire.Create, Stored: true, New: ask.Job(jobManagedBy(&name))}
	}
	forEachConfig(t, requests, func(t *testing.T, config ask.Config, answers []wire.Response) {
		honors := config.APIServer().HonorsManagedBy()
		for i, answer := range answers {
			var want field.ErrorList
			if honors {
				want = nameErrors(config, names[i])
			}
			compare(t, names[i], want, answer.Errors)
			if len(answer.Errors) > 0 {
				continue
			}
			var stored batchv1.Job
			if err := json.Unmarshal(answer.Stored, &stored); err != nil {
				t.Fatal(err)
			}
			if got := jobmanagedby.Dropped(jobManagedBy(&names[i]), &stored); got == honors {
				t.Errorf("%q: Dropped is %v, the gate %v", names[i], got, honors)
			}
		}
	})
}

// TestNameAtUpdate compares ValidateUpdate: every pair of names, good and bad, and none.
func TestNameAtUpdate(t *testing.T) {
	values := []*string{nil, ptr.To(jobmanagedby.JobController), ptr.To("a.example/b"), ptr.To("a.example/c"), ptr.To(""), ptr.To("A/")}
	var requests []wire.Request
	var pairs [][2]*batchv1.Job
	for _, o := range values {
		for _, n := range values {
			oldJob, newJob := jobManagedBy(o), jobManagedBy(n)
			pairs = append(pairs, [2]*batchv1.Job{oldJob, newJob})
			requests = append(requests, wire.Request{Op: wire.Update, Old: ask.Job(oldJob), New: ask.Job(newJob)})
		}
	}
	forEachConfig(t, requests, func(t *testing.T, config ask.Config, answers []wire.Response) {
		for i, answer := range answers {
			oldJob, newJob := pairs[i][0], pairs[i][1]
			var want field.ErrorList
			if newJob.Spec.ManagedBy != nil {
				want = nameErrors(config, *newJob.Spec.ManagedBy)
			}
			if minor(config) < 37 { // an update validates the spec twice there
				want = append(want, want...)
			}
			want = append(want, jobmanagedby.ValidateUpdate(newJob, oldJob)...)
			compare(t, jobmanagedby.ManagedBy(oldJob)+" to "+jobmanagedby.ManagedBy(newJob), want, answer.Errors)
		}
	})
}

// nameErrors are those of ValidateName, with the value that an older server gives with TooLong; newer
// ones leave it out.
func nameErrors(config ask.Config, name string) field.ErrorList {
	errs := jobmanagedby.ValidateName(name, field.NewPath("spec", "managedBy"))
	for _, err := range errs {
		if err.Type == field.ErrorTypeTooLong && minor(config) < 32 {
			err.BadValue = name
		}
	}
	return errs
}

func minor(config ask.Config) uint { return config.APIServer().Version.Minor() }

// randomNames are near the border of what is allowed: parts of names, put together at random.
func randomNames(t *testing.T) []string {
	t.Logf("seed %d, %d names", *seed, *numNames)
	parts := []string{"", "a", "B", "0", "-", ".", "/", "//", "%", "%2F", "_", " ", "é", "a.b", "example.com", strings.Repeat("x", 30), strings.Repeat("y", 63)}
	random := rand.New(rand.NewPCG(*seed, 0))
	names := make([]string, *numNames)
	for i := range names {
		for range random.IntN(7) {
			names[i] += parts[random.IntN(len(parts))]
		}
	}
	return names
}

func jobManagedBy(name *string) *batchv1.Job {
	labels := map[string]string{"app": "a"}
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: "j", Namespace: "n", UID: "u"},
		Spec: batchv1.JobSpec{
			ManagedBy:      name,
			ManualSelector: ptr.To(true),
			Selector:       &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{
					RestartPolicy: corev1.RestartPolicyNever,
					Containers:    []corev1.Container{{Name: "c", Image: "x"}},
				},
			},
		},
	}
}
