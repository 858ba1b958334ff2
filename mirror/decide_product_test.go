// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/mirror"
)

var update = flag.Bool("update", false, "write the golden files of this package anew")

const (
	cleanupFinalizer = "acme.io/mirror-cleanup"
	holdFinalizer    = "acme.io/mirror-hold"
	dispatchKey      = "acme.io/mirror-dispatch"
	mirrorUID        = types.UID("99999999-2222-3333-4444-555555555555")
	worker           = "w1"
)

var jobKey = types.NamespacedName{Namespace: "research", Name: "train"}

// deletedAt is a mod; a Job that is being deleted has a finalizer that keeps it.
func deletedAt(second int, finalizers ...string) mod {
	return func(j *batchv1.Job) {
		j.DeletionTimestamp = ptr.To(at(second))
		j.Finalizers = append(j.Finalizers, finalizers...)
	}
}

func finalizer(name string) mod {
	return func(j *batchv1.Job) { j.Finalizers = append(j.Finalizers, name) }
}

// sentTo gives a Job the dispatch record of an attempt at second 0; uid may be empty.
func sentTo(worker string, attempt int, uid types.UID) mod {
	return func(j *batchv1.Job) {
		text := fmt.Sprintf(`{"v":1,"job":%q,"worker":%q,"attempt":%d,"at":%q`, j.UID, worker, attempt, at(0).UTC().Format(time.RFC3339))
		if uid != "" {
			text += fmt.Sprintf(`,"mirror":%q`, uid)
		}
		annotate(dispatchKey, text+"}")(j)
	}
}

func annotate(key, value string) mod {
	return func(j *batchv1.Job) { metav1.SetMetaDataAnnotation(&j.ObjectMeta, key, value) }
}

// mirrorOf is the mirror that the worker stores for a Job.
func mirrorOf(t testing.TB, p *mirror.Planner, local *batchv1.Job, mods ...mod) *batchv1.Job {
	t.Helper()
	source := local.DeepCopy()
	source.DeletionTimestamp, source.Status = nil, batchv1.JobStatus{}
	source.Spec.ManagedBy = ptr.To(dispatcher)
	m := build(t, p, source)
	m.UID, m.ResourceVersion, m.Generation = mirrorUID, "70", 1
	return withMods(m, mods...)
}

func withMods(job *batchv1.Job, mods ...mod) *batchv1.Job {
	for _, m := range mods {
		m(job)
	}
	return job
}

// variant is one value of a column of the table.
type variant struct {
	name string
	mods []mod
}

var locals = []variant{
	{name: "unknown"}, {name: "gone"},
	{"not managed", []mod{func(j *batchv1.Job) { j.Spec.ManagedBy = ptr.To("example.com/other") }}},
	{"incomplete", nil},
	{"deleting", []mod{deletedAt(50, cleanupFinalizer)}},
	{"finished", []mod{finalizer(cleanupFinalizer), start(0), is(failedJob, 9), is(failureTarget, 9)}},
	{"bad record", []mod{annotate(dispatchKey, "{")}},
	{"fate", []mod{finalizer(cleanupFinalizer), start(0), is(failureTarget, 9)}},
	{"unfinished", []mod{finalizer(cleanupFinalizer)}},
}

var mirrors = []variant{
	{name: "unknown"}, {name: "gone"},
	{"foreign", []mod{func(j *batchv1.Job) { delete(j.Labels, originKey) }}},
	{"previous", []mod{annotate(uidKey, "00000000-2222-3333-4444-555555555555")}},
	{"ours", []mod{start(0), active(1)}},
	{"ours finished", []mod{start(0), is(failedJob, 9), is(failureTarget, 9)}},
	{"ours deleting", []mod{start(0), deletedAt(60, "foregroundDeletion")}},
}

var elsewheres = []string{"unknown", "gone", "present"}

// combination is one State of the whole product, with the names of its columns.
type combination struct {
	local, mirror, elsewhere  string
	wanted                    bool
	localLive, live, liveElse bool
	state                     mirror.State
}

func (c combination) String() string {
	return fmt.Sprintf("%s\t%s\t%s\t%v", c.local, c.mirror, c.elsewhere, c.wanted)
}

func observation(job *batchv1.Job, live bool) mirror.Observation {
	if live {
		return mirror.Live(job)
	}
	return mirror.Cached(job)
}

// product calls f with every State there is: each value of each column, and each observation live and
// from a cache.
func product(t testing.TB, p *mirror.Planner, f func(combination)) {
	t.Helper()
	for _, l := range locals {
		for _, m := range mirrors {
			for _, e := range elsewheres {
				for bits := range 16 {
					c := combination{local: l.name, mirror: m.name, elsewhere: e,
						wanted: bits&1 > 0, localLive: bits&2 > 0, live: bits&4 > 0, liveElse: bits&8 > 0}
					c.state = stateOf(t, p, l, m, c)
					f(c)
				}
			}
		}
	}
}

func stateOf(t testing.TB, p *mirror.Planner, l, m variant, c combination) mirror.State {
	s := mirror.State{Key: jobKey, Worker: worker, Wanted: c.wanted, Now: at(100)}
	local := withMods(storedJob(), l.mods...)
	remote := mirrorOf(t, p, storedJob(), m.mods...)
	switch l.name {
	case "unknown":
	case "gone":
		s.Local = observation(nil, c.localLive)
	case "incomplete":
		s.Worker = ""
		fallthrough
	default:
		s.Local = observation(local, c.localLive)
	}
	switch m.name {
	case "unknown":
	case "gone":
		s.Mirror = observation(nil, c.live)
	default:
		s.Mirror = observation(remote, c.live)
	}
	switch c.elsewhere {
	case "gone":
		s.Elsewhere = mirror.OtherWorkers(observation(nil, c.liveElse))
	case "present":
		s.Elsewhere = mirror.OtherWorkers(observation(mirrorOf(t, p, storedJob()), c.liveElse))
	}
	return s
}

// TestDecideRows holds the table to a file that names the row of every combination.
func TestDecideRows(t *testing.T) {
	p := planner(t)
	lines, rows := map[string]string{}, map[string]bool{}
	var order []string
	product(t, p, func(c combination) {
		row := mirror.RowOf(p, c.state)
		if before, seen := lines[c.String()]; seen && before != row {
			t.Errorf("%s: %s or %s, by what is live", c, before, row)
		} else if !seen {
			order = append(order, c.String())
		}
		lines[c.String()], rows[row] = row, true
	})
	text := "local\tmirror\telsewhere\twanted\trow\n"
	for _, line := range order {
		text += line + "\t" + lines[line] + "\n"
	}
	golden(t, "decide-rows.tsv", text)
	for _, name := range mirror.RowNames() {
		if !rows[name] {
			t.Errorf("no State gets the row %s", name)
		}
	}
	t.Logf("%d combinations, %d rows", len(order), len(rows))
}

// TestDecideTableIsTotal: the last row has no conditions, so that every State gets one.
func TestDecideTableIsTotal(t *testing.T) {
	rows := mirror.Rows()
	if last := rows[len(rows)-1]; strings.Join(last[1:5], "") != "" {
		t.Errorf("the last row is for some States only: %q", last)
	}
}

// golden compares text with a file of testdata, or writes it there with -update.
func golden(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(text, "\n")); diff != "" {
		t.Errorf("%s is stale; -update writes it anew (-file +table)\n%s", path, diff)
	}
}

// policies are those under which the promises are looked at.
var policies = map[string]func(*mirror.Policy){
	"plain":     func(*mirror.Policy) {},
	"exclusive": func(p *mirror.Policy) { p.ExclusiveOrigin = true },
	"hold":      func(p *mirror.Policy) { p.ExclusiveOrigin, p.HoldMirror = true, true },
	"condition": func(p *mirror.Policy) { p.Condition = "acme.io/Mirrored" },
	"fail":      func(p *mirror.Policy) { p.OnMirrorLost, p.AbandonAfter = mirror.FailJob, time.Second },
}

// TestDecidePromises looks at the promises of Decide's comment in every combination.
func TestDecidePromises(t *testing.T) {
	for name, change := range policies {
		p := planner(t, change)
		product(t, p, func(c combination) {
			before := fmt.Sprintf("%+v", deepState(c.state))
			plan := p.Decide(c.state)
			where := fmt.Sprintf("%s: %s (live: local %v, mirror %v, elsewhere %v): %s", name, c, c.localLive, c.live, c.liveElse, plan)
			for _, broken := range brokenPromises(name, c, plan) {
				t.Errorf("%s\n%s", where, broken)
			}
			if after := fmt.Sprintf("%+v", deepState(c.state)); after != before {
				t.Errorf("%s\nthe State was changed", where)
			}
			if again := p.Decide(c.state); !reflect.DeepEqual(again, plan) {
				t.Errorf("%s\nasked again: %s", where, again)
			}
		})
	}
}

// deepState is a State in a form that shows everything in it.
func deepState(s mirror.State) any {
	return []any{s.Local, s.Mirror, s.Elsewhere, s.Worker, s.Wanted, s.Now}
}

func brokenPromises(policy string, c combination, plan mirror.Plan) (broken []string) {
	say := func(is bool, format string, args ...any) {
		if is {
			broken = append(broken, fmt.Sprintf(format, args...))
		}
	}
	written := map[string]int{}
	claimed := false
	for _, a := range plan.Actions {
		if a.Kind == mirror.ReadLive {
			say(len(plan.Actions) > 1, "something beside ReadLive")
			say(a.Read == mirror.Read{}, "nothing to read")
			continue
		}
		unversioned := a.Kind == mirror.ReleaseMirror || a.Kind == mirror.PatchMirror && a.ResourceVersion == ""
		if !unversioned { // which is right behind a DeleteMirror too
			written[fmt.Sprint(a.OnWorker(), a.Object)]++
		}
		say(a.OnWorker() && a.Kind != mirror.CreateMirror && (c.mirror == "unknown" || c.mirror == "gone" || c.mirror == "foreign"), "%s: acts on a %s mirror", a, c.mirror)
		say(a.OnWorker() && c.mirror == "previous" && policy != "exclusive" && policy != "hold", "%s: touches what may be another manager's", a)
		say(a.OnWorker() && c.mirror == "previous" && !(c.localLive && c.live), "%s: by a cache", a)
		say(!a.OnWorker() && (c.local == "unknown" || c.local == "gone" || c.local == "not managed" || c.local == "incomplete" || c.local == "bad record" && policy != "condition"), "%s: writes to a local Job that is %s", a, c.local)
		say(a.Kind == mirror.RemoveFinalizer && plan.Outcome != mirror.Abandoned && !(c.live && c.liveElse), "%s: by a cache", a)
		say(a.Kind == mirror.RemoveFinalizer && plan.Outcome == mirror.Abandoned && (policy != "fail" || c.local != "deleting"), "%s: abandoned", a)
		say(a.Kind == mirror.CreateMirror && (!claimed || c.local != "unfinished" || c.mirror != "gone" || c.elsewhere != "gone" || !c.wanted), "%s: create", a)
		say(a.Kind == mirror.WriteStatus && c.local == "finished" && policy != "condition", "%s: a finished Job is written to", a)
		say(a.Kind == mirror.WriteStatus && c.mirror == "unknown" && policy != "condition", "%s: unknown is taken for something", a)
		say(a.Kind == mirror.DeleteMirror && !slices.Contains([]string{"ours", "ours finished", "previous"}, c.mirror) && policy != "hold", "%s: deletes a mirror that is %s", a, c.mirror)
		say((a.Patch == nil) != (a.Kind == mirror.CreateMirror || a.Kind == mirror.DeleteMirror), "%s: patch %s", a, a.Patch)
		say((a.Job == nil && a.Unstructured == nil) != (a.Kind != mirror.CreateMirror), "%s: Job", a)
		say(a.Kind != mirror.CreateMirror && (a.UID == "" || a.ResourceVersion == "" && !unversioned), "%s: no preconditions", a)
		say(a.Patch != nil && a.Kind != mirror.ReleaseMirror && (!strings.Contains(string(a.Patch), string(a.UID)) || !unversioned && !strings.Contains(string(a.Patch), `"resourceVersion":"`+a.ResourceVersion+`"`)), "%s: preconditions are not in %s", a, a.Patch)
		claimed = claimed || a.Kind == mirror.Claim
	}
	for object, times := range written {
		say(times > 1, "%s is written %d times", object, times)
	}
	say(c.local == "unknown" && !reflect.DeepEqual(plan, mirror.Plan{}), "a plan without a local Job")
	say(c.local != "unknown" && (plan.Outcome == "" || plan.Why == ""), "no outcome")
	say(plan.RequeueAfter < 0 || plan.RequeueAfter > 0 && plan.RequeueWhy == "", "requeue %v for %q", plan.RequeueAfter, plan.RequeueWhy)
	say(strings.ContainsAny(plan.String(), "\n\r"), "not one line")
	say(plan.Outcome != "" && !slices.Contains(mirror.Outcomes(), plan.Outcome), "an outcome that is not listed")
	return broken
}
