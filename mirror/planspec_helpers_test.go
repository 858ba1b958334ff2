// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/managedby-dev/managedby/internal/mergepatch"
	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/mirror"
)

const workerUID = types.UID("99999999-8888-7777-6666-555555555555")

// storedMirror returns a mirror as the worker's API server stores it.
func storedMirror(sent *batchv1.Job) *batchv1.Job {
	m := sent.DeepCopy()
	m.UID, m.ResourceVersion, m.Generation = workerUID, "100", 1
	if m.Spec.Selector == nil {
		m.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"batch.kubernetes.io/controller-uid": string(workerUID)}}
		if m.Spec.Template.Labels == nil {
			m.Spec.Template.Labels = map[string]string{}
		}
		maps.Copy(m.Spec.Template.Labels, map[string]string{
			"controller-uid": string(workerUID), "batch.kubernetes.io/controller-uid": string(workerUID),
			"job-name": m.Name, "batch.kubernetes.io/job-name": m.Name,
		})
	}
	return m
}

// patched returns what a worker stores of a merge patch. The patch has to carry the preconditions.
func patched(t testing.TB, remote *batchv1.Job, patch []byte) *batchv1.Job {
	t.Helper()
	var job, change map[string]any
	decodeNumbers(t, []byte(toJSON(t, remote)), &job)
	decodeNumbers(t, patch, &change)
	meta, _ := change["metadata"].(map[string]any)
	if meta["uid"] != string(remote.UID) || meta["resourceVersion"] != remote.ResourceVersion {
		t.Fatalf("the patch has no preconditions: %s", patch)
	}
	after := &batchv1.Job{}
	if err := json.Unmarshal([]byte(toJSON(t, mergepatch.Apply(job, change))), after); err != nil {
		t.Fatalf("%v in %s", err, patch)
	}
	version, _ := strconv.Atoi(remote.ResourceVersion)
	after.ResourceVersion = fmt.Sprint(version + 1)
	return after
}

func decodeNumbers(t testing.TB, data []byte, into any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
}

// changes returns a patch without preconditions and stamps, in JSON; "" if nothing is left.
func changes(t testing.TB, patch []byte) string {
	t.Helper()
	if patch == nil {
		return ""
	}
	var p map[string]any
	decodeNumbers(t, patch, &p)
	meta := p["metadata"].(map[string]any)
	delete(meta, "uid")
	delete(meta, "resourceVersion")
	if annotations, ok := meta["annotations"].(map[string]any); ok {
		delete(annotations, genKey)
		delete(annotations, sentKey)
		if len(annotations) == 0 {
			delete(meta, "annotations")
		}
	}
	if len(meta) == 0 {
		delete(p, "metadata")
	}
	if len(p) == 0 {
		return ""
	}
	return toJSON(t, p)
}

// told lists the differences but for those on purpose, as "Kind field".
func told(list []mirror.Difference) []string {
	var some []string
	for _, d := range list {
		if d.Kind == mirror.OnPurpose {
			continue
		}
		s := string(d.Kind) + " " + d.Field
		if d.Rule != "" {
			s += " " + string(d.Rule)
		}
		if d.Overrides {
			s += " overrides"
		}
		some = append(some, s)
	}
	return some
}

// byUser returns a copy of a Job that a user has changed.
func byUser(job *batchv1.Job, change func(*batchv1.Job)) *batchv1.Job {
	job = job.DeepCopy()
	change(job)
	job.Generation++
	return job
}

func parseRelease(t testing.TB, version string) jobmanagedby.Release {
	t.Helper()
	r, err := jobmanagedby.ParseRelease(version)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func onWorker(t testing.TB, version string) func(*mirror.Policy) {
	r := parseRelease(t, version)
	return func(p *mirror.Policy) { p.Worker = r }
}

// templateJob is a suspended Job with something in every field of the template that can change.
func templateJob(change ...func(*batchv1.Job)) *batchv1.Job {
	return storedJob(append([]func(*batchv1.Job){func(j *batchv1.Job) {
		suspended := true
		j.Spec.Suspend = &suspended
		j.Spec.Template.Labels["app"] = "x"
		j.Spec.Template.Annotations = map[string]string{"note": "x"}
		pod := &j.Spec.Template.Spec
		pod.NodeSelector = map[string]string{"disk": "ssd"}
		pod.Tolerations = []corev1.Toleration{{Key: "a", Operator: corev1.TolerationOpExists}, {Key: "b", Operator: corev1.TolerationOpExists}}
		pod.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/one"}}
	}}, change...)...)
}
