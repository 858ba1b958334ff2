// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/mirror"
)

func deadline(seconds int64) func(*batchv1.Job) {
	return func(j *batchv1.Job) { j.Spec.ActiveDeadlineSeconds = ptr.To(seconds) }
}

// TestDeadlineOfARecreatedMirror: the mirror gets what is left, and that counts as what was sent.
func TestDeadlineOfARecreatedMirror(t *testing.T) {
	for _, tt := range []struct {
		name             string
		local            *batchv1.Job
		spent            int64
		built            *int64
		byUser, byWorker func(*batchv1.Job)
		want             []string
		patch            string
		reset            bool
	}{
		{name: "nothing spent", local: storedJob(deadline(100)), built: ptr.To[int64](100), byUser: suspending(true),
			want: []string{"ToSend spec.suspend"}, patch: `{"spec":{"suspend":true}}`},
		{name: "negative", local: storedJob(deadline(100)), spent: -5, built: ptr.To[int64](100), byUser: nothing},
		{name: "some spent", local: storedJob(deadline(100)), spent: 60, built: ptr.To[int64](40), byUser: suspending(true),
			want: []string{"ToSend spec.suspend", "ToSend spec.activeDeadlineSeconds"}, patch: `{"spec":{"activeDeadlineSeconds":100,"suspend":true}}`, reset: true},
		{name: "all spent", local: storedJob(deadline(100)), spent: 160, built: ptr.To[int64](0), byUser: nothing},
		{name: "huge", local: storedJob(deadline(0)), spent: math.MaxInt64, built: ptr.To[int64](0), byUser: nothing},
		{name: "user gives more time", local: storedJob(deadline(100)), spent: 60, built: ptr.To[int64](40), byUser: deadline(200),
			want: []string{"ToSend spec.activeDeadlineSeconds"}, patch: `{"spec":{"activeDeadlineSeconds":140}}`},
		{name: "user sets one later", local: storedJob(), spent: 60, byUser: deadline(200),
			want: []string{"ToSend spec.activeDeadlineSeconds"}, patch: `{"spec":{"activeDeadlineSeconds":140}}`},
		{name: "worker changes it", local: storedJob(deadline(100)), spent: 60, built: ptr.To[int64](40), byUser: nothing, byWorker: deadline(7),
			want: []string{"SetByWorker spec.activeDeadlineSeconds"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := planner(t)
			local, before := tt.local, tt.local.DeepCopy()
			m, err := p.BuildSpent(local, tt.spent)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.built, m.Spec.ActiveDeadlineSeconds); d != "" {
				t.Errorf("built (-want +got):\n%s", d)
			}
			if d := cmp.Diff(before, local); d != "" || m.Spec.ActiveDeadlineSeconds != nil && m.Spec.ActiveDeadlineSeconds == local.Spec.ActiveDeadlineSeconds {
				t.Errorf("the local Job was changed, or shares its deadline:\n%s", d)
			}
			if has := strings.Contains(m.Annotations[sentKey], `"spent":`); has != (tt.spent > 0) {
				t.Errorf("record: %s", m.Annotations[sentKey])
			}
			remote := storedMirror(m)
			if tt.byWorker != nil {
				tt.byWorker(remote)
			}
			local = byUser(local, tt.byUser)
			plan := p.PlanSpec(mirror.Pair{Local: local, Remote: remote})
			if d := cmp.Diff(tt.want, told(plan.Differences)); d != "" {
				t.Errorf("differences (-want +got):\n%s", d)
			}
			if d := cmp.Diff(tt.patch, changes(t, plan.Patch)); d != "" {
				t.Errorf("patch (-want +got):\n%s", d)
			}
			remote = patched(t, remote, plan.Patch)
			if has := strings.Contains(remote.Annotations[sentKey], `"spent":`); has != (tt.spent > 0 && !tt.reset) {
				t.Errorf("record after the patch: %s", remote.Annotations[sentKey])
			}
			settles(t, p, local, remote, nil)
		})
	}
}

// TestDeadlineIsOurs: what is left is no difference to anybody.
func TestDeadlineIsOurs(t *testing.T) {
	p := planner(t)
	local := storedJob(deadline(100))
	m, err := p.BuildSpent(local, 60)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range p.Differences(mirror.Pair{Local: local, Remote: storedMirror(m)}) {
		if d.Field == "spec.activeDeadlineSeconds" {
			if d.Kind != mirror.OnPurpose || d.Local != "100" || d.Mirror != "40" {
				t.Errorf("%v", d)
			}
			return
		}
	}
	t.Error("not reported")
}
