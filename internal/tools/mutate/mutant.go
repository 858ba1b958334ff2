// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
)

// mutant is one change to one file: the bytes from start to end become text.
type mutant struct {
	path          string
	line          int
	start, end    int
	old, text     string
	before, after string // the rest of the lines that it changes
}

func (m mutant) String() string {
	return fmt.Sprintf("%s:%d: %s -> %s", m.path, m.line, oneLine(m.old), oneLine(m.text))
}

func oneLine(s string) string {
	if s == "" {
		return "(nothing)"
	}
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 90 {
		s = s[:90] + "..."
	}
	return s
}

// swaps are operators and what a mutant has in their place.
var swaps = map[token.Token]string{
	token.LAND: "||", token.LOR: "&&", token.EQL: "!=", token.NEQ: "==", token.LSS: "<=", token.LEQ: "<",
	token.GTR: ">=", token.GEQ: ">", token.ADD: "-", token.SUB: "+", token.OR: "&",
}

func mutantsOf(paths []string) (all []mutant, err error) {
	for _, path := range paths {
		source, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, source, 0)
		if err != nil {
			return nil, err
		}
		f := finder{path: path, source: string(source), files: files}
		ast.Inspect(file, f.visit)
		all = append(all, f.found...)
	}
	return all, nil
}

type finder struct {
	path, source string
	files        *token.FileSet
	found        []mutant
}

// replace notes the mutant that has text in the place of what is between two positions.
func (f *finder) replace(from, to token.Pos, text string) {
	start, end := f.files.Position(from), f.files.Position(to)
	f.found = append(f.found, mutant{
		path: f.path, line: start.Line, start: start.Offset, end: end.Offset,
		old: f.source[start.Offset:end.Offset], text: text,
		before: f.source[lineStart(f.source, start.Offset):start.Offset],
		after:  f.source[end.Offset:lineEnd(f.source, end.Offset)],
	})
}

func lineStart(s string, i int) int { return strings.LastIndexByte(s[:i], '\n') + 1 }

func lineEnd(s string, i int) int {
	if n := strings.IndexByte(s[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(s)
}

func (f *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if text, ok := swaps[n.Op]; ok {
			f.replace(n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), text)
		}
	case *ast.IfStmt:
		f.replace(n.Cond.Pos(), n.Cond.End(), "!("+f.text(n.Cond)+")")
	case *ast.ExprStmt:
		f.replace(n.Pos(), n.End(), "")
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			f.replace(n.Pos(), n.End(), "")
		}
	case *ast.Ident:
		f.flip(n)
	case *ast.CompositeLit:
		f.rows(n)
	}
	return true
}

func (f *finder) text(n ast.Node) string {
	return f.source[f.files.Position(n.Pos()).Offset:f.files.Position(n.End()).Offset]
}

func (f *finder) flip(n *ast.Ident) {
	switch n.Name {
	case "true":
		f.replace(n.Pos(), n.End(), "false")
	case "false":
		f.replace(n.Pos(), n.End(), "true")
	}
}

// rows drops the elements of a list, one at a time: rows of tables, rules of a repair.
func (f *finder) rows(n *ast.CompositeLit) {
	if _, list := n.Type.(*ast.ArrayType); !list || len(n.Elts) < 2 {
		return
	}
	for i, e := range n.Elts {
		to := e.End()
		if i+1 < len(n.Elts) {
			to = n.Elts[i+1].Pos()
		}
		if i+1 == len(n.Elts) {
			f.replace(n.Elts[i-1].End(), to, "")
			continue
		}
		f.replace(e.Pos(), to, "")
	}
}
