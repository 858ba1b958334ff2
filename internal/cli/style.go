// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Style is the SGR code of a colour or weight; Plain has none.
type Style string

const (
	Plain  Style = ""
	Bold   Style = "1"
	Dim    Style = "2"
	Red    Style = "31"
	Green  Style = "32"
	Yellow Style = "33"
)

// Palette colours text, if it is on.
type Palette struct{ On bool }

// Paint makes text visible as it is: what stands in a manifest cannot control the terminal.
func (p Palette) Paint(s Style, text string) string {
	text = Visible(text)
	if !p.On || s == Plain || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

// TakesColour reports whether the output is a terminal whose user has nothing against colour; see
// https://no-color.org.
func TakesColour(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// Visible replaces characters that are not for reading by their escapes.
func Visible(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsGraphic(r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "\\u%04x", r)
		}
	}
	return b.String()
}

// Length is how many columns text takes, for text in letters of one column.
func Length(text string) int { return utf8.RuneCountInString(Visible(text)) }

// Wrap breaks text between words, so that no line is longer than width, if the words allow.
func Wrap(text string, width int) (lines []string) {
	current := ""
	for _, word := range strings.Fields(text) {
		switch {
		case current == "":
			current = word
		case Length(current)+1+Length(word) <= width:
			current += " " + word
		default:
			lines, current = append(lines, current), word
		}
	}
	return append(lines, current)
}

// Cut shortens text to width.
func Cut(text string, width int) string {
	const mark = "..."
	runes := []rune(text)
	if len(runes) <= width {
		return text
	}
	return string(runes[:width-len(mark)]) + mark
}
