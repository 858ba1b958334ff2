// SPDX-License-Identifier: Apache-2.0

package diff_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/managedby-dev/managedby/internal/oracle/ask"
	"github.com/managedby-dev/managedby/internal/oracle/jobspec"
	"github.com/managedby-dev/managedby/internal/oracle/wire"
	"github.com/managedby-dev/managedby/mirror"
)

var (
	builds    = flag.Int("builds", 500, "Jobs that TestBuild gives to each management release")
	buildSeed = flag.Uint64("build-seed", 1, "seed of TestBuild")
)

// TestBuild gives random Jobs to a management release and builds the mirror of each that it stores.
// The mirror has to be accepted by the same release, which keeps all of it, and by all others, but
// for fields and values that are newer than they are.
func TestBuild(t *testing.T) {
	servers := buildServers(t)
	planners := buildPlanners(t)
	cover := coverage{}
	t.Logf("seed %d, %d Jobs for each management release", *buildSeed, *builds)
	for i, management := range servers {
		t.Run(management.String(), func(t *testing.T) {
			g := jobspec.New(*buildSeed*1000 + uint64(i))
			r := buildRun{T: t, g: g, planners: planners, management: management, workers: servers, cover: cover, explained: map[string]int{}}
			for r.asked < *builds && !t.Failed() {
				r.batch(min(*builds-r.asked, 500))
			}
			r.annotations()
			r.report()
		})
	}
	cover.report(t, *builds >= 500)
}

// buildRun counts what happens to the Jobs of one management release.
type buildRun struct {
	*testing.T
	g          *jobspec.Generator
	planners   []buildPlanner
	management buildServer
	workers    []buildServer
	cover      coverage

	asked, accepted  int            // Jobs, by the management release
	built, creates   int            // calls of Build that gave a mirror, and creates of mirrors
	refused, taken   int            // creates on another release
	renamedToRefusal int            // targets that Build refuses, and the server too
	explained        map[string]int // why a release refused a mirror or did not keep all of it
}

// buildCase is a mirror and the Job that it was built from.
type buildCase struct {
	planner       buildPlanner
	local, mirror *batchv1.Job
	whole         string // the mirror as somebody has stored it who lost nothing
	refusal       error  // of Build; mirror is then what it refused to return
}

func (r *buildRun) batch(n int) {
	var cases, refused []buildCase
	for _, local := range r.store(n) {
		c := r.build(local)
		if c.refusal != nil {
			refused = append(refused, c)
		} else {
			cases = append(cases, c)
		}
	}
	r.checkRefused(refused)
	lines := r.createLines(cases)
	for _, worker := range r.workers {
		answers, err := worker.AskLines(lines)
		if err != nil {
			r.Fatal(err)
		}
		for i, answer := range answers {
			r.check(worker, &cases[i], answer)
		}
	}
}

// store returns the Jobs that the management release accepts, as a client reads them a while later.
func (r *buildRun) store(n int) (locals []*batchv1.Job) {
	requests := make([]wire.Request, n)
	for i := range requests {
		requests[i] = wire.Request{Op: wire.Create, Stored: true, New: ask.Job(r.g.Job(buildController))}
	}
	answers, err := r.management.Ask(requests)
	if err != nil {
		r.Fatal(err)
	}
	r.asked += n
	for _, answer := range answers {
		if len(answer.Errors) > 0 {
			r.explained["the management release refuses the Job: "+withoutIndexes(answer.Errors[0].Field)]++
			continue
		}
		r.accepted++
		local := decodeJob(r.T, answer.Stored)
		r.cover.add(local)
		r.run(local)
		locals = append(locals, local)
	}
	return locals
}

// run adds what happens to a Job after it was created.
func (r *buildRun) run(local *batchv1.Job) {
	local.ResourceVersion = fmt.Sprint(1 + r.g.IntN(1e6))
	local.Generation = 1 + r.g.Int64N(5)
	local.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kubectl", Operation: metav1.ManagedFieldsOperationUpdate}}
	if r.g.IntN(2) == 0 {
		local.Status = batchv1.JobStatus{
			Active: 1, StartTime: &local.CreationTimestamp,
			Conditions: []batchv1.JobCondition{{Type: batchv1.JobSuspended, Status: corev1.ConditionFalse, Message: string(local.UID)}},
		}
	}
}

// build builds twice, and looks for what a mirror must not have.
func (r *buildRun) build(local *batchv1.Job) buildCase {
	c := buildCase{planner: r.planners[r.g.IntN(len(r.planners))], local: local}
	before := ask.Job(local)
	c.mirror, c.refusal = c.planner.Build(local)
	again, err := c.planner.Build(local)
	if !reflect.DeepEqual(c.refusal, err) {
		r.Errorf("Build says %v and then %v", c.refusal, err)
	}
	if string(before) != string(ask.Job(local)) {
		r.Error("Build changes its argument")
	}
	if c.refusal != nil {
		c.mirror = r.asIfNotRefused(c)
		return c
	}
	r.built++
	if a, b := ask.Job(c.mirror), ask.Job(again); string(a) != string(b) {
		r.Errorf("built twice (-first +second):\n%s", cmp.Diff(string(a), string(b)))
	}
	r.checkIdentity(c, c.mirror)
	r.checkKept(c)
	rest := c.mirror.ObjectMeta
	rest.Name, rest.Namespace, rest.Labels, rest.Annotations = "", "", nil, nil
	if !reflect.DeepEqual(rest, metav1.ObjectMeta{}) || !reflect.DeepEqual(c.mirror.Status, batchv1.JobStatus{}) {
		r.Errorf("the mirror has more metadata than it should, or a status: %s", ask.Job(c.mirror))
	}
	return c
}

// asIfNotRefused returns the mirror under the name that Build refuses. No other refusal has a reason
// here.
func (r *buildRun) asIfNotRefused(c buildCase) *batchv1.Job {
	var nameErr *mirror.NameError
	if !errors.As(c.refusal, &nameErr) || c.planner.target == nil {
		r.Fatalf("Build refuses a Job that was accepted: %v\n%s", c.refusal, ask.Job(c.local))
	}
	job, err := r.planners[0].Build(c.local)
	if err != nil {
		r.Fatal(err)
	}
	job.Namespace, job.Name = nameErr.Target.Namespace, nameErr.Target.Name
	return job
}

// createLines sends the UID and the time that all the workers are to choose for a mirror, so that the
// answers of two that store the same are the same.
func (r *buildRun) createLines(cases []buildCase) [][]byte {
	requests := make([]wire.Request, len(cases))
	for i, c := range cases {
		sent := *c.mirror
		sent.UID, sent.CreationTimestamp = r.g.UID(), c.local.CreationTimestamp
		requests[i] = wire.Request{Op: wire.Create, Stored: true, New: ask.Job(&sent)}
	}
	lines, err := ask.Lines(requests)
	if err != nil {
		r.Fatal(err)
	}
	return lines
}

func decodeJob(t *testing.T, body []byte) *batchv1.Job {
	t.Helper()
	var job batchv1.Job
	if err := json.Unmarshal(body, &job); err != nil {
		t.Fatal(err)
	}
	return &job
}
