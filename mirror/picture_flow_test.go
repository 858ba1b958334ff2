// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/mirror"
)

// purposes say what each action is for.
var purposes = map[mirror.ActionKind]string{
	mirror.AddFinalizer:    "a deletion will wait for the mirror",
	mirror.Claim:           "which worker, before every create",
	mirror.CreateMirror:    "a copy of the Job, with its identity",
	mirror.PatchMirror:     "what the user has changed since",
	mirror.WriteStatus:     "as the API server will take it",
	mirror.DeleteMirror:    "in the foreground, so that pods are gone",
	mirror.ReleaseMirror:   "once its result is read",
	mirror.RemoveFinalizer: "nothing is left on the worker",
	mirror.ReadLive:        "before what cannot be undone",
}

// writtenBy is what an action changes: members of the object, but for its preconditions.
func writtenBy(t *testing.T, a mirror.Action) (members []string) {
	t.Helper()
	switch {
	case a.Kind == mirror.CreateMirror:
		return []string{"metadata", "spec"}
	case a.PatchType == types.JSONPatchType:
		return []string{"metadata.finalizers"}
	case a.Patch == nil:
		return nil
	}
	var patch map[string]map[string]any
	must(t, json.Unmarshal(a.Patch, &patch))
	for name := range patch["metadata"] {
		if name != "uid" && name != "resourceVersion" {
			members = append(members, "metadata."+name)
		}
	}
	for name := range patch {
		if name != "metadata" {
			members = append(members, name)
		}
	}
	return members
}

// livesOfJobs runs Jobs from their creation to their end, with a change of it, a mirror that is lost and
// one that has to go, and calls see with every action that this takes.
func livesOfJobs(t *testing.T, see func(mirror.Action)) {
	t.Helper()
	w := newWorld(t, hold)
	act := func() {
		t.Helper()
		for range 20 {
			plan := w.step()
			if len(plan.Actions) == 0 {
				return
			}
			for _, a := range plan.Actions {
				see(a)
			}
		}
		t.Fatal("the plans do not settle")
	}
	act()
	w.worker.touch(start(1), active(2))
	act()
	w.management.touch(func(job *batchv1.Job) {
		job.Labels = map[string]string{"team": "a"}
		job.Spec.Parallelism = ptr.To[int32](3)
		job.Generation++
	})
	act()
	w.worker.job = nil // lost, with pods that the local status still shows
	w.pass(time.Hour)
	act()
	w.worker.touch(start(1), active(2))
	act()
	w.wanted = false
	act()
	w.worker.podsGone()
	act()
	w.wanted = true
	w.pass(time.Hour)
	act()
	w.worker.touch(start(1), end(20), succeeded(4), is(complete, 20), is(criteriaMet, 20))
	act()
	for _, a := range w.planner.Decide(mirror.State{
		Key: jobKey, Local: mirror.Cached(storedJob(deletedAt(50, cleanupFinalizer))), Mirror: mirror.Cached(nil),
		Elsewhere: mirror.OtherWorkers(), Worker: worker, Now: at(100),
	}).Actions {
		see(a)
	}
}

// TestFlowPicture holds docs/flow.svg to what the actions do. go generate writes it anew.
func TestFlowPicture(t *testing.T) {
	written := map[mirror.ActionKind]map[string]bool{}
	livesOfJobs(t, func(a mirror.Action) {
		if written[a.Kind] == nil {
			written[a.Kind] = map[string]bool{}
		}
		for _, member := range writtenBy(t, a) {
			written[a.Kind][member] = true
			if a.Kind != mirror.CreateMirror && (member == "spec" && !a.OnWorker() || member == "status" && a.OnWorker()) {
				t.Errorf("%s writes the %s, which the picture says is somebody else's", a, member)
			}
		}
	})
	p := &picture{t: t}
	y := drawClusters(p)
	top := y
	y = drawRead(p, y, "watch", "the local Job", "the Job of that name")
	for _, kind := range actionKinds {
		if written[kind] == nil || purposes[kind] == "" {
			t.Errorf("%s was not seen, or its purpose is not given", kind)
		}
		if kind == mirror.ReadLive {
			y = drawRead(p, y, string(kind), purposes[kind], purposes[kind])
			continue
		}
		y = drawAction(p, y, kind, slices.Sorted(maps.Keys(written[kind])))
	}
	var lanes picture
	for _, x := range []int{left, middle, right} {
		lanes.line(x, top-24, x, y-8, `class="lane"`)
	}
	y = drawOthers(p, y)
	p.body = lanes.body + p.body
	golden(t, "../../docs/flow.svg", p.svg(900, y+14, "Who writes what: management cluster, controller, worker cluster"))
}

// The lanes, and the width of a box.
const (
	left, middle, right = 152, 450, 748
	boxWidth            = 272
)

func drawClusters(p *picture) int {
	for _, c := range []struct {
		x             int
		title, colour string
		rows          [][2]string
	}{
		{left, "Management cluster", "blue", [][2]string{{"Job", "what the user made"}, {"spec", "the user; managedBy names you"}, {"status", "your controller"}, {"pods", "none here"}}},
		{middle, "Your controller", "green", [][2]string{{"look", "at the Job, in both clusters"}, {"ask", "Planner.Decide: what next?"}, {"do", "the actions, in their order"}, {"again", "when something changes"}}},
		{right, "Worker cluster", "purple", [][2]string{{"Job", "its mirror"}, {"spec", "your controller"}, {"status", "the Job controller there"}, {"pods", "here"}}},
	} {
		x := c.x - boxWidth/2
		p.box(x, 16, boxWidth, 116, "box")
		p.box(x, 16, boxWidth, 5, c.colour)
		p.text(c.x, 44, boxWidth-16, "middle", "title "+c.colour, c.title)
		for i, row := range c.rows {
			p.text(x+14, 66+17*i, 48, "start", "name", row[0])
			p.text(x+64, 66+17*i, boxWidth-70, "start", "dim", row[1])
		}
	}
	return 156
}

const (
	rowHeight = 42
	arrowRoom = middle - left - 16
)

func drawRead(p *picture, y int, name, local, remote string) int {
	p.text((left+middle)/2, y+4, arrowRoom, "middle", "name", name)
	p.text((middle+right)/2, y+4, arrowRoom, "middle", "name", name)
	p.arrow(left+4, middle-4, y+11, true)
	p.arrow(right-4, middle+4, y+11, true)
	p.text((left+middle)/2, y+25, arrowRoom, "middle", "dim", local)
	p.text((middle+right)/2, y+25, arrowRoom, "middle", "dim", remote)
	return y + rowHeight
}

// drawAction draws an arrow to where the action goes, with what it writes there beside its head.
func drawAction(p *picture, y int, kind mirror.ActionKind, members []string) int {
	from, to, beside, anchor := middle-4, left+4, left-8, "end"
	if (mirror.Action{Kind: kind}).OnWorker() {
		from, to, beside, anchor = middle+4, right-4, right+8, "start"
	}
	p.text((to+from)/2, y+4, arrowRoom, "middle", "name", string(kind))
	p.arrow(from, to, y+11, false)
	p.text((to+from)/2, y+25, arrowRoom, "middle", "dim", purposes[kind])
	for i, member := range members {
		p.text(beside, y+15+15*i-8*(len(members)-1), left-16, anchor, "mono", member)
	}
	return y + rowHeight
}

// drawOthers names those who act on a delegated Job whatever it says.
func drawOthers(p *picture, y int) int {
	var actors []string
	for _, duty := range jobmanagedby.OwnDuties() {
		name := strings.TrimSuffix(duty.Actor, "-controller")
		if !duty.Yours && duty.Actor != jobmanagedby.JobController && !slices.Contains(actors, name) {
			actors = append(actors, name)
		}
	}
	lines := wrap("dim", "Still acting on the local Job: "+strings.Join(actors, ", ")+".", 860)
	for _, line := range lines {
		y += 18
		p.text(16, y, 868, "start", "dim", line)
	}
	return y
}
