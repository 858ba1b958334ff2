// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestPlugin builds the program under the name that makes it a plugin of kubectl, and runs it as kubectl does.
func TestPlugin(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program")
	}
	binary := filepath.Join(t.TempDir(), "kubectl-statuslint")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	tests := []struct {
		args, stdin string
		code        int
		says        string
	}{
		{"-h", "", exitClean, "  kubectl statuslint FILE...\n"},
		{"-", jobWith("a", "", "active: -1"), exitFindings, "error NegativeActive status.active"},
		{"-", "", exitUsage, "kubectl statuslint: standard input: there is no Job in it\n"},
	}
	for _, tt := range tests {
		cmd := exec.Command(binary, tt.args)
		cmd.Stdin = strings.NewReader(tt.stdin)
		out, err := cmd.CombinedOutput()
		code := 0
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			code = exit.ExitCode()
		} else if err != nil {
			t.Fatal(err)
		}
		if code != tt.code || !strings.Contains(string(out), tt.says) {
			t.Errorf("%s: exit %d, want %d and %q:\n%s", tt.args, code, tt.code, tt.says, out)
		}
	}
}
