// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"encoding/json"
	"reflect"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/mirror"
)

// FuzzPlanSpec plans for the mirror of any Job, with any spec and any record in it: no panic, the
// same answer again, arguments untouched, and a patch that leaves nothing to write.
func FuzzPlanSpec(f *testing.F) {
	const job = `{"metadata":{"namespace":"a","name":"b","uid":"u","labels":{"x":"y"}},"spec":{"suspend":true,"template":{"metadata":{"labels":{"l":"m"}},` +
		`"spec":{"nodeSelector":{"a":"b"},"tolerations":[{"key":"k"}],"schedulingGates":[{"name":"g"}],"containers":[{"name":"c","resources":{"limits":{"cpu":"1"}}}]}}}}`
	f.Add([]byte(job), []byte(job), "")
	f.Add([]byte(job), []byte(`{"spec":{"completionMode":"Indexed","completions":1,"parallelism":1}}`), `{"v":1,"spec":{"suspend":true}}`)
	f.Add([]byte(`{"metadata":{"namespace":"a","name":"b","uid":"u"},"spec":{"completionMode":"Indexed","completions":2,"parallelism":2}}`), []byte(job), `{"v":1,"spent":-1,"digest":"sha256:x"}`)
	f.Add([]byte(job), []byte(`{"spec":{"template":{"spec":{"affinity":{"nodeAffinity":{}},"containers":[{"name":"c"},{"name":"c"}]}}}}`), `{"v":1,"template":{"spec":{"affinity":{}}}}`)
	f.Fuzz(func(t *testing.T, localJSON, remoteJSON []byte, record string) {
		var local, changed batchv1.Job
		if json.Unmarshal(localJSON, &local) != nil || json.Unmarshal(remoteJSON, &changed) != nil {
			t.Skip()
		}
		local.Spec.ManagedBy, local.DeletionTimestamp, local.Status.Conditions = ptr.To(dispatcher), nil, nil
		local.Generation = 2
		p := planner(t)
		remote, err := p.Build(&local)
		if err != nil {
			t.Skip()
		}
		remote.UID, remote.ResourceVersion = workerUID, "1"
		remote.Spec, remote.Status = changed.Spec, changed.Status
		remote.Annotations[genKey] = "1"
		if record != "" {
			remote.Annotations[sentKey] = record
		}
		pair := mirror.Pair{Local: &local, Remote: remote}
		localBefore, remoteBefore := local.DeepCopy(), remote.DeepCopy()
		plan, again := p.PlanSpec(pair), p.PlanSpec(pair)
		if !reflect.DeepEqual(plan, again) {
			t.Errorf("two plans: %v and %v", plan, again)
		}
		if !reflect.DeepEqual(&local, localBefore) || !reflect.DeepEqual(remote, remoteBefore) {
			t.Error("an argument was changed")
		}
		if plan.Patch == nil {
			return
		}
		remote = patched(t, remote, plan.Patch)
		if p.Relate(mirror.Pair{Local: &local, Remote: remote}) != mirror.Ours {
			t.Errorf("the patch takes the identity away: %s", plan.Patch)
		}
		waited := false
		for _, d := range plan.Differences {
			waited = waited || d.Rule == mirror.TemplateNotSuspended
		}
		if next := p.PlanSpec(mirror.Pair{Local: &local, Remote: remote}); next.Patch != nil && !waited {
			t.Errorf("planned again: %s\nafter %s", next.Patch, plan.Patch)
		}
	})
}
