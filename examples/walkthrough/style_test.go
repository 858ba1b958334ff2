package main

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
)

// Colour is for terminals; the null device stands for one, because it is a character device too.
func TestTakesColour(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	file, err := os.Create(t.TempDir() + "/out")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	tests := []struct {
		name          string
		noColor, term string
		file          *os.File
		want          bool
	}{
		{"terminal", "", "xterm", null, true},
		{"NO_COLOR", "1", "xterm", null, false},
		{"dumb terminal", "", "dumb", null, false},
		{"file", "", "xterm", file, false},
	}
	for _, tt := range tests {
		t.Setenv("NO_COLOR", tt.noColor)
		t.Setenv("TERM", tt.term)
		if got := takesColour(tt.file); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
	if takesColour(&bytes.Buffer{}) {
		t.Error("a buffer is no terminal")
	}
}

// With colours the text is the same: they are added around it.
func TestColoursChangeNoText(t *testing.T) {
	r := builtInReport(t)
	var without, with bytes.Buffer
	if err := writeText(&without, r, introduction, &page{width: 80}); err != nil {
		t.Fatal(err)
	}
	if err := writeText(&with, r, introduction, &page{width: 80, palette: palette{on: true}}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(with.String(), "\x1b[31m") {
		t.Error("there is no red")
	}
	text := with.String()
	for _, s := range []style{bold, dim, red, green, yellow, "0"} {
		text = strings.ReplaceAll(text, "\x1b["+string(s)+"m", "")
	}
	if text != without.String() {
		t.Errorf("got\n%s\nwant\n%s", text, without.String())
	}
}

// In the summary, what cannot be written stands out.
func TestRefusalIsRed(t *testing.T) {
	var out bytes.Buffer
	if err := writeText(&out, builtInReport(t, "-origin", "elsewhere"), "", &page{width: 80, palette: palette{on: true}}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "\x1b[31mConflict\x1b[0m") {
		t.Error(out.String())
	}
}

// A manifest cannot send escapes to the terminal.
func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain, naïve":  "plain, naïve",
		"a\x1b[31mb":    `a\u001b[31mb`,
		"a\nb\tc":       `a\u000ab\u0009c`,
		"a\u202eb\x00c": `a\u202eb\u0000c`,
	} {
		if got := visible(in); got != want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
	}
}

func TestWrap(t *testing.T) {
	for text, want := range map[string][]string{
		"":                      {""},
		"one two three":         {"one two", "three"},
		"a word-that-is-longer": {"a", "word-that-is-longer"},
		"exactly 8":             {"exactly", "8"},
		"naïve to":              {"naïve to"},
	} {
		if got := wrap(text, 8); !slices.Equal(got, want) {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestCut(t *testing.T) {
	for text, want := range map[string]string{"12345678": "12345678", "123456789": "12345...", "ïïïïïïïï": "ïïïïïïïï"} {
		if got := cut(text, 8); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
}

// The text that -h prints fits a terminal too.
func TestUsageFits(t *testing.T) {
	for line := range strings.Lines(usage) {
		if length(strings.TrimSuffix(line, "\n")) > 80 {
			t.Errorf("%q is too long", line)
		}
	}
}
