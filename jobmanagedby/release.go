// SPDX-License-Identifier: Apache-2.0

package jobmanagedby

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/version"
	apimachineryversion "k8s.io/apimachinery/pkg/version"
)

// Release is the release of one control-plane component and the setting of its JobManagedBy gate.
// It is a value: compare what it answers, not the pointers in it. The zero Release is the newest
// release known here ([Newest]) with its defaults.
//
// Say whose release it is where you hold one. The kube-controller-manager's decides whether the
// built-in controller skips a Job ([Decide]), the kube-apiserver's whether spec.managedBy is stored
// ([Dropped]) and which rules a status write has to pass. The two may differ during an upgrade.
type Release struct {
	// Version is the version of the binary. Nil, or a version of fewer than two numbers, stands for
	// the newest release known here.
	Version *version.Version

	// Gate is how --feature-gates sets JobManagedBy, by name or through AllAlpha and AllBeta; nil is
	// the default of the release. It counts only from 1.30 to 1.34 (of the emulated version).
	// Elsewhere there is no gate or it is locked, and a component that is told otherwise refuses to
	// start.
	Gate *bool

	// Emulation is the --emulated-version of the component, nil where it is not set. The default and
	// the lock of the gate go by it: a 1.37 binary that emulates 1.34 can be run with the gate off.
	// Rules coded in the binary go by Version. Only major and minor count.
	Emulation *version.Version
}

// Newest returns the newest release whose rules were checked against the released code, 1.37. What
// comes later is taken to behave like it; of 1.38 it is known from the beta that the gate is gone.
func Newest() Release { return Release{Version: version.MajorMinor(newestMajor, newestMinor)} }

// Oldest returns the oldest release that has spec.managedBy, 1.30. Older ones are understood too:
// they do not honour the field.
func Oldest() Release { return Release{Version: version.MajorMinor(oldestMajor, oldestMinor)} }

const (
	oldestMajor, oldestMinor = 1, 30
	newestMajor, newestMinor = 1, 37
)

// ParseError says which part of a version could not be read as a Kubernetes release. [ParseRelease]
// and [FromVersionInfo] return it as a *ParseError.
type ParseError struct {
	Field string // "gitVersion", "major and minor" or "emulationMajor and emulationMinor"
	Value string // as given
	Err   error
}

func (e *ParseError) Error() string {
	return fmt.Sprintf("%s %q names no Kubernetes release: %v", e.Field, e.Value, e.Err)
}

func (e *ParseError) Unwrap() error { return e.Err }

// ParseRelease reads the version of a component as it prints it: "v1.35.4", "1.32",
// "v1.33.5-gke.1162000", "v1.34.2+k3s1". At least major and minor must be there; what a vendor
// appends is kept where it is a semantic version, but never decides anything. White space around it
// (as in [unicode.IsSpace]) is ignored. A version with major 0 is an error: it is that of a Go module
// such as k8s.io/api, or of a binary built without a version ("v0.0.0-master+$Format:%H$"), for which
// [FromVersionInfo] knows better. So is one above 1: that of a distribution, such as OpenShift's, is
// not that of its Kubernetes.
//
// The error is a [*ParseError]; the Release is then the zero value, so do not use it.
func ParseRelease(gitVersion string) (Release, error) {
	v, err := parseVersion(gitVersion)
	if err != nil {
		return Release{}, &ParseError{Field: "gitVersion", Value: gitVersion, Err: err}
	}
	return Release{Version: v}, nil
}

// FromVersionInfo reads what a component answers on /version, which for an API server is what a
// discovery client's ServerVersion returns. GitVersion is used where it names a release; otherwise
// Major and Minor, such as "1" and "31+", with a patch level of 0 (a binary built without a version
// has a GitVersion of v0.0.0). The emulated version, which API servers report from 1.33 on, is taken
// over where it is older than the binary's. How the gate is set is not in there: set Gate where it
// is not the default.
//
// The error is a [*ParseError]; the Release is then the zero value, so do not use it.
func FromVersionInfo(info apimachineryversion.Info) (Release, error) {
	r, err := ParseRelease(info.GitVersion)
	if err != nil && info.Major+info.Minor != "" {
		r.Version, err = parseNumbers("major and minor", info.Major, info.Minor)
	}
	if err != nil {
		return Release{}, err
	}
	if info.EmulationMajor+info.EmulationMinor == "" {
		return r, nil
	}
	emulated, err := parseNumbers("emulationMajor and emulationMinor", info.EmulationMajor, info.EmulationMinor)
	if err != nil {
		return Release{}, err
	}
	if olderMinor(emulated, r.Version) {
		r.Emulation = emulated
	}
	return r, nil
}

func parseNumbers(name, major, minor string) (*version.Version, error) {
	value := major + "." + minor
	v, err := parseVersion(value)
	if err != nil {
		return nil, &ParseError{Field: name, Value: value, Err: err}
	}
	return v, nil
}

func parseVersion(s string) (*version.Version, error) {
	v, err := version.Parse(strings.TrimSpace(s))
	switch {
	case err != nil:
	case v.Major() == 0:
		err = errors.New("major version 0 is that of a Go module or of a build without a version")
	case v.Major() > 1:
		err = errors.New("there is no Kubernetes of that major version; OpenShift 4.18, say, is Kubernetes 1.31")
	}
	return v, err
}

func olderMinor(a, b *version.Version) bool {
	return numbers{b.Major(), b.Minor()}.after(numbers{a.Major(), a.Minor()})
}

// AtLeast reports whether Version is the given release or a later one. Only the three numbers are
// compared: "v1.33.5-gke.1162000" is 1.33.5, "v1.38.0-beta.0" counts as 1.38.0, and a version
// without a patch level as its .0. A nil Version is [Newest]. Emulation plays no part.
func (r Release) AtLeast(major, minor, patch uint) bool {
	own := numbers{newestMajor, newestMinor, 0}
	if usable(r.Version) {
		own = numbers{r.Version.Major(), r.Version.Minor(), r.Version.Patch()}
	}
	return !numbers{major, minor, patch}.after(own)
}

// numbers are major, minor and patch.
type numbers [3]uint

func (n numbers) after(o numbers) bool {
	for i := range n {
		if n[i] != o[i] {
			return n[i] > o[i]
		}
	}
	return false
}

func usable(v *version.Version) bool { return v != nil && len(v.Components()) >= 2 }

// HonorsManagedBy reports whether the component acts on spec.managedBy: the built-in controller skips
// a Job that names another controller, the API server keeps the field at create and applies the
// strict rules to status writes. It is the setting of the JobManagedBy gate in that release.
func (r Release) HonorsManagedBy() bool {
	g := r.gate()
	if g.settable && r.Gate != nil {
		return *r.Gate
	}
	return g.on
}

// String returns the version without a leading v, and what else was set and counts: "1.35.4",
// "1.31.14 (JobManagedBy on)", "1.37.2 (emulating 1.34, JobManagedBy off)".
func (r Release) String() string {
	v := r.Version
	if !usable(v) {
		v = Newest().Version
	}
	notes := r.notes()
	if len(notes) == 0 {
		return v.String()
	}
	return v.String() + " (" + strings.Join(notes, ", ") + ")"
}

func (r Release) notes() (notes []string) {
	if r.emulates() {
		notes = append(notes, fmt.Sprintf("emulating %d.%d", r.Emulation.Major(), r.Emulation.Minor()))
	}
	switch {
	case r.Gate == nil || !r.gate().settable:
	case *r.Gate:
		notes = append(notes, "JobManagedBy on")
	default:
		notes = append(notes, "JobManagedBy off")
	}
	return notes
}
