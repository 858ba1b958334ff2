// SPDX-License-Identifier: Apache-2.0

// Package published reads what the tests of other kinds are about: the CRDs in the Go modules of the
// projects, and the objects that jobmanagedby is tested with.
package published

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/managedby-dev/managedby/jobmanagedby"
)

// CRD is a CRD in a release of a project.
type CRD struct {
	Object  string // the object of its kind: see [CRD.Load]
	Module  string // path@version
	Path    string // of the file in the module
	Version string // of the API
	// Unknown is what this release of the CRD does not know of the object yet.
	Unknown []string
}

// Release is the release of the operator.
func (c CRD) Release() string {
	_, version, _ := strings.Cut(c.Module, "@v")
	return version
}

// String names the CRD and its release.
func (c CRD) String() string { return c.Object + " " + c.Release() }

// Read reads the manifest, from the module cache or the module proxy.
func (c CRD) Read() (*apiextensionsv1.CustomResourceDefinition, error) {
	out, err := exec.Command("go", "mod", "download", "-json", c.Module).Output()
	if err != nil {
		return nil, fmt.Errorf("go mod download %s: %w\n%s", c.Module, err, out)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(filepath.Join(module.Dir, c.Path))
	if err != nil {
		return nil, err
	}
	definition := &apiextensionsv1.CustomResourceDefinition{}
	return definition, yaml.UnmarshalStrict(data, definition)
}

// Load reads the object of the CRD's kind.
func (c CRD) Load() (jobmanagedby.Kind, *unstructured.Unstructured, error) { return Load(c.Object) }

// Load reads an object of the testdata of jobmanagedby.
func Load(name string) (jobmanagedby.Kind, *unstructured.Unstructured, error) {
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/managedby-dev/managedby").Output()
	if err != nil {
		return jobmanagedby.Kind{}, nil, fmt.Errorf("go list -m: %w", err)
	}
	data, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "jobmanagedby", "testdata", "kinds", name+".yaml"))
	if err != nil {
		return jobmanagedby.Kind{}, nil, err
	}
	if data, err = yaml.YAMLToJSON(data); err != nil {
		return jobmanagedby.Kind{}, nil, err
	}
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(data); err != nil {
		return jobmanagedby.Kind{}, nil, err
	}
	kind, known := jobmanagedby.ForVersionKind(u.GroupVersionKind())
	if !known {
		err = fmt.Errorf("%s: %s is not known", name, u.GroupVersionKind())
	}
	return kind, u, err
}
