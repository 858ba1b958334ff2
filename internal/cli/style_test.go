// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"os"
	"slices"
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
		if got := TakesColour(tt.file); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
	if TakesColour(&bytes.Buffer{}) {
		t.Error("a buffer is no terminal")
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
		if got := Visible(in); got != want {
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
		if got := Wrap(text, 8); !slices.Equal(got, want) {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestCut(t *testing.T) {
	for text, want := range map[string]string{"12345678": "12345678", "123456789": "12345...", "ïïïïïïïï": "ïïïïïïïï"} {
		if got := Cut(text, 8); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
}
