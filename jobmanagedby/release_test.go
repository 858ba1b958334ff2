// SPDX-License-Identifier: Apache-2.0

package jobmanagedby_test

import (
	"errors"
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/util/version"
	apimachineryversion "k8s.io/apimachinery/pkg/version"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/jobmanagedby"
)

func mustParse(t testing.TB, s string) jobmanagedby.Release {
	t.Helper()
	r, err := jobmanagedby.ParseRelease(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The whole gate table: every release, and the gate as it was not set, switched off and switched on.
func TestHonorsManagedByRelease(t *testing.T) {
	tests := []struct {
		release        string
		unset, off, on bool
		why            string
	}{
		{"1.9", false, false, false, "minor is a number: 1.9 is older than 1.30"},
		{"1.29", false, false, false, "no field"},
		{"1.29.14", false, false, false, "no field"},
		{"1.30", false, false, true, "alpha"},
		{"1.30.14", false, false, true, "alpha"},
		{"1.31", false, false, true, "alpha"},
		{"1.31.14", false, false, true, "alpha"},
		{"1.32.0-alpha.1", true, false, true, "pre-releases count as the release"},
		{"1.32", true, false, true, "beta"},
		{"1.33", true, false, true, "beta"},
		{"1.34.4", true, false, true, "beta"},
		{"1.35.0-rc.1", true, true, true, "locked"},
		{"1.35", true, true, true, "locked"},
		{"1.36", true, true, true, "locked"},
		{"1.37.2", true, true, true, "locked"},
		{"1.38", true, true, true, "no gate"},
		{"1.100", true, true, true, "what comes later is as the newest"},
	}
	for _, tt := range tests {
		t.Run(tt.release, func(t *testing.T) {
			r := mustParse(t, tt.release)
			for _, gate := range []struct {
				set  *bool
				want bool
			}{{nil, tt.unset}, {ptr.To(false), tt.off}, {ptr.To(true), tt.on}} {
				r.Gate = gate.set
				if got := r.HonorsManagedBy(); got != gate.want {
					t.Errorf("%s: HonorsManagedBy = %v, want %v: %s", r, got, gate.want, tt.why)
				}
			}
		})
	}
}

func TestHonorsManagedByEmulation(t *testing.T) {
	tests := []struct {
		binary, emulated string
		unset, off, on   bool
		why              string
	}{
		{"1.37", "1.34", true, false, true, "the lock came with 1.35"},
		{"1.37", "1.35", true, true, true, "locked in the emulated release too"},
		{"1.35", "1.34", true, false, true, "the lock came with 1.35"},
		{"1.33", "1.32", true, false, true, "beta both ways"},
		{"1.32", "1.31", false, false, true, "the default was off in 1.31"},
		{"1.32", "1.29", false, false, false, "before the first stage the gate is off and locked"},
		{"1.38", "1.35", true, true, true, "the 1.38 binary has no gate"},
		{"1.31", "1.37", false, false, true, "no binary emulates a newer one"},
		{"1.38", "1.34", true, true, true, "the 1.38 binary has no gate, whatever it emulates"},
	}
	for _, tt := range tests {
		t.Run(tt.binary+" as "+tt.emulated, func(t *testing.T) {
			r := mustParse(t, tt.binary)
			r.Emulation = mustParse(t, tt.emulated).Version
			for _, gate := range []struct {
				set  *bool
				want bool
			}{{nil, tt.unset}, {ptr.To(false), tt.off}, {ptr.To(true), tt.on}} {
				r.Gate = gate.set
				if got := r.HonorsManagedBy(); got != gate.want {
					t.Errorf("%s: HonorsManagedBy = %v, want %v: %s", r, got, gate.want, tt.why)
				}
			}
		})
	}
}

func TestParseRelease(t *testing.T) {
	tests := []struct {
		name, in            string
		major, minor, patch uint
		text                string
	}{
		{"upstream", "v1.35.4", 1, 35, 4, "1.35.4"},
		{"without v", "1.32", 1, 32, 0, "1.32"},
		{"pre-release", "v1.38.0-beta.0", 1, 38, 0, "1.38.0-beta.0"},
		{"built from a branch", "v1.36.0-alpha.1.12+abcdef0123-dirty", 1, 36, 0, "1.36.0-alpha.1.12+abcdef0123-dirty"},
		{"GKE", "v1.33.5-gke.1162000", 1, 33, 5, "1.33.5-gke.1162000"},
		{"EKS", "v1.31.13-eks-113cf36", 1, 31, 13, "1.31.13-eks-113cf36"},
		{"AKS", "v1.34.2", 1, 34, 2, "1.34.2"},
		{"AKS long-term support", "v1.30.100-akslts", 1, 30, 100, "1.30.100-akslts"},
		{"K3s", "v1.34.2+k3s1", 1, 34, 2, "1.34.2+k3s1"},
		{"K3s release candidate", "v1.34.2-rc1+k3s1", 1, 34, 2, "1.34.2-rc1+k3s1"},
		{"RKE2", "v1.33.6+rke2r1", 1, 33, 6, "1.33.6+rke2r1"},
		{"OpenShift", "v1.32.9-55+5f4ffcb", 1, 32, 9, "1.32.9-55+5f4ffcb"},
		{"OpenShift build metadata", "v1.30.4+20b4a2a", 1, 30, 4, "1.30.4+20b4a2a"},
		{"two vendors' marks", "v1.28.7+vmware.1-fips.1", 1, 28, 7, "1.28.7+vmware.1-fips.1"},
		{"not a semantic version", "v1.28.8_3.0", 1, 28, 8, "1.28.8"},
		{"zero-prefixed pre-release", "v1.33.5-gke.01", 1, 33, 5, "1.33.5"},
		{"four numbers", "1.33.5.7", 1, 33, 5, "1.33.5.7"},
		{"minor with plus", "1.31+", 1, 31, 0, "1.31"},
		{"white space", " v1.35.4\n", 1, 35, 4, "1.35.4"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := mustParse(t, tt.in)
			if v := r.Version; v.Major() != tt.major || v.Minor() != tt.minor || v.Patch() != tt.patch {
				t.Errorf("ParseRelease(%q) = %s, want %d.%d.%d", tt.in, v, tt.major, tt.minor, tt.patch)
			}
			if r.String() != tt.text {
				t.Errorf("String() = %q, want %q", r, tt.text)
			}
			if r.Gate != nil || r.Emulation != nil {
				t.Errorf("a version string says nothing of gate or emulation: %s", r)
			}
			if !r.AtLeast(tt.major, tt.minor, tt.patch) || r.AtLeast(tt.major, tt.minor, tt.patch+1) {
				t.Errorf("%s is not compared by its three numbers", r)
			}
		})
	}
}

func TestParseReleaseErrors(t *testing.T) {
	tests := []struct{ name, in, why string }{
		{"empty", "", "not the newest release: say so with the zero Release"},
		{"no number", "latest", "a release has a number"},
		{"major only", "v1", "the minor decides"},
		{"OpenShift's own version", "4.18.3", "not the version of its Kubernetes, and would be read as newer than all"},
		{"major 0", "v0.34.0", "the version of k8s.io/api, not of a component"},
		{"unversioned build", "v0.0.0-master+$Format:%H$", "what go build leaves in a component"},
		{"zero-prefixed major", "01.35", "not a version"},
		{"negative", "-1.35", "not a version"},
		{"too big", "1.99999999999999999999", "not a number that fits"},
		{"v in upper case", "V1.35.4", "not a version as components print it"},
		{"two lines", "1.35\n1.36", "not one version"},
		{"emulation in words", "emulating 1.34", "not a version"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := jobmanagedby.ParseRelease(tt.in)
			var parse *jobmanagedby.ParseError
			if !errors.As(err, &parse) {
				t.Fatalf("ParseRelease(%q) = %s, %v, want a ParseError: %s", tt.in, r, err, tt.why)
			}
			if parse.Field != "gitVersion" || parse.Value != tt.in || parse.Unwrap() == nil {
				t.Errorf("ParseError %+v does not name what was given", parse)
			}
			if r != (jobmanagedby.Release{}) {
				t.Errorf("a release came with the error: %s", r)
			}
		})
	}
}

func TestFromVersionInfo(t *testing.T) {
	type info = apimachineryversion.Info
	tests := []struct {
		name string
		info info
		want string
	}{
		{"all the same", info{Major: "1", Minor: "35", EmulationMajor: "1", EmulationMinor: "35", GitVersion: "v1.35.4"}, "1.35.4"},
		{"before emulation was reported", info{Major: "1", Minor: "30", GitVersion: "v1.30.14"}, "1.30.14"},
		{"emulating", info{Major: "1", Minor: "37", EmulationMajor: "1", EmulationMinor: "34", GitVersion: "v1.37.2"}, "1.37.2 (emulating 1.34)"},
		{"emulating nothing older", info{EmulationMajor: "1", EmulationMinor: "36", GitVersion: "v1.35.4"}, "1.35.4"},
		{"a vendor's", info{Major: "1", Minor: "31+", GitVersion: "v1.31.13-eks-113cf36"}, "1.31.13-eks-113cf36"},
		{"numbers only", info{Major: "1", Minor: "31"}, "1.31"},
		{"numbers only, with a plus", info{Major: "1", Minor: "31+"}, "1.31"},
		{"numbers only, emulating", info{Major: "1", Minor: "37", EmulationMajor: "1", EmulationMinor: "34+"}, "1.37 (emulating 1.34)"},
		{"unversioned build", info{Major: "1", Minor: "37", EmulationMajor: "1", EmulationMinor: "37", GitVersion: "v0.0.0-master+$Format:%H$"}, "1.37"},
		{"unreadable version", info{Major: "1", Minor: "37", GitVersion: "custom"}, "1.37"},
		{"version goes before numbers", info{Major: "1", Minor: "36", GitVersion: "v1.37.2"}, "1.37.2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := jobmanagedby.FromVersionInfo(tt.info)
			if err != nil || got.String() != tt.want {
				t.Errorf("FromVersionInfo = %s, %v, want %s", got, err, tt.want)
			}
		})
	}
}

func TestFromVersionInfoErrors(t *testing.T) {
	type info = apimachineryversion.Info
	tests := []struct {
		name         string
		info         info
		field, value string
	}{
		{"empty", info{}, "gitVersion", ""},
		{"unversioned build without numbers", info{GitVersion: "v0.0.0-master+$Format:%H$"}, "gitVersion", "v0.0.0-master+$Format:%H$"},
		{"no minor", info{Major: "1"}, "major and minor", "1."},
		{"no major", info{Minor: "31"}, "major and minor", ".31"},
		{"nothing readable", info{Major: "one", Minor: "31", GitVersion: "custom"}, "major and minor", "one.31"},
		{"half an emulation", info{GitVersion: "v1.37.2", EmulationMinor: "34"}, "emulationMajor and emulationMinor", ".34"},
		{"emulation in words", info{GitVersion: "v1.37.2", EmulationMajor: "1", EmulationMinor: "x"}, "emulationMajor and emulationMinor", "1.x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := jobmanagedby.FromVersionInfo(tt.info)
			var parse *jobmanagedby.ParseError
			if !errors.As(err, &parse) || parse.Field != tt.field || parse.Value != tt.value {
				t.Errorf("FromVersionInfo = %v, want a ParseError of %s %q", err, tt.field, tt.value)
			}
			if r != (jobmanagedby.Release{}) {
				t.Errorf("a release came with the error: %s", r)
			}
		})
	}
}

func TestAtLeast(t *testing.T) {
	tests := []struct {
		release             string
		major, minor, patch uint
		want                bool
	}{
		{"1.34.2", 1, 34, 2, true},
		{"1.34.2", 1, 34, 1, true},
		{"1.34.2", 1, 34, 3, false},
		{"1.34.2", 1, 33, 9, true},
		{"1.34.2", 1, 35, 0, false},
		{"1.34.2", 0, 99, 99, true},
		{"1.34.2", 2, 0, 0, false},
		{"1.34", 1, 34, 0, true},
		{"1.34", 1, 34, 1, false},
		{"1.38.0-beta.0", 1, 38, 0, true},
		{"1.33.5-gke.1162000", 1, 33, 5, true},
		{"1.33.5-gke.1162000", 1, 33, 6, false},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%s/%d.%d.%d", tt.release, tt.major, tt.minor, tt.patch), func(t *testing.T) {
			r := mustParse(t, tt.release)
			if got := r.AtLeast(tt.major, tt.minor, tt.patch); got != tt.want {
				t.Errorf("AtLeast = %v, want %v", got, tt.want)
			}
			r.Emulation, r.Gate = version.MajorMinor(1, 30), ptr.To(false)
			if got := r.AtLeast(tt.major, tt.minor, tt.patch); got != tt.want {
				t.Errorf("AtLeast = %v with an emulation, want %v: rules in the binary go by its version", got, tt.want)
			}
		})
	}
}

// A Release without a version is the newest one in every respect, also where the version is there
// but empty.
func TestZeroReleaseIsNewest(t *testing.T) {
	newest := jobmanagedby.Newest()
	v := newest.Version
	for name, r := range map[string]jobmanagedby.Release{
		"zero":          {},
		"empty version": {Version: &version.Version{}},
		"empty both":    {Version: &version.Version{}, Emulation: &version.Version{}},
	} {
		t.Run(name, func(t *testing.T) {
			if r.String() != newest.String() || !r.HonorsManagedBy() {
				t.Errorf("%s is not %s", r, newest)
			}
			if !r.AtLeast(v.Major(), v.Minor(), v.Patch()) || r.AtLeast(v.Major(), v.Minor(), v.Patch()+1) {
				t.Errorf("AtLeast does not take %s for %s", r, newest)
			}
		})
	}
}

// An emulated version that is there but empty is none.
func TestEmptyEmulationIsNone(t *testing.T) {
	r := mustParse(t, "1.31.14")
	r.Emulation = &version.Version{}
	if r.HonorsManagedBy() || r.String() != "1.31.14" {
		t.Errorf("%s honours the field: %v", r, r.HonorsManagedBy())
	}
}

// Oldest is where the field begins: one minor release before it, no setting makes it honoured.
func TestOldestHasTheField(t *testing.T) {
	on := jobmanagedby.Oldest()
	on.Gate = ptr.To(true)
	if !on.HonorsManagedBy() {
		t.Errorf("%s does not honour the field", on)
	}
	before := jobmanagedby.Release{Version: on.Version.SubtractMinor(1), Gate: ptr.To(true)}
	if before.HonorsManagedBy() {
		t.Errorf("%s honours the field", before)
	}
}

// Newest and Oldest are fresh values: who changes one does not change the next.
func TestNewestIsFresh(t *testing.T) {
	for _, f := range []func() jobmanagedby.Release{jobmanagedby.Newest, jobmanagedby.Oldest} {
		want := f().String()
		*f().Version = *version.MajorMinor(1, 1)
		if got := f().String(); got != want {
			t.Errorf("%s became %s", want, got)
		}
	}
}

func TestReleaseString(t *testing.T) {
	tests := []struct {
		binary, emulated string
		gate             *bool
		want             string
	}{
		{"v1.35.4", "", nil, "1.35.4"},
		{"v1.31.14", "", ptr.To(true), "1.31.14 (JobManagedBy on)"},
		{"v1.33.13", "", ptr.To(false), "1.33.13 (JobManagedBy off)"},
		{"v1.35.4", "", ptr.To(false), "1.35.4"},
		{"v1.38.0", "", ptr.To(false), "1.38.0"},
		{"v1.29.14", "", ptr.To(true), "1.29.14"},
		{"v1.37.2", "1.34", nil, "1.37.2 (emulating 1.34)"},
		{"v1.31.14", "1.37", nil, "1.31.14"},
		{"v1.37.2", "1.34.7", ptr.To(false), "1.37.2 (emulating 1.34, JobManagedBy off)"},
	}
	for _, tt := range tests {
		r := mustParse(t, tt.binary)
		r.Gate = tt.gate
		if tt.emulated != "" {
			r.Emulation = mustParse(t, tt.emulated).Version
		}
		if got := r.String(); got != tt.want {
			t.Errorf("String() = %q, want %q", got, tt.want)
		}
	}
}
