// SPDX-License-Identifier: Apache-2.0

package objpath

import (
	"fmt"
	"strconv"
	"strings"
)

// Path is a parsed path.
type Path struct {
	text  string
	steps []step
}

// step goes from an object to a member, and on to the elements of a list or to a member of the member.
type step struct {
	name   string
	to     target
	key    string // of an element's member, or of a member's member
	equals string // what the element's member has to be
}

type target uint8

const (
	toMember target = iota
	toElements
	toMatching
	toKey
)

// Error says that an object is not what a path needs.
type Error struct {
	Path  string // of the value, with indexes: "spec.replicatedJobs[2].template"
	Want  string // "an object", "a list", "a string", …
	Value any    // what is there
}

func (e *Error) Error() string { return fmt.Sprintf("%s is not of type %s", e.Path, e.Want) }

// Parse reads a path. It has to begin with a name, and the brackets have to be closed.
func Parse(text string) (Path, error) {
	p, rest := Path{text: text}, text
	for {
		end := strings.IndexAny(rest, ".[")
		if end < 0 {
			end = len(rest)
		}
		s := step{name: rest[:end]}
		rest = rest[end:]
		if s.name == "" {
			return Path{}, fmt.Errorf("%q is no path: a name is missing", text)
		}
		if inner, isOpen := strings.CutPrefix(rest, "["); isOpen {
			bracket, after, isClosed := strings.Cut(inner, "]")
			if !isClosed {
				return Path{}, fmt.Errorf("%q is no path: a bracket is not closed", text)
			}
			s.bracket(bracket)
			rest = after
		}
		p.steps = append(p.steps, s)
		if rest == "" {
			return p, nil
		}
		next, isDot := strings.CutPrefix(rest, ".")
		if !isDot {
			return Path{}, fmt.Errorf("%q is no path: a dot is missing before %q", text, rest)
		}
		rest = next
	}
}

func (s *step) bracket(text string) {
	key, equals, isMatch := strings.Cut(text, "=")
	switch {
	case text == "":
		s.to = toElements
	case isMatch:
		s.to, s.key, s.equals = toMatching, key, equals
	default:
		s.to, s.key = toKey, text
	}
}

// String returns the text that was parsed.
func (p Path) String() string { return p.text }

// IsPlain reports whether the path names one place only, so that [Path.Set] can be used.
func (p Path) IsPlain() bool {
	for _, s := range p.steps {
		if s.to == toElements || s.to == toMatching {
			return false
		}
	}
	return len(p.steps) > 0
}

func join(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}

func index(at string, i int) string { return at + "[" + strconv.Itoa(i) + "]" }
