// SPDX-License-Identifier: Apache-2.0

package purity_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/constants.txt anew")

// TestConstants holds the values of exported string constants to a file: they are in events, metrics, logs and
// dashboards of others. A line may be added; one that changes or goes breaks them.
func TestConstants(t *testing.T) {
	var lines []string
	for name := range packages {
		for _, file := range sources(t, name) {
			lines = append(lines, constants(name, file)...)
		}
	}
	slices.Sort(lines)
	text := strings.Join(lines, "\n") + "\n"
	path := filepath.Join("testdata", "constants.txt")
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	pinned, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(pinned)), "\n") {
		if !slices.Contains(lines, line) {
			t.Errorf("is gone, or has another value: %s", line)
		}
	}
	for _, line := range lines {
		if !strings.Contains(string(pinned), line+"\n") {
			t.Errorf("is new; `go test ./internal/purity -update` pins it: %s", line)
		}
	}
	if len(lines) < 150 {
		t.Errorf("%d constants: the search has missed some", len(lines))
	}
}

// constants lists the exported constants of a file whose value is a string literal, and those whose value is an
// expression, as it stands there.
func constants(name string, file *ast.File) (lines []string) {
	for _, decl := range file.Decls {
		group, isGroup := decl.(*ast.GenDecl)
		if !isGroup || group.Tok != token.CONST {
			continue
		}
		for _, spec := range group.Specs {
			spec := spec.(*ast.ValueSpec)
			for i, value := range spec.Values {
				literal, isLiteral := value.(*ast.BasicLit)
				if spec.Names[i].IsExported() && (!isLiteral || literal.Kind == token.STRING) {
					lines = append(lines, fmt.Sprintf("%s.%s = %s", name, spec.Names[i].Name, source(value)))
				}
			}
		}
	}
	return lines
}

func source(value ast.Expr) string {
	switch value := value.(type) {
	case *ast.BasicLit:
		return value.Value
	case *ast.SelectorExpr:
		return source(value.X) + "." + value.Sel.Name
	case *ast.Ident:
		return value.Name
	case *ast.BinaryExpr:
		return source(value.X) + " " + value.Op.String() + " " + source(value.Y)
	case *ast.CallExpr:
		return source(value.Fun) + "(" + source(value.Args[0]) + ")"
	default:
		return fmt.Sprintf("%T", value)
	}
}
