// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/managedby-dev/managedby/examples/multicluster/cluster"
	"github.com/managedby-dev/managedby/examples/multicluster/fleet"
)

// What is wrong at the start is said in a line, with exit code 2, and nothing is changed anywhere.
func TestControllerRefusesToStart(t *testing.T) {
	f := sharedFleet(t, cluster.Newest, cluster.Newest)
	management, worker := kubeconfig(t, f.Management, nil), kubeconfig(t, f.Workers[0], nil)
	marks := []int64{auditMark(t, f.Management), auditMark(t, f.Workers[0])}
	broken := filepath.Join(t.TempDir(), "broken")
	must(t, os.WriteFile(broken, []byte("{"), 0o600))
	badToken := func(config *rest.Config) { config.BearerToken = "nobody" }
	tests := []struct {
		name string
		args []string
		want string
	}{
		{"no management", []string{"-worker", "a=" + worker}, "-management is missing"},
		{"no worker", []string{"-management", management}, "-worker is missing"},
		{"worker without a name", []string{"-management", management, "-worker", worker}, "want name=file"},
		{"worker twice", []string{"-management", management, "-worker", "a=" + worker, "-worker", "a=" + worker}, "twice"},
		{"no such flag", []string{"-namespace", "x"}, "not defined"},
		{"an argument", []string{"-once", "x"}, "unexpected argument"},
		{"a worker's name that is taken", []string{"-management", management, "-worker", "none=" + worker}, "the name is taken"},
		{"empty kubeconfig", []string{"-management", os.DevNull, "-worker", "a=" + worker}, "no current context"},
		{"no such file", []string{"-management", broken + "-not", "-worker", "a=" + worker}, "no such file"},
		{"bad kubeconfig", []string{"-management", broken, "-worker", "a=" + worker}, "management cluster"},
		{"bad kubeconfig of a worker", []string{"-management", management, "-worker", "a=" + broken}, "worker a"},
		{"unreachable", []string{"-management", kubeconfig(t, f.Management, func(c *rest.Config) { c.Host = "https://" + freePort(t) }), "-worker", "a=" + worker}, "refused"},
		{"bad token", []string{"-management", kubeconfig(t, f.Management, badToken), "-worker", "a=" + worker}, "management cluster"},
		{"missing rights", []string{"-management", kubeconfig(t, f.Management, func(c *rest.Config) {
			c.BearerToken = withoutRights(t, f.Management)
		}), "-worker", "a=" + worker}, "rights are missing: get jobs.batch"},
		{"missing rights on a worker", []string{"-management", management, "-worker", "a=" + kubeconfig(t, f.Workers[0], func(c *rest.Config) {
			c.BearerToken = withoutRights(t, f.Workers[0])
		})}, "rights are missing: get jobs.batch"},
		{"gate off", []string{"-management", management, "-worker", "a=" + worker, "-management-gate", "off"}, "true or false"},
		{"bad controller", []string{"-management", management, "-worker", "a=" + worker, "-controller", "nodomain"}, "Controller"},
	}
	t.Run("all", func(t *testing.T) { // ends when the last of them has
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				t.Parallel()
				p := launch(t, append(test.args, quiet...)...)
				if code := p.wait(t); code != 2 {
					t.Errorf("exit code %d, want 2", code)
				}
				if !strings.Contains(p.log.String(), test.want) {
					t.Errorf("it says:\n%s\nwant %q in it", p.log, test.want)
				}
			})
		}
	})
	t.Run("nothing was changed", func(t *testing.T) {
		for i, c := range []*cluster.Cluster{f.Management, f.Workers[0]} {
			for _, call := range callsSince(t, c, marks[i]) {
				if call.Verb != "get" && call.ObjectRef.Resource != "selfsubjectaccessreviews" {
					t.Errorf("%s: %s", c.Name, call.name())
				}
			}
		}
	})
}

// A management cluster that ignores spec.managedBy is refused.
func TestControllerRefusesAnOldManagementCluster(t *testing.T) {
	old := sharedFleet(t, cluster.Newest, "1.30.14").Workers[0] // with a manifest that gives too few rights, which is looked at later
	p := launch(t, append(quiet, "-management", kubeconfig(t, old, nil), "-worker", "a="+kubeconfig(t, old, nil))...)
	if code := p.wait(t); code != 2 || !strings.Contains(p.log.String(), "ignores spec.managedBy") {
		t.Errorf("exit code %d:\n%s", code, p.log)
	}
}

// withoutRights is the token of a service account that has none.
func withoutRights(t *testing.T, c *cluster.Cluster) string {
	t.Helper()
	token, err := c.Token(t.Context(), fleet.Namespace, "nobody")
	must(t, err)
	return token
}
