// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// jsonText is JSON being written. Its methods return it with something appended, as append does. It
// is here because encoding/json would take longer over the few fields to record than it takes to
// copy the whole Job. The bytes are those of encoding/json for the same members in the same order.
//
// Invariant: the text ends in '{', '[' or ':' if and only if no comma is due.
type jsonText []byte

func (b jsonText) comma() jsonText {
	switch b[len(b)-1] {
	case '{', '[', ':':
		return b
	default:
		return append(b, ',')
	}
}

// key begins a member of an object; its value has to follow. The name is one of ours: it needs no
// escapes.
func (b jsonText) key(name string) jsonText {
	return append(append(append(b.comma(), '"'), name...), '"', ':')
}

// anyKey is key for a name that comes from a Job.
func (b jsonText) anyKey(name string) jsonText { return append(b.comma().string(name), ':') }

// open begins an object or array that is the member called name.
func (b jsonText) open(name string, brace byte) jsonText { return append(b.key(name), brace) }

// close ends what was opened when the text had the given length. What nothing was written into
// is taken back, with its name.
func (b jsonText) close(length int, brace byte) jsonText {
	if last := b[len(b)-1]; last == '{' || last == '[' {
		return b[:length]
	}
	return append(b, brace)
}

func (b jsonText) bool(v bool) jsonText { return strconv.AppendBool(b, v) }

func (b jsonText) int(n int64) jsonText { return strconv.AppendInt(b, n, 10) }

func (b jsonText) string(s string) jsonText {
	if !isPlain(s) {
		quoted, _ := json.Marshal(s) // no string fails
		return append(b, quoted...)
	}
	return append(append(append(b, '"'), s...), '"')
}

// isPlain reports whether encoding/json writes s as it is.
func isPlain(s string) bool {
	for i := range len(s) {
		if !plainBytes[s[i]] {
			return false
		}
	}
	return true
}

var plainBytes = func() (is [256]bool) {
	for c := ' '; c <= '~'; c++ {
		is[c] = !strings.ContainsRune(`"\<>&`, c)
	}
	return is
}()

func (b jsonText) optionalInt(name string, n *int32) jsonText {
	if n == nil {
		return b
	}
	return b.key(name).int(int64(*n))
}

func (b jsonText) optionalLong(name string, n *int64) jsonText {
	if n == nil {
		return b
	}
	return b.key(name).int(*n)
}

func (b jsonText) optionalBool(name string, v *bool) jsonText {
	if v == nil {
		return b
	}
	return b.key(name).bool(*v)
}

func (b jsonText) optionalString(name, s string) jsonText {
	if s == "" {
		return b
	}
	return b.key(name).string(s)
}

// optionalMap writes a map with its keys in order: its values as they are, or long ones as digests.
func (b jsonText) optionalMap(name string, m map[string]string, asIs bool) jsonText {
	start := len(b)
	b = b.open(name, '{')
	var few [16]string
	for _, key := range sorted(m, few[:0]) {
		value := m[key]
		if !asIs {
			value = shorten(value)
		}
		b = b.anyKey(key).string(value)
	}
	return b.close(start, '}')
}

// other writes a value of the API that has only strings and numbers in it, so that it cannot fail
// to be encoded.
func (b jsonText) other(name string, value any) jsonText {
	data, _ := json.Marshal(value)
	return append(b.key(name), data...)
}

// sorted returns the keys of m in order, in buf as far as they fit.
func sorted[K cmp.Ordered, V any](m map[K]V, buf []K) []K {
	for key := range m {
		buf = append(buf, key)
	}
	slices.Sort(buf)
	return buf
}
