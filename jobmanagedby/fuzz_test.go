// SPDX-License-Identifier: Apache-2.0

package jobmanagedby_test

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/jobmanagedby"
)

var threeNumbers = regexp.MustCompile(`^v?([1-9][0-9]*)\.([0-9]+)(?:\.([0-9]+))?`)

// FuzzParseRelease: either a ParseError and no release, or a release of the three numbers that the
// string begins with, which reads back from its own String.
func FuzzParseRelease(f *testing.F) {
	for _, s := range []string{"v1.35.4", "1.32", "v1.33.5-gke.1162000", "v1.34.2+k3s1", "v0.34.0", "1.31+", "1.2.3.4", "", "v1", "1.30.0-0.01",
		"\v1.35.0", "\u00a01.35\u2003", "\u200b1.35", "\ufeff1.35", "1.35\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r, err := jobmanagedby.ParseRelease(s)
		if err != nil {
			var parse *jobmanagedby.ParseError
			if !errors.As(err, &parse) || parse.Value != s || r != (jobmanagedby.Release{}) {
				t.Fatalf("ParseRelease(%q) = %s, %v", s, r, err)
			}
			return
		}
		n := [3]uint{number(t, s, 1), number(t, s, 2), number(t, s, 3)}
		if !r.AtLeast(n[0], n[1], n[2]) || n[2] != math.MaxUint && r.AtLeast(n[0], n[1], n[2]+1) {
			t.Errorf("ParseRelease(%q) = %s, which is not %v", s, r, n)
		}
		if want := n[0] > 1 || n[1] >= 32; r.HonorsManagedBy() != want {
			t.Errorf("%q: HonorsManagedBy = %v", s, !want)
		}
		again, err := jobmanagedby.ParseRelease(r.String())
		if err != nil || again.String() != r.String() || !again.AtLeast(n[0], n[1], n[2]) {
			t.Errorf("%q prints as %s and reads back as %s, %v", s, r, again, err)
		}
	})
}

// number returns the i-th number that the version begins with, 0 where there is none.
func number(t *testing.T, s string, i int) uint {
	m := threeNumbers.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		t.Fatalf("%q was taken for a release", s)
	}
	if m[i] == "" {
		return 0
	}
	n, err := strconv.ParseUint(m[i], 10, 0)
	if err != nil {
		t.Fatalf("%q was taken for a release: %v", s, err)
	}
	return uint(n)
}

var (
	validDomain = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
	validPath   = regexp.MustCompile(`^[-A-Za-z0-9/._~%!$&'()*+,;=:]+$`)
)

// FuzzValidateName: nil if and only if the name is a domain-prefixed path of at most 63 bytes; errors
// on the given path only; and what is accepted is what Delegate accepts, but for the reserved name.
func FuzzValidateName(f *testing.F) {
	for _, s := range []string{"", "acme.io/dispatcher", "dispatcher", "/x", "x/", "Acme.io/x", "a_b/x", "acme.io/" + strings.Repeat("x", 56),
		"acmé.io/x", "acme.io/a b", "acme.io/a/b//", "acme.io/%20", "acme.io/\xff", jobmanagedby.JobController} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		path := field.NewPath("spec", "managedBy")
		errs := jobmanagedby.ValidateName(name, path)
		domain, rest, _ := strings.Cut(name, "/")
		want := len(name) <= jobmanagedby.MaxNameLength && validDomain.MatchString(domain) && validPath.MatchString(rest)
		if (errs == nil) != want {
			t.Fatalf("ValidateName(%q) = %v, want valid %v", name, errs, want)
		}
		for _, err := range errs {
			if err.Field != path.String() {
				t.Errorf("%q: error on %s", name, err.Field)
			}
		}
		if diff := cmp.Diff(problems(errs), problems(jobmanagedby.ValidateName(name, path))); diff != "" {
			t.Errorf("%q: not the same twice:\n%s", name, diff)
		}
		job := &batchv1.Job{}
		accepted := want && name != jobmanagedby.JobController
		if err := jobmanagedby.Delegate(job, name); (err == nil) != accepted || jobmanagedby.IsManagedBy(job, name) != want {
			t.Errorf("Delegate(%q) = %v, the Job says %q", name, err, jobmanagedby.ManagedBy(job))
		}
		if got := jobmanagedby.Default(&batchv1.Job{}, name); got != accepted {
			t.Errorf("Default(%q) = %v", name, got)
		}
	})
}

// FuzzDecide: the built-in controller skips if and only if the release honours the field and the value
// is a foreign one; an update is accepted if and only if nothing changes; a known controller is not
// unknown.
func FuzzDecide(f *testing.F) {
	f.Add("acme.io/dispatcher", "acme.io/dispatchr", true, uint8(31), uint8(2))
	f.Add("", "x", true, uint8(35), uint8(1))
	f.Add("kubernetes.io/job-controller", "", false, uint8(29), uint8(0))
	f.Fuzz(func(t *testing.T, name, other string, set bool, minor, gate uint8) {
		r := mustParse(t, fmt.Sprintf("1.%d", minor))
		if gate%3 > 0 {
			r.Gate = ptr.To(gate%3 == 1)
		}
		job, otherJob := jobFor(nil), jobFor(&other)
		if set {
			job.Spec.ManagedBy = &name
		}
		before := job.DeepCopy()
		d := jobmanagedby.Decide(job, r)
		if want := jobmanagedby.BuiltInSkips(job) && r.HonorsManagedBy(); d.Skip != want {
			t.Errorf("Decide = %+v, want skip %v", d, want)
		}
		if d.Controller != jobmanagedby.ManagedBy(job) || strings.Contains(strings.ReplaceAll(d.Message, strconv.Quote(d.Controller), ""), "%!") {
			t.Errorf("Decide = %+v", d)
		}
		if same := set && name == other; (jobmanagedby.ValidateUpdate(job, otherJob) == nil) != same {
			t.Errorf("ValidateUpdate from %q to %q (set %v) takes them for the same: %v", other, name, set, !same)
		}
		known := !set || name == other || name == jobmanagedby.JobController
		if err := jobmanagedby.CheckKnown(job, other); (err == nil) != known {
			t.Errorf("CheckKnown = %v, known %v", err, known)
		}
		if diff := cmp.Diff(before, job); diff != "" {
			t.Errorf("the Job was changed:\n%s", diff)
		}
	})
}
