// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/mirror"
)

// FuzzBuild builds the mirror of any Job that can be decoded, related to any other: no panic, the
// same answer again, arguments untouched, and a mirror that is ours and carries nothing that only
// the local Job may have.
func FuzzBuild(f *testing.F) {
	// Small seeds: the engine spends its time on making what it finds smaller.
	const identity = `{"metadata":{"namespace":"a","name":"b","labels":{"acme.io/mirror-origin":"mgmt-1"},` +
		`"annotations":{"acme.io/mirror-local":"a/b","acme.io/mirror-local-uid":"u"}}}`
	f.Add([]byte(`{}`), []byte(identity), false, "")
	f.Add([]byte(`{"metadata":{"namespace":"a","name":"b","uid":"u","labels":{"job-name":"b","meta.helm.sh/x":""}}}`), []byte(identity), true, "")
	f.Add([]byte(`{"metadata":{"namespace":"a","name":"b","uid":"v"},"spec":{"manualSelector":true,"completionMode":"Indexed","completions":9}}`), []byte(identity), true, "c")
	f.Add([]byte(`{"metadata":{"namespace":"a","name":"b","uid":"u"},"spec":{"template":{"metadata":{"labels":{"job-name":"b"}},`+
		`"spec":{"nodeSelector":{"a":"b"},"tolerations":[{"key":"k"}],"containers":[{"name":"c","resources":{"limits":{"cpu":"1"}}}]}}}}`), []byte(`{}`), true, "")
	f.Fuzz(func(t *testing.T, localJSON, remoteJSON []byte, ours bool, target string) {
		var local, remote batchv1.Job
		if json.Unmarshal(localJSON, &local) != nil || json.Unmarshal(remoteJSON, &remote) != nil {
			t.Skip()
		}
		if ours { // most inputs would be refused otherwise
			local.Spec.ManagedBy, local.DeletionTimestamp, local.Status.Conditions = ptr.To(dispatcher), nil, nil
		}
		p := planner(t, func(p *mirror.Policy) {
			p.Target = func(*batchv1.Job) types.NamespacedName { return types.NamespacedName{Name: target} }
		})
		localBefore, remoteBefore := local.DeepCopy(), remote.DeepCopy()

		m, err := p.Build(&local)
		again, errAgain := p.Build(&local)
		relation := p.Relate(mirror.Pair{Local: &local, Remote: &remote})
		if p.Relate(mirror.Pair{Local: &local, Remote: &remote}) != relation {
			t.Error("two calls of Relate disagree")
		}
		mirror.Lost(&local, &remote)
		if (m == nil) == (err == nil) || !reflect.DeepEqual(m, again) || !reflect.DeepEqual(err, errAgain) {
			t.Errorf("two calls of Build: %v, %v and %v, %v", m, err, again, errAgain)
		}
		if !reflect.DeepEqual(&local, localBefore) || !reflect.DeepEqual(&remote, remoteBefore) {
			t.Error("an argument was changed")
		}
		if err != nil {
			return
		}
		if m.UID != "" || m.ResourceVersion != "" || m.OwnerReferences != nil || m.Finalizers != nil || m.ManagedFields != nil ||
			m.Spec.ManagedBy != nil || m.Spec.TTLSecondsAfterFinished != nil || !reflect.DeepEqual(m.Status, batchv1.JobStatus{}) {
			t.Errorf("the mirror carries what is the local Job's: %s", toJSON(t, m))
		}
		if r := p.Relate(mirror.Pair{Local: &local, Remote: m}); r != mirror.Ours {
			t.Errorf("the mirror is %q", r)
		}
		if lost := mirror.Lost(m, again); lost != nil {
			t.Errorf("lost: %v", lost)
		}
		if sent := m.Annotations[sentKey]; sent != "" && !json.Valid([]byte(sent)) {
			t.Errorf("last-sent is no JSON: %s", sent)
		}
		if scribble(reflect.ValueOf(m)); !reflect.DeepEqual(&local, localBefore) {
			t.Error("the mirror shares memory with the local Job")
		}
		if len(m.Name) > 253 || strings.Contains(m.Name, "/") {
			t.Errorf("name %q", m.Name)
		}
	})
}
