// SPDX-License-Identifier: Apache-2.0

package purity_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestExamples: every exported function and method has an example, but for those by which errors are errors.
func TestExamples(t *testing.T) {
	n := 0
	for name := range packages {
		examples := exampleNames(t, name)
		for path, file := range sources(t, name) {
			for _, f := range exportedFunctions(file) {
				n++
				if !examples[f] {
					t.Errorf("%s: %s has no example", path, f)
				}
			}
		}
	}
	if n < 100 {
		t.Errorf("%d functions: the search has missed some", n)
	}
}

// exampleNames are the functions that a package has examples of, as go vet has their names.
func exampleNames(t *testing.T, name string) map[string]bool {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", "..", name, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			f, isFunc := decl.(*ast.FuncDecl)
			if !isFunc {
				continue
			}
			example, isExample := strings.CutPrefix(f.Name.Name, "Example")
			for parts := strings.Split(example, "_"); isExample && len(parts) > 0; parts = parts[:len(parts)-1] {
				found[strings.Join(parts, "_")] = true // a suffix in lower case tells examples of one function apart
			}
		}
	}
	return found
}

func exportedFunctions(file *ast.File) (names []string) {
	for _, decl := range file.Decls {
		f, isFunc := decl.(*ast.FuncDecl)
		if !isFunc || !f.Name.IsExported() {
			continue
		}
		name := f.Name.Name
		if f.Recv != nil {
			of := f.Recv.List[0].Type
			if pointer, isPointer := of.(*ast.StarExpr); isPointer {
				of = pointer.X
			}
			receiver := of.(*ast.Ident)
			if !receiver.IsExported() || name == "Error" || name == "Unwrap" {
				continue
			}
			name = receiver.Name + "_" + name
		}
		names = append(names, name)
	}
	return names
}
