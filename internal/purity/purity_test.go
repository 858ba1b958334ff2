// SPDX-License-Identifier: Apache-2.0

// Package purity_test holds the library to what its README promises: that it is pure, and that it
// needs four modules.
package purity_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/managedby-dev/managedby/"

// packages are the library's, each with those of the others that it may import.
var packages = map[string][]string{
	"jobmanagedby":   nil,
	"statusvalidate": {"jobmanagedby"},
	"mirror":         {"jobmanagedby", "statusvalidate"},
}

// std are the standard packages that the library may import: none that does I/O, logs, keeps the
// time or draws random numbers.
var std = []string{
	"bytes", "cmp", "crypto/sha256", "encoding/base64", "encoding/json", "errors", "fmt", "iter", "maps", "math", "math/bits",
	"reflect", "slices", "strconv", "strings", "time", "unicode", "unicode/utf8",
}

// forbidden are the names that a pure library has no business with.
var forbidden = map[string]string{
	"time.Now": "take the time as an argument", "time.Since": "take the time as an argument", "time.Until": "take the time as an argument",
	"time.Sleep": "a pure library does not wait", "time.After": "a pure library does not wait",
	"metav1.Now": "take the time as an argument",
	"fmt.Print":  "a pure library does not print", "fmt.Println": "a pure library does not print", "fmt.Printf": "a pure library does not print",
}

func sources(t *testing.T, name string) map[string]*ast.File {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", "..", name, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]*ast.File{}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Join(name, filepath.Base(path))] = f
	}
	if len(files) == 0 {
		t.Fatalf("no sources of %s", name)
	}
	return files
}

func TestImports(t *testing.T) {
	for name, siblings := range packages {
		for path, file := range sources(t, name) {
			for _, spec := range file.Imports {
				imported, _ := strconv.Unquote(spec.Path.Value)
				sibling, own := strings.CutPrefix(imported, module)
				allowed := slices.Contains(std, imported) ||
					own && (slices.Contains(siblings, sibling) || strings.HasPrefix(sibling, "internal/")) ||
					strings.HasPrefix(imported, "k8s.io/api/") || strings.HasPrefix(imported, "k8s.io/apimachinery/") ||
					strings.HasPrefix(imported, "k8s.io/utils/")
				if !allowed {
					t.Errorf("%s imports %s", path, imported)
				}
			}
		}
	}
}

func TestPurity(t *testing.T) {
	for name := range packages {
		for path, file := range sources(t, name) {
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.GoStmt:
					t.Errorf("%s starts a goroutine", path)
				case *ast.SelectorExpr:
					if x, ok := n.X.(*ast.Ident); ok {
						if why, bad := forbidden[x.Name+"."+n.Sel.Name]; bad {
							t.Errorf("%s uses %s.%s: %s", path, x.Name, n.Sel.Name, why)
						}
					}
				case *ast.FuncDecl:
					if n.Recv == nil && n.Name.Name == "init" {
						t.Errorf("%s has an init function", path)
					}
				}
				return true
			})
		}
	}
}

// TestPackageVariables looks for package-level variables that are written to after they were set:
// tables are fine, state is not.
func TestPackageVariables(t *testing.T) {
	for name := range packages {
		variables, files := map[string]bool{}, sources(t, name)
		for _, file := range files {
			for _, d := range file.Decls {
				g, ok := d.(*ast.GenDecl)
				if !ok || g.Tok != token.VAR {
					continue
				}
				for _, s := range g.Specs {
					for _, id := range s.(*ast.ValueSpec).Names {
						variables[id.Name] = true
					}
				}
			}
		}
		for path, file := range files {
			ast.Inspect(file, func(n ast.Node) bool {
				a, ok := n.(*ast.AssignStmt)
				if !ok || a.Tok == token.DEFINE {
					return true
				}
				for _, lhs := range a.Lhs {
					if id := root(lhs); id != nil && variables[id.Name] && !declaredIn(file, id) {
						t.Errorf("%s writes to the package variable %s", path, id.Name)
					}
				}
				return true
			})
		}
	}
}

// declaredIn reports whether the name is, somewhere in the file, that of a local variable or
// parameter too; the check lets it pass then.
func declaredIn(file *ast.File, id *ast.Ident) bool {
	return id.Obj != nil && file.Scope.Lookup(id.Name) != id.Obj
}

// root returns the variable that an expression on the left of an assignment begins with.
func root(e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x
		case *ast.IndexExpr:
			e = x.X
		case *ast.SelectorExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		default:
			return nil
		}
	}
}

// TestRequirements checks the direct requirements and the floor in go.mod.
func TestRequirements(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	var direct []string
	for _, line := range strings.Split(string(data), "\n") {
		if m := regexp.MustCompile(`^\s+(\S+) (v\S+)$`).FindStringSubmatch(line); m != nil {
			direct = append(direct, m[1]+" "+m[2])
		}
	}
	want := []string{
		"github.com/google/go-cmp v0.7.0", "k8s.io/api v0.34.0", "k8s.io/apimachinery v0.34.0",
		"k8s.io/utils v0.0.0-20250604170112-4c0f3b243397",
	}
	if !slices.Equal(direct, want) {
		t.Errorf("go.mod requires %q directly, want %q", direct, want)
	}
	for _, line := range []string{"replace ", "exclude ", "toolchain ", "tool "} {
		if strings.Contains("\n"+string(data), "\n"+line) {
			t.Errorf("go.mod has a line %q", line)
		}
	}
}
