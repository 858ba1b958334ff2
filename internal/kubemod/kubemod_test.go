// SPDX-License-Identifier: Apache-2.0

package kubemod_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/managedby-dev/managedby/internal/kubemod"
)

// upstream is in the form of a Kubernetes release's go.mod.
const upstream = `module k8s.io/kubernetes

go 1.24.0

godebug default=go1.24
godebug winsymlink=0

require (
	github.com/spf13/cobra v1.9.1
	k8s.io/api v0.0.0
)

replace (
	example.com/fork => example.com/ours v1.2.3
	k8s.io/api => ./staging/src/k8s.io/api
)
`

// wanted is what is made of it for release 1.34.4, in a file that has a module line alone.
const wanted = `module example.com/programs

go 1.24.0

godebug (
	default=go1.24
	winsymlink=0
)

require k8s.io/kubernetes v1.34.4

replace example.com/fork => example.com/ours v1.2.3

replace k8s.io/api => k8s.io/api v0.34.4
`

func write(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "go.mod")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestEdit(t *testing.T) {
	mod, err := kubemod.Read(write(t, upstream))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, before, why string }{
		{"new", "module example.com/programs\n", "all comes from upstream's"},
		{"again", wanted, "to edit twice is to edit once"},
		{"from another release", `module example.com/programs

go 1.23.0

godebug default=go1.23

require k8s.io/kubernetes v1.33.13

replace k8s.io/api => k8s.io/api v0.33.13
`, "the lines of the release before give way"},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := write(t, test.before)
			if err := kubemod.Edit(file, mod.Edits("1.34.4")); err != nil {
				t.Fatal(err)
			}
			got, want := read(t, file), read(t, write(t, wanted))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.why, diff)
			}
		})
	}
}

// read leaves aside how a file is laid out.
func read(t *testing.T, file string) map[string]any {
	t.Helper()
	mod, err := kubemod.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	replaced, debug := map[string]string{}, map[string]string{}
	for _, r := range mod.Replace {
		replaced[r.Old.Path] = r.New.Path + "@" + r.New.Version
	}
	for _, g := range mod.Godebug {
		debug[g.Key] = g.Value
	}
	return map[string]any{"go": mod.Go, "godebug": debug, "require": mod.Require, "replace": replaced}
}

func TestFetchRefusesWhatIsNoRelease(t *testing.T) {
	for _, release := range []string{"", "1.37", "v1.37.2", "1.37.2-rc", "1.37.2-gke.100", "1.37.2 ", "2.0.0", "../1.37.2"} {
		if _, err := kubemod.Fetch(release); err == nil {
			t.Errorf("%q is taken for a release", release)
		}
	}
}

func TestReplacements(t *testing.T) {
	got, err := kubemod.Replacements([]string{"example.com/a/v7=v7.0.0", "example.com/b=v0.1.0"})
	want := []string{"-replace=example.com/a/v7=example.com/a/v7@v7.0.0", "-replace=example.com/b=example.com/b@v0.1.0"}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if _, err := kubemod.Replacements([]string{"example.com/a"}); err == nil {
		t.Error("no version is taken for one")
	}
	if kubemod.IsPrerelease("1.38.0") || !kubemod.IsPrerelease("1.38.0-beta.0") {
		t.Error("a prerelease is not told from a release")
	}
}

func TestGoSaysWhatFailed(t *testing.T) {
	if _, err := kubemod.Go(t.TempDir(), "env", "-no-such-flag"); err == nil || !strings.HasPrefix(err.Error(), "go env -no-such-flag: ") {
		t.Errorf("the error is %v", err)
	}
	if _, err := kubemod.Read(filepath.Join(t.TempDir(), "go.mod")); err == nil {
		t.Error("a file that is not there can be read")
	}
}
