package jobfile

import (
	"bytes"
	"strconv"
	"strings"
)

// source is the YAML of a document and where it begins; the zero source is that of one in JSON.
type source struct {
	lines []string
	first int // counted from 1
}

// sourceOf finds a document, as the reader has returned it, in the file.
func sourceOf(text, part []byte) source {
	at := bytes.Index(text, bytes.TrimRight(part, "\n"))
	if at < 0 {
		return source{}
	}
	return source{lines: strings.Split(string(part), "\n"), first: 1 + bytes.Count(text[:at], []byte("\n"))}
}

// Line returns the line of the file in which a field of the Job stands, such as
// "status.conditions[1].status", or else the innermost field around it that is there; 0 if none is. It
// reads YAML in the form in which kubectl prints it, and no other.
func (s Sourced) Line(path string) int {
	if s.At.Item != "" {
		path = s.At.Item + "." + path
	}
	b, found := block{s.source.lines, 0, 0}, -1
	for _, segment := range strings.Split(strings.ReplaceAll(path, "[", ".["), ".") {
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

// block is a part of a document: the keys of a map or the items of a list, all at one indentation.
type block struct {
	lines  []string
	start  int
	indent int
}

// find returns the line of a key, or of an item such as "[1]"; -1 if there is none.
func (b block) find(segment string) int {
	index, isItem := strings.CutPrefix(segment, "[")
	left, _ := strconv.Atoi(strings.TrimSuffix(index, "]"))
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
