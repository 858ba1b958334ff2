// SPDX-License-Identifier: Apache-2.0

package jobfile

import (
	"bytes"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/yaml"
)

// source is the YAML of a document and where it begins; the zero source is that of one in JSON.
type source struct {
	lines []string
	first int   // counted from 1
	items []int // the lines at which the items of a List begin
}

// cursor finds the documents of a file, one after the other.
type cursor struct {
	rest []byte
	line int // at which rest begins
}

// sourceOf finds the next document, as the reader has returned it.
func (c *cursor) sourceOf(part []byte) source {
	content := bytes.TrimRight(part, "\n")
	at := bytes.Index(c.rest, content)
	if at < 0 || yaml.IsJSONBuffer(part) {
		return source{}
	}
	s := source{lines: strings.Split(string(part), "\n"), first: c.line + bytes.Count(c.rest[:at], newline)}
	c.line, c.rest = s.first+bytes.Count(content, newline), c.rest[at+len(content):]
	if b := (block{s.lines, 0, 0}); b.find("items") >= 0 {
		s.items = b.within(b.find("items"), "items").items()
	}
	return s
}

var newline = []byte("\n")

// Line returns the line of the file in which a field of the Job stands, such as
// "status.conditions[1].status", or else the innermost field around it that is there; 0 if none is. It
// reads YAML in the form in which kubectl prints it, and no other.
func (s Sourced) Line(path string) int {
	if s.At.Item != "" {
		path = s.At.Item + "." + path
	}
	segments := strings.Split(strings.ReplaceAll(path, "[", ".["), ".")
	b, found := block{s.source.lines, 0, 0}, -1
	if at, ok := s.source.item(segments); ok {
		indent, _ := indented(b.lines[at])
		found, b = at, block{b.lines, at, indent}.within(at, segments[1])
		segments = segments[2:]
	}
	for _, segment := range segments {
		at := b.find(segment)
		if at < 0 {
			break
		}
		found, b = at, b.within(at, segment)
	}
	if found < 0 {
		return 0
	}
	return s.source.first + found
}

// item returns the line of the item of a List that a path begins with.
func (s source) item(path []string) (line int, ok bool) {
	if len(path) < 2 || path[0] != "items" || !strings.HasPrefix(path[1], "[") {
		return 0, false
	}
	i := indexIn(path[1])
	if i >= len(s.items) {
		return 0, false
	}
	return s.items[i], true
}

// indexIn returns the number in a segment such as "[1]".
func indexIn(segment string) int {
	i, _ := strconv.Atoi(strings.Trim(segment, "[]"))
	return i
}

// block is a part of a document: the keys of a map or the items of a list, all at one indentation.
type block struct {
	lines  []string
	start  int
	indent int
}

// find returns the line of a key, or of an item such as "[1]"; -1 if there is none.
func (b block) find(segment string) int {
	isItem, left := strings.HasPrefix(segment, "["), indexIn(segment)
	for at := b.start; at < len(b.lines); at++ {
		indent, text := indented(b.lines[at])
		if at == b.start && b.indent > indent { // the first key of an item stands behind its dash
			indent, text = b.indent, strings.TrimPrefix(text, "- ")
		}
		switch {
		case text == "" || text[0] == '#' || indent > b.indent:
		case !isItem && isItemLine(text) && indent == b.indent: // of a list that is not indented below its key
		case indent < b.indent || isItem && !isItemLine(text):
			return -1
		case !isItem && strings.HasPrefix(text, segment+":"), isItem && left == 0:
			return at
		case isItem:
			left--
		}
	}
	return -1
}

// items returns the lines at which the items of a list begin.
func (b block) items() (list []int) {
	for at := b.start; at < len(b.lines); at++ {
		indent, text := indented(b.lines[at])
		switch {
		case text == "" || text[0] == '#' || indent > b.indent:
		case indent < b.indent || !isItemLine(text):
			return list
		default:
			list = append(list, at)
		}
	}
	return list
}

// within returns the block below a key, or the one of an item.
func (b block) within(at int, segment string) block {
	if strings.HasPrefix(segment, "[") {
		return block{b.lines, at, b.indent + len("- ")}
	}
	for next := at + 1; next < len(b.lines); next++ {
		if indent, text := indented(b.lines[next]); text != "" && text[0] != '#' {
			return block{b.lines, next, indent}
		}
	}
	return block{}
}

func indented(line string) (indent int, text string) {
	text = strings.TrimLeft(line, " ")
	return len(line) - len(text), text
}

func isItemLine(text string) bool { return text == "-" || strings.HasPrefix(text, "- ") }
