// SPDX-License-Identifier: Apache-2.0

package diff_test

import (
	"errors"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/mirror"
)

const bigKey = "example.com/big"

// annotations builds Jobs whose annotations leave little room for the identity, or none. What Build
// refuses the server refuses too, and nothing else.
func (r *buildRun) annotations() {
	var cases []buildCase
	refused := 0
	for room := 0; room < 1200; room += 31 {
		c := buildCase{planner: r.planners[0], local: jobWithRoom(room)}
		c.mirror, c.refusal = c.planner.Build(c.local)
		if c.refusal != nil {
			c.mirror = r.mirrorTooLarge(c)
			refused++
		}
		cases = append(cases, c)
	}
	answers, err := r.management.AskLines(r.createLines(cases))
	if err != nil {
		r.Fatal(err)
	}
	for i, answer := range answers {
		tooLarge := len(answer.Errors) == 1 && answer.Errors[0].Field == "metadata.annotations"
		if tooLarge != (cases[i].refusal != nil) {
			r.Errorf("annotations of %d bytes: Build says %v, the server that it is too large: %v", len(cases[i].local.Annotations[bigKey]), cases[i].refusal, tooLarge)
		}
	}
	if refused == 0 || refused == len(cases) {
		r.Errorf("%d of %d Jobs are too large", refused, len(cases))
	}
}

// jobWithRoom returns a Job with that many bytes left for annotations.
func jobWithRoom(room int) *batchv1.Job {
	big := strings.Repeat("x", apivalidation.TotalAnnotationSizeLimitB-len(bigKey)-room)
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: "j", Namespace: "n", UID: "u", Annotations: map[string]string{bigKey: big}},
		Spec: batchv1.JobSpec{
			ManagedBy: ptr.To(buildController),
			Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
				RestartPolicy: corev1.RestartPolicyNever,
				Containers:    []corev1.Container{{Name: "c", Image: "x"}},
			}},
		},
	}
}

// mirrorTooLarge returns the mirror that Build refuses for its size: that of the same Job without the
// large annotation, and with it again. The last-sent record, which Build leaves out before it refuses,
// is not in it.
func (r *buildRun) mirrorTooLarge(c buildCase) *batchv1.Job {
	var tooLarge *mirror.TooLargeError
	if !errors.As(c.refusal, &tooLarge) {
		r.Fatal(c.refusal)
	}
	small := c.local.DeepCopy()
	delete(small.Annotations, bigKey)
	job, err := c.planner.Build(small)
	if err != nil {
		r.Fatal(err)
	}
	delete(job.Annotations, "acme.io/mirror-last-sent")
	job.Annotations[bigKey] = c.local.Annotations[bigKey]
	return job
}
