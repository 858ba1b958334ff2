package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"
)

// style is the SGR code of a colour or weight; plain has none.
type style string

const (
	plain  style = ""
	bold   style = "1"
	dim    style = "2"
	red    style = "31"
	green  style = "32"
	yellow style = "33"
)

// palette colours text, if it is on.
type palette struct{ on bool }

// paint makes text visible as it is: what stands in a manifest cannot control the terminal.
func (p palette) paint(s style, text string) string {
	text = visible(text)
	if !p.on || s == plain || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

// takesColour reports whether the output is a terminal whose user has nothing against colour; see
// https://no-color.org.
func takesColour(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// visible replaces characters that are not for reading by their escapes.
func visible(s string) string {
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

// length is how many columns text takes, for text in letters of one column.
func length(text string) int { return utf8.RuneCountInString(visible(text)) }

// wrap breaks text between words, so that no line is longer than width, if the words allow.
func wrap(text string, width int) (lines []string) {
	current := ""
	for _, word := range strings.Fields(text) {
		switch {
		case current == "":
			current = word
		case length(current)+1+length(word) <= width:
			current += " " + word
		default:
			lines, current = append(lines, current), word
		}
	}
	return append(lines, current)
}

// cut shortens text to width.
func cut(text string, width int) string {
	const mark = "..."
	runes := []rune(text)
	if len(runes) <= width {
		return text
	}
	return string(runes[:width-len(mark)]) + mark
}
