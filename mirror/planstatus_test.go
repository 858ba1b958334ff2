// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/mirror"
	"github.com/managedby-dev/managedby/statusvalidate"
)

// mirrored returns a Job of ours, with the mods on it, and the mirror that was made of it before.
func mirrored(t testing.TB, p *mirror.Planner, mods ...mod) mirror.Pair {
	t.Helper()
	local := storedJob()
	remote := build(t, p, local)
	for _, m := range mods {
		m(local)
	}
	return mirror.Pair{Local: local, Remote: remote}
}

func TestPlanStatus(t *testing.T) {
	finishedAt := func(pair mirror.Pair) mirror.Pair {
		start(0)(pair.Local)
		pair.Remote.Status = job(start(0), is(failedJob, 9)).Status
		return pair
	}
	tests := []struct {
		name   string
		policy func(*mirror.Policy)
		pair   func(p *mirror.Planner) mirror.Pair
		want   mirror.StatusOutcome
		write  []mod
		why    string
	}{{
		name: "ours",
		pair: func(p *mirror.Planner) mirror.Pair { return finishedAt(mirrored(t, p)) },
		want: mirror.Copied, write: []mod{start(0), is(failedJob, 9), is(failureTarget, 9)},
	}, {
		name:   "ours, on an old management API server",
		policy: func(p *mirror.Policy) { p.Management = []jobmanagedby.Release{release(t, "1.30.14")} },
		pair:   func(p *mirror.Planner) mirror.Pair { return finishedAt(mirrored(t, p)) },
		want:   mirror.Copied, write: []mod{start(0), is(failedJob, 9)},
		why: "Policy.Management decides what has to be mended",
	}, {
		name:   "ours, stamped",
		policy: func(p *mirror.Policy) { p.StampTerminal = true },
		pair:   func(p *mirror.Planner) mirror.Pair { return finishedAt(mirrored(t, p)) },
		want:   mirror.Copied, write: []mod{start(0), is(failedJob, 100), is(failureTarget, 9)},
	}, {
		name: "managed by another controller",
		pair: func(p *mirror.Planner) mirror.Pair {
			pair := finishedAt(mirrored(t, p))
			pair.Local.Spec.ManagedBy = ptr.To("example.com/other")
			return pair
		},
		want: mirror.NotManaged, why: "another controller writes its status",
	}, {
		name: "managed by the built-in controller",
		pair: func(p *mirror.Planner) mirror.Pair {
			pair := finishedAt(mirrored(t, p))
			pair.Local.Spec.ManagedBy = nil
			return pair
		},
		want: mirror.NotManaged,
	}, {
		name: "a mirror of an earlier Job of the name",
		pair: func(p *mirror.Planner) mirror.Pair {
			pair := finishedAt(mirrored(t, p))
			pair.Local.UID += "-new"
			return pair
		},
		want: mirror.Conflict, why: "its result is not this Job's",
	}, {
		name: "somebody else's Job in the way",
		pair: func(p *mirror.Planner) mirror.Pair {
			pair := finishedAt(mirrored(t, p))
			pair.Remote.Labels, pair.Remote.Annotations = nil, nil
			return pair
		},
		want: mirror.Conflict, why: "nothing is ever copied from a foreign Job",
	}, {
		name: "suspended by the worker's queue",
		pair: func(p *mirror.Planner) mirror.Pair {
			pair := mirrored(t, p, start(0))
			suspend(pair.Remote)
			start(0)(pair.Remote)
			return pair
		},
		want: mirror.Evicted, why: "it was told to run",
	}, {
		name: "not told to resume yet",
		pair: func(p *mirror.Planner) mirror.Pair {
			pair := mirror.Pair{Local: storedJob(suspend)}
			pair.Remote = build(t, p, pair.Local)
			pair.Local.Spec.Suspend = ptr.To(false)
			start(0)(pair.Local)
			start(0)(pair.Remote)
			return pair
		},
		want: mirror.Resuming, why: "it was created suspended",
	}, {
		name:   "created suspended, and to resume is the worker's",
		policy: func(p *mirror.Policy) { p.Suspend = mirror.SuspendAtCreation },
		pair: func(p *mirror.Planner) mirror.Pair {
			pair := mirror.Pair{Local: storedJob(suspend)}
			pair.Remote = build(t, p, pair.Local)
			pair.Local.Spec.Suspend = ptr.To(false)
			start(0)(pair.Local)
			start(0)(pair.Remote)
			return pair
		},
		want: mirror.Evicted, why: "nobody tells it any more",
	}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := planner(t)
			if tt.policy != nil {
				p = planner(t, tt.policy)
			}
			pair := tt.pair(p)
			before := mirror.Pair{Local: pair.Local.DeepCopy(), Remote: pair.Remote.DeepCopy()}
			got := p.PlanStatus(pair, now)
			var want *status
			if tt.write != nil {
				want = &job(tt.write...).Status
			}
			if got.Outcome != tt.want || got.Why == "" {
				t.Errorf("outcome %q because %q, want %s: %s", got.Outcome, got.Why, tt.want, tt.why)
			}
			if diff := cmp.Diff(want, got.Status); diff != "" {
				t.Errorf("status to write (-want +got):\n%s%s", diff, tt.why)
			}
			if !reflect.DeepEqual(before, pair) {
				t.Errorf("PlanStatus changed its input:\n%s", cmp.Diff(before, pair))
			}
		})
	}
}

// TestStatusPlanString checks that a plan prints on one line, with everything that decides.
func TestStatusPlanString(t *testing.T) {
	for _, tt := range slicesOf(tableCases, repairCases, guardCases, fieldCases) {
		plan := mirror.ProjectStatus(mirror.Pair{Local: tt.local, Remote: tt.remote}, tt.options(t))
		s := plan.String()
		if strings.Contains(s, "\n") || !strings.HasPrefix(s, string(plan.Outcome)) {
			t.Errorf("%s: String() = %q", tt.name, s)
		}
		for _, a := range plan.Adjustments {
			if !strings.Contains(s, a.String()) {
				t.Errorf("%s: %q does not say %q", tt.name, s, a)
			}
		}
		for _, v := range plan.Violations {
			if !strings.Contains(s, string(v.Rule)) {
				t.Errorf("%s: %q does not name %s", tt.name, s, v.Rule)
			}
		}
	}
}

// TestOneLine checks that nothing in an object can make a plan or a loss print on two lines.
func TestOneLine(t *testing.T) {
	evil := batchv1.JobConditionType("x\nInSync (fine)\u2028\x1b[2J")
	pair := mirror.Pair{Local: job(is(evil, 1)), Remote: job(active(1), is("y\r", 2), is("y\r", 3))}
	plan := mirror.ProjectStatus(pair, mirror.StatusOptions{Now: now})
	sent, stored := storedJob(func(j *batchv1.Job) { j.Labels = map[string]string{"a\nb": "c"} }), storedJob()
	for _, s := range []string{plan.String(), plan.Adjustments[0].String(), mirror.Lost(sent, stored)[0].String()} {
		if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("%q is not one line of text", s)
		}
	}
}

// TestWithoutNow checks that a forgotten Now does no harm: nothing that has a time loses it, and
// nobody is told to wait for centuries.
func TestWithoutNow(t *testing.T) {
	for _, tt := range []struct {
		name   string
		remote *batchv1.Job
		opts   mirror.StatusOptions
		write  []mod
	}{
		{"stamping", job(start(0), is(failureTarget, 8), is(failedJob, 9)), mirror.StatusOptions{StampTerminal: true},
			[]mod{start(0), is(failureTarget, 8), is(failedJob, 9)}},
		{"waiting for pods", job(start(0), terminating(1), is(failureTarget, 8), is(failedJob, 9)), mirror.StatusOptions{},
			[]mod{start(0), terminating(1), is(failureTarget, 8)}},
		{"waiting for pods, no time anywhere", job(start(0), terminating(1), zero(failureTarget), zero(failedJob)), mirror.StatusOptions{},
			[]mod{start(0), terminating(1), zero(failureTarget)}},
	} {
		plan := mirror.ProjectStatus(mirror.Pair{Local: job(start(0)), Remote: tt.remote}, tt.opts)
		if diff := cmp.Diff(&job(tt.write...).Status, plan.Status); diff != "" || plan.RequeueAfter != 0 {
			t.Errorf("%s: RequeueAfter %v, status (-want +got):\n%s", tt.name, plan.RequeueAfter, diff)
		}
		for _, a := range plan.Adjustments {
			if a.Rule == "" {
				t.Errorf("%s: %v, without a time to give", tt.name, a)
			}
		}
	}
}

// TestPlanStatusWithoutMirror checks that a mirror that was not found is not mistaken for one in conflict.
func TestPlanStatusWithoutMirror(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("PlanStatus with a nil Remote did not panic")
		}
	}()
	planner(t).PlanStatus(mirror.Pair{Local: storedJob()}, now)
}

// TestCostOfManyConditions plans for 40,000 conditions of types that nobody knows, each twice, on
// both sides. It takes a fraction of a second; comparing each with each took minutes.
func TestCostOfManyConditions(t *testing.T) {
	many := func(prefix string) mod {
		return func(j *batchv1.Job) {
			for i := range 40_000 {
				is(batchv1.JobConditionType(fmt.Sprint(prefix, i/2)), 1)(j)
			}
		}
	}
	pair := mirror.Pair{Local: job(many("a.io/")), Remote: job(many("b.io/"))}
	begin := time.Now()
	plan := mirror.ProjectStatus(pair, mirror.StatusOptions{Now: now})
	if took := time.Since(begin); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
	if n := len(plan.Status.Conditions); n != 40_000 {
		t.Errorf("%d conditions are left", n)
	}
}

// TestViolationsOfAPlan checks that what stands in the way can be had as an error.
func TestViolationsOfAPlan(t *testing.T) {
	pair := mirror.Pair{Local: job(start(0)), Remote: job(start(0), active(-1))}
	plan := mirror.ProjectStatus(pair, mirror.StatusOptions{Now: now})
	var v *statusvalidate.Violation
	var f *field.Error
	if err := plan.Violations.Err(); !errors.As(err, &v) || !errors.As(err, &f) || v.Rule != statusvalidate.NegativeActive || f.Field != "status.active" {
		t.Errorf("Violations.Err() = %v", err)
	}
}

// TestEveryStatusFieldIsCompared fails when a Kubernetes release adds a field to a status: then
// the comparison of statuses has to learn it, or a change of it is never copied.
func TestEveryStatusFieldIsCompared(t *testing.T) {
	base := job(start(0), end(9), ready(1), terminating(1), lost("1"), uncounted("p1"), is(custom, 1)).Status
	base.Conditions[0].LastProbeTime = at(1)
	base.UncountedTerminatedPods.Failed = []types.UID{"p2"}
	seen := 0
	eachField(reflect.ValueOf(&base).Elem(), func(path string, change func() (restore func())) {
		seen++
		local, remote := job(), job()
		base.DeepCopyInto(&local.Status)
		restore := change()
		base.DeepCopyInto(&remote.Status)
		restore()
		opts := mirror.StatusOptions{Validator: statusvalidate.For(release(t, "1.31.14")), Now: now}
		if plan := mirror.ProjectStatus(mirror.Pair{Local: local, Remote: remote}, opts); plan.Outcome == mirror.InSync {
			t.Errorf("a change of %s goes unnoticed", path)
		}
	})
	if seen < 15 {
		t.Errorf("only %d fields were changed", seen)
	}
}

// eachField visits the fields of a status, of its conditions and pod lists.
func eachField(v reflect.Value, visit func(path string, change func() func()), path ...string) {
	for i := range v.NumField() {
		f, at := v.Field(i), append(path[:len(path):len(path)], v.Type().Field(i).Name)
		switch {
		case f.Kind() == reflect.Slice && f.Type().Elem().Kind() == reflect.Struct:
			eachField(f.Index(0), visit, at...)
		case f.Kind() == reflect.Pointer && f.Type() == reflect.TypeFor[*batchv1.UncountedTerminatedPods]():
			eachField(f.Elem(), visit, at...)
		default:
			visit(strings.Join(at, "."), func() func() {
				old := reflect.New(f.Type()).Elem()
				old.Set(f)
				f.Set(otherThan(f))
				return func() { f.Set(old) }
			})
		}
	}
}

// otherThan returns another value of the type of v.
func otherThan(v reflect.Value) reflect.Value {
	switch v.Interface().(type) {
	case int32:
		return reflect.ValueOf(v.Interface().(int32) + 1)
	case *int32:
		return reflect.ValueOf(ptr.To(*v.Interface().(*int32) + 1))
	case string, batchv1.JobConditionType:
		return reflect.ValueOf(v.String() + "x").Convert(v.Type())
	case *string:
		return reflect.ValueOf(ptr.To("2"))
	}
	return reflect.Zero(v.Type())
}

// TestInSyncAllocatesNothing covers every outcome that comes back for each watch event of a Job at rest.
func TestInSyncAllocatesNothing(t *testing.T) {
	conditions := []mod{is(suspended, 1), is(custom, 2), is(criteriaMet, 3)}
	long := append([]mod{indexed, completions(100_000), start(0), active(2), ready(1), terminating(0), uncounted("p1", "p2"), done("0-2,4"), lost("9")}, conditions...)
	for _, tt := range []struct {
		name          string
		local, remote *batchv1.Job
		want          mirror.StatusOutcome
	}{
		{"running", job(long...), job(long...), mirror.InSync},
		{"suspended", job(append(long, suspend)...), job(append(long, suspend, active(0))...), mirror.Copied},
		{"deferred", job(suspend, is(suspended, 1)), job(start(0), active(2)), mirror.Deferred},
		{"evicted", job(start(0), is(suspended, 3)), job(suspend, start(0), is(suspended, 3)), mirror.Evicted},
		{"finished", job(start(0), is(failureTarget, 8), is(failedJob, 9)), job(start(0), is(failedJob, 9)), mirror.Finished},
	} {
		pair, opts := mirror.Pair{Local: tt.local, Remote: tt.remote}, mirror.StatusOptions{Now: now}
		if plan := mirror.ProjectStatus(pair, opts); plan.Outcome != tt.want {
			t.Errorf("%s: outcome %s, want %s", tt.name, plan.Outcome, tt.want)
		}
		n := testing.AllocsPerRun(100, func() { mirror.ProjectStatus(pair, opts) })
		if (n > 0) != (tt.want == mirror.Copied) {
			t.Errorf("%s: %v allocations", tt.name, n)
		}
	}
}

func TestStatusOutcomes(t *testing.T) {
	seen := map[mirror.StatusOutcome]bool{}
	for _, o := range mirror.StatusOutcomes() {
		if o == "" || seen[o] {
			t.Errorf("outcome %q is empty or listed twice", o)
		}
		seen[o] = true
	}
	for _, tt := range slicesOf(tableCases, repairCases, guardCases, fieldCases) {
		if !seen[tt.want] {
			t.Errorf("%s is not listed", tt.want)
		}
	}
}

func decodeJob(data []byte) (*batchv1.Job, error) {
	j := &batchv1.Job{}
	return j, json.Unmarshal(data, j)
}

// FuzzProjectStatus checks what ProjectStatus promises for whatever two Jobs can be decoded.
func FuzzProjectStatus(f *testing.F) {
	for _, tt := range slicesOf(tableCases, repairCases, guardCases, fieldCases) {
		f.Add([]byte(toJSON(f, tt.local)), []byte(toJSON(f, tt.remote)), uint8(0))
	}
	f.Fuzz(func(t *testing.T, localJSON, remoteJSON []byte, management uint8) {
		local, err := decodeJob(localJSON)
		remote, err2 := decodeJob(remoteJSON)
		if err != nil || err2 != nil {
			return
		}
		name := managementNames[int(management)%len(managementNames)]
		c := &checked{wild: true, pair: mirror.Pair{Local: local, Remote: remote}, opts: mirror.StatusOptions{
			Validator: statusvalidate.ForAll(managements[name]...), Now: now,
		}}
		c.run()
		again := mirror.ProjectStatus(c.pair, c.opts)
		if diff := cmp.Diff(c.plan, again); diff != "" {
			c.fault("two calls differ: %s", diff)
		}
		if len(c.faults) > 0 {
			t.Fatalf("management %s, plan %v\n%s", name, c.plan, strings.Join(c.faults, "\n"))
		}
	})
}

func BenchmarkProjectStatus(b *testing.B) {
	typical := []mod{indexed, completions(100), start(0), active(2), ready(2), terminating(0), done("0-40,42"), is(suspended, 1)}
	for _, bb := range []struct {
		name          string
		local, remote *batchv1.Job
	}{
		{"insync", job(typical...), job(typical...)},
		{"copied", job(typical...), job(append(typical, succeeded(42))...)},
		{"finished-old-worker", job(typical...), job(append(typical, active(0), ready(0), end(9), is(complete, 9))...)},
		{"redispatched", job(append(typical, failed(3), succeeded(9))...), job(append(typical, start(50))...)},
		{"deferred", job(append(typical, suspend)...), job(typical...)},
	} {
		pair, opts := mirror.Pair{Local: bb.local, Remote: bb.remote}, mirror.StatusOptions{Now: now}
		b.Run("case="+bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				mirror.ProjectStatus(pair, opts)
			}
		})
	}
}
