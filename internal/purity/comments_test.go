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

// TestComments: every exported function, method, type, variable and constant says what it is, but for those methods by
// which errors are errors.
func TestComments(t *testing.T) {
	for name := range packages {
		paths, err := filepath.Glob(filepath.Join("..", "..", name, "*.go"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%d files of %s, %v", len(paths), name, err)
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			for _, decl := range file.Decls {
				for _, silent := range withoutComment(decl) {
					t.Errorf("%s: %s says nothing", path, silent)
				}
			}
		}
	}
}

func withoutComment(decl ast.Decl) (names []string) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		if decl.Doc == nil && decl.Name.IsExported() && isOfExported(decl) && decl.Name.Name != "Error" && decl.Name.Name != "Unwrap" {
			names = append(names, decl.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if spec.Name.IsExported() && decl.Doc == nil && spec.Doc == nil {
					names = append(names, spec.Name.Name)
				}
			case *ast.ValueSpec:
				if spec.Names[0].IsExported() && decl.Doc == nil && spec.Doc == nil && spec.Comment == nil {
					names = append(names, spec.Names[0].Name)
				}
			}
		}
	}
	return names
}

// isOfExported reports whether a function is no method, or one of an exported type.
func isOfExported(f *ast.FuncDecl) bool {
	if f.Recv == nil {
		return true
	}
	of := f.Recv.List[0].Type
	if pointer, isPointer := of.(*ast.StarExpr); isPointer {
		of = pointer.X
	}
	return of.(*ast.Ident).IsExported()
}
