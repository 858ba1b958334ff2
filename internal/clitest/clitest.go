// SPDX-License-Identifier: Apache-2.0

// Package clitest is what the tests of the example programs share.
package clitest

import (
	"os"
	"strings"
	"testing"
)

// Files makes files in a directory of the test's own, and goes there, so that messages name them without a
// path.
func Files(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, content := range files {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// Golden compares with a file, or writes it if it is to be updated.
func Golden(t *testing.T, path, got string, update bool) {
	t.Helper()
	if update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run with -update?)", err)
	}
	if string(want) != got {
		t.Errorf("%s is not as before, from this line on:\n%s", path, after(string(want), got))
	}
}

// after returns what differs, from the first line on that does.
func after(want, got string) string {
	wanted, gotten := strings.Split(want, "\n"), strings.Split(got, "\n")
	for len(wanted) > 0 && len(gotten) > 0 && wanted[0] == gotten[0] {
		wanted, gotten = wanted[1:], gotten[1:]
	}
	return "want\n" + strings.Join(wanted, "\n") + "\ngot\n" + strings.Join(gotten, "\n")
}

// Refused checks that a program found its input unusable: exit status 2, nothing on standard output, and one
// line with that text on standard error.
func Refused(t *testing.T, want string, code int, stdout, stderr string) {
	t.Helper()
	switch {
	case code != 2:
		t.Errorf("exit %d, want 2, and %q", code, want)
	case stdout != "":
		t.Errorf("standard output: %s", stdout)
	case !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 1:
		t.Errorf("got  %s\nwant %s, on one line", stderr, want)
	}
}
