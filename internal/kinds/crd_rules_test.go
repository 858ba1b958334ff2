// SPDX-License-Identifier: Apache-2.0

package kinds_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/managedby-dev/managedby/internal/kinds/published"
	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/mirror"
)

var now = metav1.Unix(1_780_000_000, 0)

// TestPublished takes the object of each CRD there and back through the real schema and rules: created as
// it is, mirrored, the mirror created, its status written as the operator does, and copied back.
func TestPublished(t *testing.T) {
	for _, pub := range published.CRDs() {
		t.Run(pub.String(), func(t *testing.T) {
			c := schemaOf(t, pub)
			k, u := object(t, pub.Object)
			delete(u.Object, "status")
			stored, dropped, errs := c.create(u)
			if len(errs) > 0 || !slices.Equal(dropped, pub.Unknown) {
				t.Fatalf("dropped %q, want %q; errors %v", dropped, pub.Unknown, errs)
			}
			checkSince(t, k, u, stored, pub.Release())

			p := planner(t, k, u)
			m, err := p.BuildObject(k, u)
			if err != nil {
				t.Fatal(err)
			}
			remote, lost, errs := c.create(m)
			if len(errs) > 0 || slices.Contains(lost, k.Field) || len(lost) > len(pub.Unknown) {
				t.Errorf("the mirror: dropped %q, errors %v", lost, errs)
			}
			if name, err := k.ManagedBy(remote); err != nil || name != k.Reserved || namesController(remote) {
				t.Errorf("the mirror is managed by %q, %v: %v", name, err, remote.Object["spec"])
			}
			if slices.Contains(dropped, k.Field) {
				plan, err := p.PlanObjectStatus(k, mirror.ObjectPair{Local: stored, Remote: remote}, now)
				if err != nil || plan.Outcome != mirror.NotManaged {
					t.Errorf("the field is dropped, and the plan is %s, %v", plan, err)
				}
				return
			}
			running, later, err := published.Statuses(pub.Object)
			if err != nil {
				t.Fatal(err)
			}
			local := stored
			for _, status := range []map[string]any{running, later} {
				remote.Object["status"] = status
				local = copyBack(t, c, p, k, local, remote)
			}
			if result, err := k.Finished(local); err != nil || len(k.Finish) > 0 && result != jobmanagedby.Succeeded {
				t.Errorf("Finished = %q, %v", result, err)
			}
		})
	}
}

// namesController reports whether the spec names one of the controllers that are named in the testdata.
func namesController(u *unstructured.Unstructured) bool {
	spec := fmt.Sprint(u.Object["spec"])
	return strings.Contains(spec, "acme.io/dispatcher") || strings.Contains(spec, "kueue.x-k8s.io/multikueue")
}

// copyBack writes the status of the mirror, carries it over, and returns the local object as it is stored then.
func copyBack(t *testing.T, c crd, p *mirror.Planner, k jobmanagedby.Kind, local, remote *unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	ran, dropped, errs := c.update(remote, remote)
	if len(errs) > 0 || len(dropped) > 0 {
		t.Fatalf("the status: dropped %q, errors %v", dropped, errs)
	}
	plan, err := p.PlanObjectStatus(k, mirror.ObjectPair{Local: local, Remote: ran}, now)
	if err != nil || plan.Outcome != mirror.Copied {
		t.Fatalf("the plan is %s, %v", plan, err)
	}
	shown := local.DeepCopy()
	shown.Object["status"] = plan.Status
	after, dropped, errs := c.update(shown, local)
	if len(errs) > 0 || slices.ContainsFunc(dropped, func(path string) bool { return strings.HasPrefix(path, "status") }) {
		t.Fatalf("copied back: dropped %q, errors %v", dropped, errs)
	}
	return after
}

// checkSince: a release that the table says has the field keeps it, and an earlier one drops it.
func checkSince(t *testing.T, k jobmanagedby.Kind, sent, stored *unstructured.Unstructured, release string) {
	t.Helper()
	operator, err := jobmanagedby.ParseOperator(release)
	if err != nil {
		t.Fatal(err)
	}
	d, err := k.Decide(sent, operator)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := k.ManagedBy(sent)
	got, _ := k.ManagedBy(stored)
	if dropped := got != want; dropped != (d.Reason == jobmanagedby.ReasonReleaseTooOld) {
		t.Errorf("%s: %q became %q, but Decide says %s", release, want, got, d.Reason)
	}
}

// TestClosedSets: a CRD refuses the names that the table says it refuses, with an error of that type at
// that place, and takes the others.
func TestClosedSets(t *testing.T) {
	checked := 0
	for _, pub := range published.CRDs() {
		if slices.Contains(pub.Unknown, "spec.managedBy") || slices.Contains(pub.Unknown, "spec.runPolicy.managedBy") {
			continue
		}
		c := schemaOf(t, pub)
		k, u := object(t, pub.Object)
		for _, name := range []string{k.Reserved, "kueue.x-k8s.io/multikueue", "acme.io/dispatcher", "", "x", jobmanagedby.JobController, strings.Repeat("x", 250)} {
			put(u, name)
			_, _, errs := c.create(u)
			want := k.ValidateName(name, field.NewPath("spec", "managedBy"))
			if k.Checked != jobmanagedby.CheckedByCRD {
				want = nil // the webhook's, see TestJobSetWebhook
			}
			if len(errs) != len(want) || len(errs) > 0 && (errs[0].Type != want[0].Type || errs[0].Field != want[0].Field) {
				t.Errorf("%s %q: %v, want %v", k.Kind, name, errs, want)
			}
			checked++
		}
	}
	if checked < 150 {
		t.Errorf("%d names", checked)
	}
}

// TestChanges: a CRD takes the changes of the field that the table says it takes.
func TestChanges(t *testing.T) {
	for _, name := range []string{"trainjob", "rayjob", "raycluster"} {
		for _, pub := range published.CRDs() {
			if pub.Object != name {
				continue
			}
			c := schemaOf(t, pub)
			k, u := object(t, pub.Object)
			values := []any{nil, k.Reserved, "kueue.x-k8s.io/multikueue"}
			for _, from := range values {
				for _, to := range values {
					put(u, from)
					old, _, errs := c.create(u)
					if len(errs) > 0 {
						t.Fatal(errs)
					}
					put(u, to)
					_, _, errs = c.update(u, old)
					if want := k.Allows(pointer(from), pointer(to)); want != (len(errs) == 0) {
						t.Errorf("%s from %v to %v: %v, want allowed %v", k.Kind, from, to, errs, want)
					}
				}
			}
		}
	}
}

// TestDefaulted: the CRD sets the field where the table says so, and only there.
func TestDefaulted(t *testing.T) {
	for _, pub := range published.CRDs() {
		c := schemaOf(t, pub)
		k, u := object(t, pub.Object)
		spec := u.Object["spec"].(map[string]any)
		delete(spec, "managedBy")
		if policy, ok := spec["runPolicy"].(map[string]any); ok {
			delete(policy, "managedBy")
		}
		stored, _, _ := c.create(u)
		value, isSet, err := unstructured.NestedString(stored.Object, strings.Split(k.Field, ".")...)
		if err != nil || isSet != k.Defaulted || isSet && value != k.Reserved {
			t.Errorf("%s: %q, %v, %v", k.Kind, value, isSet, err)
		}
	}
}

// put sets spec.managedBy, or takes it out for nil.
func put(u *unstructured.Unstructured, value any) {
	spec := u.Object["spec"].(map[string]any)
	if value == nil {
		delete(spec, "managedBy")
		return
	}
	spec["managedBy"] = value
}

func pointer(value any) *string {
	if s, ok := value.(string); ok {
		return &s
	}
	return nil
}
