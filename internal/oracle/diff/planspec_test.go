// SPDX-License-Identifier: Apache-2.0

package diff_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/internal/mergepatch"
	"github.com/managedby-dev/managedby/internal/oracle/ask"
	"github.com/managedby-dev/managedby/internal/oracle/jobspec"
	"github.com/managedby-dev/managedby/internal/oracle/wire"
	"github.com/managedby-dev/managedby/mirror"
)

var (
	specs    = flag.Int("specs", 1000, "Jobs that TestPlanSpec gives to each worker release")
	specSeed = flag.Uint64("spec-seed", 1, "seed of TestPlanSpec")
)

// TestPlanSpec gives random Jobs to a management release and their mirrors to a worker; lets the user
// change the Job, as the management release accepts it, and the worker the mirror; and plans. The
// worker accepts every patch, and a plan made of what it stores then has nothing more to write. It
// refuses each change that is Immutable or NotYet when it is sent alone.
func TestPlanSpec(t *testing.T) {
	servers := slices.DeleteFunc(buildServers(t), func(s buildServer) bool { return s.minor == alpha })
	newest := servers[len(servers)-1]
	t.Logf("seed %d, %d Jobs for each worker release", *specSeed, *specs)
	for i, worker := range servers {
		t.Run(worker.String(), func(t *testing.T) {
			run := specRun{T: t, g: jobspec.New(*specSeed*1000 + uint64(i)), worker: worker, seen: map[string]int{}}
			for run.asked < *specs && !t.Failed() {
				for _, management := range []buildServer{worker, newest} {
					run.batch(management, min(*specs-run.asked, 250))
				}
			}
			run.report(*specs >= 1000)
		})
	}
}

type specRun struct {
	*testing.T
	g      *jobspec.Generator
	worker buildServer

	asked, planned, patched, refused int
	seen                             map[string]int // differences, by kind and field and by kind and rule
}

// specCase is a Job and its mirror on the way through a batch.
type specCase struct {
	planner       *mirror.Planner
	local, remote *batchv1.Job
	plan          mirror.SpecPlan
}

func (r *specRun) batch(management buildServer, n int) {
	r.asked += n
	cases := r.create(management, n)
	cases = r.change(management, cases)
	r.planned += len(cases)
	for i := range cases {
		c := &cases[i]
		c.plan = c.planner.PlanSpec(mirror.Pair{Local: c.local, Remote: c.remote})
		for _, d := range c.plan.Differences {
			r.seen[string(d.Kind)+" "+withoutIndexes(d.Field)]++
			if d.Rule != "" {
				r.seen[string(d.Kind)+" "+string(d.Rule)]++
			}
		}
	}
	r.checkPatches(cases)
	r.checkRefused(cases)
}

// must asks one server.
func (r *specRun) must(server buildServer, requests []wire.Request) []wire.Response {
	answers, err := server.Ask(requests)
	if err != nil {
		r.Fatal(err)
	}
	return answers
}

func (r *specRun) create(management buildServer, n int) (cases []specCase) {
	requests := make([]wire.Request, n)
	for i := range requests {
		job := r.g.Job(buildController)
		if r.g.IntN(2) == 0 {
			job.Spec.Suspend = ptr.To(true)
		}
		requests[i] = wire.Request{Op: wire.Create, Stored: true, New: ask.Job(job)}
	}
	var mirrors []wire.Request
	for _, answer := range r.must(management, requests) {
		if len(answer.Errors) > 0 || answer.Failure != "" {
			continue
		}
		c := specCase{planner: r.planner(), local: decodeJob(r.T, answer.Stored)}
		c.local.ResourceVersion, c.local.Generation = "1", 1
		sent, err := c.planner.Build(c.local)
		if err != nil {
			continue // the name is too long for a Job with that many indexes
		}
		sent.UID, sent.CreationTimestamp = r.g.UID(), c.local.CreationTimestamp
		cases = append(cases, c)
		mirrors = append(mirrors, wire.Request{Op: wire.Create, Stored: true, New: ask.Job(sent)})
	}
	var created []specCase
	for i, answer := range r.must(r.worker, mirrors) {
		if len(answer.Errors) == 0 && answer.Failure == "" {
			cases[i].remote = decodeJob(r.T, answer.Stored)
			created = append(created, cases[i])
		}
	}
	return created
}

func (r *specRun) planner() *mirror.Planner {
	policy := mirror.Policy{Controller: buildController, Origin: "mgmt-1", Worker: r.worker.APIServer(), KeepTTL: r.g.IntN(2) == 0}
	if r.g.IntN(4) == 0 {
		policy.Suspend = mirror.SuspendAtCreation
	}
	if r.g.IntN(4) == 0 {
		policy.Target = func(*batchv1.Job) types.NamespacedName { return types.NamespacedName{Name: strings.Repeat("m", 60)} }
	}
	p, err := mirror.New(policy)
	if err != nil {
		r.Fatal(err)
	}
	return p
}

// change lets the worker and the user change their Jobs. Cases in which a server does not take that
// are dropped.
func (r *specRun) change(management buildServer, cases []specCase) []specCase {
	var byUser, byWorker []wire.Request
	for i := range cases {
		c := &cases[i]
		r.status(c.remote)
		c.remote.ResourceVersion = "1"
		for range r.g.IntN(3) {
			workerEdits[r.g.IntN(len(workerEdits))](r.g, c.remote)
		}
		byWorker = append(byWorker, wire.Request{Op: wire.Update, Old: ask.Job(c.remote), New: ask.Job(c.remote)})
		changed := c.local.DeepCopy()
		for range 1 + r.g.IntN(4) {
			userEdits[r.g.IntN(len(userEdits))](r.g, changed)
		}
		byUser = append(byUser, wire.Request{Op: wire.Update, Stored: true, Old: ask.Job(c.local), New: ask.Job(changed)})
	}
	var changed []specCase
	valid, accepted := r.must(r.worker, byWorker), r.must(management, byUser)
	for i, c := range cases {
		if len(valid[i].Errors)+len(accepted[i].Errors) == 0 && valid[i].Failure+accepted[i].Failure == "" {
			c.local = decodeJob(r.T, accepted[i].Stored)
			changed = append(changed, c)
		}
	}
	return changed
}

// status gives a mirror some state of a run.
func (r *specRun) status(job *batchv1.Job) {
	if r.g.IntN(2) == 0 {
		job.Status.StartTime = &job.CreationTimestamp
	}
	if r.g.IntN(2) == 0 {
		job.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobSuspended, Status: corev1.ConditionTrue}}
	}
	if r.g.IntN(4) == 0 {
		job.Status.Active = 1
	}
}

// checkPatches carries the plans out, twice where something waits for the suspend.
func (r *specRun) checkPatches(cases []specCase) {
	for again := range 3 {
		var open []specCase
		var requests []wire.Request
		for _, c := range cases {
			if c.plan.Patch != nil {
				open = append(open, c)
				requests = append(requests, wire.Request{Op: wire.Update, Stored: true, Old: ask.Job(c.remote), New: r.merged(c)})
			}
		}
		if again == 2 {
			if len(open) > 0 {
				r.Fatalf("still something to send: %s\n%v\nlocal %s\nremote %s", open[0].plan.Patch, open[0].plan, ask.Job(open[0].local), ask.Job(open[0].remote))
			}
			return
		}
		for i, answer := range r.must(r.worker, requests) {
			c := &open[i]
			r.patched++
			if len(answer.Errors) > 0 || answer.Failure != "" {
				r.Fatalf("%s refuses %s: %v %s\nlocal %s\nremote %s", r.worker, c.plan.Patch, answer.Errors, answer.Failure, ask.Job(c.local), ask.Job(c.remote))
			}
			waits := slices.ContainsFunc(c.plan.Differences, func(d mirror.Difference) bool { return d.Rule == mirror.TemplateNotSuspended })
			c.remote = decodeJob(r.T, answer.Stored)
			c.plan = c.planner.PlanSpec(mirror.Pair{Local: c.local, Remote: c.remote})
			if c.plan.Patch != nil && !waits {
				r.Fatalf("planned again: %s\n%v\nremote %s", c.plan.Patch, c.plan, ask.Job(c.remote))
			}
		}
		cases = open
	}
}

// merged applies the plan's merge patch.
func (r *specRun) merged(c specCase) []byte {
	var job, patch map[string]any
	if err := decodeNumbers(ask.Job(c.remote), &job); err != nil {
		r.Fatal(err)
	}
	if err := decodeNumbers(c.plan.Patch, &patch); err != nil {
		r.Fatal(err)
	}
	data, err := json.Marshal(mergepatch.Apply(job, patch))
	if err != nil {
		r.Fatal(err)
	}
	return data
}

func decodeNumbers(data []byte, into any) error {
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.UseNumber()
	return d.Decode(into)
}

// checkRefused sends each change alone that a plan says cannot be sent.
func (r *specRun) checkRefused(cases []specCase) {
	var requests []wire.Request
	var what []string
	for _, c := range cases {
		for _, d := range append(c.plan.Of(mirror.Immutable), c.plan.Of(mirror.NotYet)...) {
			if alone := c.remote.DeepCopy(); sendAlone(r.T, alone, c.local, d) {
				requests = append(requests, wire.Request{Op: wire.Update, Old: ask.Job(c.remote), New: ask.Job(alone)})
				what = append(what, fmt.Sprintf("%v\nremote %s", d, ask.Job(c.remote)))
			}
		}
	}
	for i, answer := range r.must(r.worker, requests) {
		r.refused++
		if len(answer.Errors) == 0 {
			r.Errorf("%s accepts %s", r.worker, what[i])
		}
	}
}

var (
	keyed     = regexp.MustCompile(`^spec\.template\.(metadata\.labels|metadata\.annotations|spec\.nodeSelector)\[(.*)\]$`)
	container = regexp.MustCompile(`^spec\.template\.spec\.(containers|initContainers)\[(.*)\]\.resources$`)
)

// sendAlone makes one change. It returns false for those that are only refused with others, and for a
// resume, which waits for others.
func sendAlone(t *testing.T, remote, local *batchv1.Job, d mirror.Difference) bool {
	from, to := &local.Spec.Template, &remote.Spec.Template
	switch key, list := keyed.FindStringSubmatch(d.Field), container.FindStringSubmatch(d.Field); {
	case d.Rule == mirror.IndexLimits || d.Field == "spec.suspend":
		return false
	case d.Rule == mirror.HostNameTooLong:
		remote.Spec.Parallelism, remote.Spec.Completions = local.Spec.Parallelism, local.Spec.Completions
	case d.Field == "spec.completions":
		remote.Spec.Completions = local.Spec.Completions
	case key != nil:
		fields := map[string]*map[string]string{"metadata.labels": &to.Labels, "metadata.annotations": &to.Annotations, "spec.nodeSelector": &to.Spec.NodeSelector}
		sendKey(t, fields[key[1]], key[2], d.Local)
	case list != nil:
		containers := map[string][2][]corev1.Container{"containers": {from.Spec.Containers, to.Spec.Containers}, "initContainers": {from.Spec.InitContainers, to.Spec.InitContainers}}[list[1]]
		named := func(c corev1.Container) bool { return c.Name == list[2] }
		containers[1][slices.IndexFunc(containers[1], named)].Resources = containers[0][slices.IndexFunc(containers[0], named)].Resources
	case strings.HasSuffix(d.Field, "nodeAffinity"):
		affinity := ptr.Deref(to.Spec.Affinity, corev1.Affinity{})
		affinity.NodeAffinity = ptr.Deref(from.Spec.Affinity, corev1.Affinity{}).NodeAffinity
		to.Spec.Affinity = &affinity
	case strings.HasSuffix(d.Field, "tolerations"):
		to.Spec.Tolerations = from.Spec.Tolerations
	case strings.HasSuffix(d.Field, "schedulingGates"):
		to.Spec.SchedulingGates = from.Spec.SchedulingGates
	default:
		t.Errorf("no way to send %v alone", d)
		return false
	}
	return true
}

func sendKey(t *testing.T, m *map[string]string, key, value string) {
	if value == "" {
		delete(*m, key)
		return
	}
	var text string
	if err := json.Unmarshal([]byte(value), &text); err != nil {
		t.Fatal(err)
	}
	*m = maps.Clone(*m)
	if *m == nil {
		*m = map[string]string{}
	}
	(*m)[key] = text
}

func (r *specRun) report(complete bool) {
	r.Logf("%d Jobs, %d plans, %d patches accepted, %d changes refused alone", r.asked, r.planned, r.patched, r.refused)
	for _, what := range sortedKeys(r.seen) {
		if !strings.HasPrefix(what, "Ours") && !strings.HasPrefix(what, "SetByWorker") {
			r.Logf("%7d times: %s", r.seen[what], what)
		}
	}
	if !complete {
		return
	}
	want := []string{
		"ToSend spec.suspend", "ToSend spec.parallelism", "ToSend spec.completions", "ToSend spec.activeDeadlineSeconds", "ToSend spec.backoffLimit",
		"ToSend spec.maxFailedIndexes", "ToSend spec.podReplacementPolicy", "ToSend spec.ttlSecondsAfterFinished",
		"ToSend metadata.labels", "ToSend metadata.annotations", "ToSend spec.template.metadata.labels", "ToSend spec.template.metadata.annotations",
		"ToSend spec.template.spec.nodeSelector", "ToSend spec.template.spec.tolerations", "ToSend spec.template.spec.schedulingGates",
		"ToSend spec.template.spec.affinity.nodeAffinity",
	}
	if r.worker.minor >= 36 {
		want = append(want, "ToSend spec.template.spec.containers.resources", "NotYet TemplateActivePods", "NotYet TemplateNotYetReported", "NotYet spec.suspend")
	} else {
		want = append(want, "Immutable TemplateStarted", "Immutable ResourcesImmutable")
	}
	for _, what := range want {
		if r.seen[what] == 0 {
			r.Errorf("never seen: %s", what)
		}
	}
}
