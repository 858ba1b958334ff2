// SPDX-License-Identifier: Apache-2.0

package diff_test

import (
	"maps"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/internal/oracle/ask"
	"github.com/managedby-dev/managedby/internal/oracle/wire"
	"github.com/managedby-dev/managedby/mirror"
)

// nameFields are where a server finds fault with a name, or with the label that it makes of it.
var nameFields = []string{"metadata.name", "metadata.namespace", "spec.template.labels", "spec.template.metadata.labels"}

// refusesName wants errors there and nowhere else.
func refusesName(errs []wire.Error) bool {
	return len(errs) > 0 && !slices.ContainsFunc(errs, func(e wire.Error) bool { return !slices.Contains(nameFields, e.Field) })
}

// checkRefused wants the server to refuse what Build refuses.
func (r *buildRun) checkRefused(cases []buildCase) {
	answers, err := r.management.AskLines(r.createLines(cases))
	if err != nil {
		r.Fatal(err)
	}
	for i, answer := range answers {
		if !refusesName(answer.Errors) {
			r.Errorf("Build says %v, and the server %v", cases[i].refusal, answer.Errors)
		}
		r.renamedToRefusal++
	}
}

func (r *buildRun) check(worker buildServer, c *buildCase, answer wire.Response) {
	r.creates++
	same := worker.Config == r.management.Config
	if !same && len(answer.Stored) > 0 && string(answer.Stored) == c.whole {
		r.taken++
		return
	}
	for _, e := range answer.Errors {
		if why, ok := explainRefusal(worker, r.management, e); ok {
			r.explained[worker.String()+" refuses "+why]++
		} else {
			r.Errorf("%s refuses: %s %s: %s\n%s", worker, e.Type, e.Field, e.Detail, ask.Job(c.mirror))
		}
	}
	if len(answer.Errors) > 0 {
		r.refused++
		return
	}
	r.taken++
	stored := decodeJob(r.T, answer.Stored)
	r.checkIdentity(*c, stored)
	if same {
		r.checkSpec(*c, stored)
	}
	losses := mirror.Lost(c.mirror, stored)
	if len(losses) == 0 {
		c.whole = string(answer.Stored)
	}
	for _, loss := range losses {
		if why, ok := explainLoss(worker, r.management, loss); ok {
			r.explained[worker.String()+" drops "+why]++
		} else {
			r.Errorf("%s: %v\n%s", worker, loss, ask.Job(c.mirror))
		}
	}
}

// checkIdentity wants the mirror to be ours, and the local UID in our own annotation alone.
func (r *buildRun) checkIdentity(c buildCase, m *batchv1.Job) {
	if relation := c.planner.Relate(mirror.Pair{Local: c.local, Remote: m}); relation != mirror.Ours {
		r.Errorf("the mirror is %q:\n%s", relation, ask.Job(m))
	}
	if n := strings.Count(string(ask.Job(m)), string(c.local.UID)); n != 1 || m.Annotations[buildUIDKey] != string(c.local.UID) {
		r.Errorf("the local UID %s is there %d times:\n%s", c.local.UID, n, ask.Job(m))
	}
}

// checkSpec compares what one server stores of a Job and of its mirror: there is no difference but
// those that are meant to be.
func (r *buildRun) checkSpec(c buildCase, stored *batchv1.Job) {
	want := c.local.Spec.DeepCopy()
	want.ManagedBy = c.planner.managedBy
	if !c.planner.keepTTL {
		want.TTLSecondsAfterFinished = nil
	}
	if !ptr.Deref(want.ManualSelector, false) {
		maps.Copy(want.Template.Labels, generatedLabels(stored))
		want.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"batch.kubernetes.io/controller-uid": string(stored.UID)}}
	}
	a, b := ask.Job(&batchv1.Job{Spec: *want}), ask.Job(&batchv1.Job{Spec: stored.Spec})
	if string(a) != string(b) {
		r.Errorf("the spec of the mirror (-local +mirror):\n%s", cmp.Diff(want, &stored.Spec))
	}
}

// checkKept wants the user's labels and annotations on the mirror, and those alone that are not left
// out: the generated ones of the local Job, and the marks of other tools.
func (r *buildRun) checkKept(c buildCase) {
	generated := generatedLabels(c.local)
	manual := ptr.Deref(c.local.Spec.ManualSelector, false)
	for key, value := range c.local.Labels {
		its, ok := generated[key]
		r.checkKey(key, value, c.mirror.Labels, ok && value == its && !manual || isMark(key, value))
	}
	for key, value := range c.local.Annotations {
		r.checkKey(key, value, c.mirror.Annotations, isMark(key, value))
	}
}

// generatedLabels are those that a server puts on the template of a Job without manualSelector.
func generatedLabels(job *batchv1.Job) map[string]string {
	uid, name := string(job.UID), job.Name
	return map[string]string{
		"controller-uid": uid, "batch.kubernetes.io/controller-uid": uid, "job-name": name, "batch.kubernetes.io/job-name": name,
	}
}

func (r *buildRun) checkKey(key, value string, in map[string]string, leftOut bool) {
	if got, ok := in[key]; ok == leftOut || ok && got != value {
		r.Errorf("%s=%q of the local Job: left out is %v, and the mirror has %q", key, value, leftOut, got)
	}
}

func isMark(key, value string) bool {
	return slices.ContainsFunc(mirror.DefaultDropKeys(), func(row mirror.DropKey) bool {
		return (row.Key == key || strings.HasSuffix(row.Key, "/") && strings.HasPrefix(key, row.Key)) && (row.Value == "" || row.Value == value)
	})
}

func (r *buildRun) report() {
	if r.accepted*2 < r.asked {
		r.Errorf("only %d of %d Jobs are accepted", r.accepted, r.asked)
	}
	r.Logf("%d Jobs, %d accepted (%.1f %%), %d mirrors, %d created (%d accepted, %d refused), %d names refused by both",
		r.asked, r.accepted, 100*float64(r.accepted)/float64(r.asked), r.built, r.creates, r.taken, r.refused, r.renamedToRefusal)
	for _, why := range sortedKeys(r.explained) {
		r.Logf("%7d times: %s", r.explained[why], why)
	}
}
