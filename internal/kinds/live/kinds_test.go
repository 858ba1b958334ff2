// SPDX-License-Identifier: Apache-2.0

package live_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/mirror"
)

// TestAllKinds: every kind with the field is among the fixtures.
func TestAllKinds(t *testing.T) {
	covered := map[string]bool{}
	for _, f := range fixtures {
		kind, _ := f.load(t, "any")
		covered[kind.String()+" "+kind.Versions[0]] = true
	}
	for _, kind := range jobmanagedby.Kinds() {
		if kind.NoField == "" && !covered[kind.String()+" "+kind.Versions[0]] {
			t.Errorf("%s %s does not run", kind.GroupKind, kind.Versions[0])
		}
	}
}

// TestKinds takes an object of each kind to a mirror and back, and asks the server about its field. It prints a
// table of what was tried.
func TestKinds(t *testing.T) {
	table := []string{"kind | CRD | status writes | names refused | changes refused | result"}
	for _, f := range fixtures {
		var row []string
		passed := t.Run(f.object, func(t *testing.T) {
			row = []string{thereAndBack(t, f), names(t, f), changes(t, f)}
		})
		result := map[bool]string{true: "as the table says", false: "FAILED"}[passed]
		table = append(table, strings.Join(slices.Concat([]string{f.object, f.source}, row, []string{result}), " | "))
	}
	t.Log("\n" + strings.Join(table, "\n"))
}

// thereAndBack creates an object and its mirror, has the operator's statuses written to the mirror, and carries them
// back.
func thereAndBack(t *testing.T, f fixture) string {
	kind, u := f.load(t, "back")
	local := create(t, f.locals(), u)
	name, err := kind.ManagedBy(local)
	must(t, err)
	want, err := kind.ManagedBy(u)
	must(t, err)
	same(t, "the field", name, want)

	p := planner(t, kind, local, func(p *mirror.Policy) {
		if kind.Group == batchv1.GroupName {
			p.WorkerManagedBy = "acme.io/operator" // else the Job controller runs it
		}
	})
	m, err := p.BuildObject(kind, local)
	must(t, err)
	create(t, f.mirrors(), m)
	running, later := f.statuses(t)
	n := 0
	for _, status := range []map[string]any{running, later} {
		remote := operate(t, f.mirrors(), m.GetName(), status)
		local = read(t, f.locals(), "back")
		plan, err := p.PlanObjectStatus(kind, mirror.ObjectPair{Local: local, Remote: remote}, metav1.Now())
		must(t, err)
		if plan.Outcome != mirror.Copied || plan.Status == nil {
			t.Fatalf("the plan is %s", plan)
		}
		local = patch(t, f.locals(), "back", plan.Patch(local), "status")
		same(t, "the local status", local.Object["status"], remote.Object["status"])
		settled(t, kind, p, local, remote)
		n++
	}
	finished(t, f, kind, p, local, m.GetName())
	return fmt.Sprint(n)
}

// settled: applied and planned again, the plan writes nothing.
func settled(t *testing.T, kind jobmanagedby.Kind, p *mirror.Planner, local, remote *unstructured.Unstructured) {
	t.Helper()
	again, err := p.PlanObjectStatus(kind, mirror.ObjectPair{Local: local, Remote: remote}, metav1.NewTime(time.Now().Add(time.Hour)))
	must(t, err)
	if again.Status != nil {
		t.Errorf("planned again: %s %v", again, again.Status)
	}
}

// finished: the result is there and final, whatever the mirror shows afterwards.
func finished(t *testing.T, f fixture, kind jobmanagedby.Kind, p *mirror.Planner, local *unstructured.Unstructured, name string) {
	t.Helper()
	result, err := kind.Finished(local)
	must(t, err)
	if len(kind.Finish) == 0 {
		same(t, "the result", result, jobmanagedby.Unfinished)
		return
	}
	same(t, "the result", result, jobmanagedby.Succeeded)
	remote := read(t, f.mirrors(), name)
	remote.Object["status"], _ = f.statuses(t)
	plan, err := p.PlanObjectStatus(kind, mirror.ObjectPair{Local: local, Remote: remote}, metav1.Now())
	must(t, err)
	if plan.Outcome != mirror.Conflict || plan.Status != nil {
		t.Errorf("a mirror that runs again: %s", plan)
	}
}

// enforced reports whether the API server itself sees to what the table says of the field: webhooks are not
// there.
func enforced(kind jobmanagedby.Kind) bool {
	return kind.Checked == jobmanagedby.CheckedByCRD || kind.Checked == jobmanagedby.CheckedByAPIServer
}

// names: the server refuses at create what ValidateName says, with errors of that type at that place, and takes
// everything else.
func names(t *testing.T, f fixture) string {
	kind, u := f.load(t, "name")
	all := []string{
		kind.Reserved, "kueue.x-k8s.io/multikueue", "acme.io/dispatcher", jobmanagedby.JobController, "", "x", "Acme.io/x", "acme.io/a b",
		"acme.io/" + strings.Repeat("x", 55), "acme.io/" + strings.Repeat("x", 56), strings.Repeat("x", 250), strings.Repeat("x", 1000),
	}
	refused := 0
	for _, name := range all {
		set(t, kind, u, &name)
		_, err := f.locals().Create(t.Context(), u, metav1.CreateOptions{FieldValidation: strict, DryRun: []string{metav1.DryRunAll}})
		var want field.ErrorList
		if enforced(kind) {
			want = kind.ValidateName(name, fieldPath(kind))
		}
		got := about(t, kind, err)
		if len(name) > 253 && got != "" && len(want) > 0 {
			got = summary(want) // a CRD may have a limit beside its rule, and then the rule is not run
		}
		if got != summary(want) {
			t.Errorf("%q: the server says %s (%.300v), ValidateName %s", name, got, err, summary(want))
		}
		if err != nil {
			refused++
		}
	}
	return fmt.Sprintf("%d of %d", refused, len(all))
}

func fieldPath(kind jobmanagedby.Kind) *field.Path {
	path := strings.Split(kind.Field, ".")
	return field.NewPath(path[0], path[1:]...)
}

// about returns the types of the errors at the field.
func about(t *testing.T, kind jobmanagedby.Kind, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	status, isStatus := err.(apierrors.APIStatus)
	if !isStatus || !apierrors.IsInvalid(err) {
		t.Fatalf("the server says %v", err)
	}
	var types []string
	for _, cause := range status.Status().Details.Causes {
		if cause.Field == kind.Field {
			types = append(types, string(cause.Type))
		}
	}
	return strings.Join(types, ", ")
}

func summary(errs field.ErrorList) string {
	var types []string
	for _, err := range errs {
		types = append(types, string(err.Type))
	}
	return strings.Join(types, ", ")
}

// changes: the server takes the changes of a stored field that the table allows, and all where a webhook would look.
func changes(t *testing.T, f fixture) string {
	kind, u := f.load(t, "any")
	all := []*string{nil, &kind.Reserved, ptr.To("kueue.x-k8s.io/multikueue")}
	if len(kind.ValidateName("acme.io/dispatcher", fieldPath(kind))) == 0 {
		all = append(all, ptr.To("acme.io/dispatcher"))
	}
	refused, tried := 0, 0
	for i, from := range all {
		set(t, kind, u, from)
		u.SetName(fmt.Sprintf("change-%d", i))
		create(t, f.locals(), u)
		for _, to := range all {
			tried++
			_, err := f.locals().Patch(t.Context(), u.GetName(), types.MergePatchType, fieldPatch(t, kind, to), metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
			if want := !enforced(kind) || kind.Allows(from, to); want != (err == nil) {
				t.Errorf("from %q to %q: %v, want allowed: %v", ptr.Deref(from, "nil"), ptr.Deref(to, "nil"), err, want)
			}
			if err != nil {
				about(t, kind, err)
				refused++
			}
		}
	}
	return fmt.Sprintf("%d of %d", refused, tried)
}

// fieldPatch is a merge patch of the field, null for nil.
func fieldPatch(t *testing.T, kind jobmanagedby.Kind, name *string) []byte {
	t.Helper()
	var value any
	if name != nil {
		value = *name
	}
	path := strings.Split(kind.Field, ".")
	for _, member := range slices.Backward(path) {
		value = map[string]any{member: value}
	}
	data, err := json.Marshal(value)
	must(t, err)
	return data
}
