// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/managedby-dev/managedby/internal/cli"
)

// With colours the text is the same: they are added around it.
func TestColoursChangeNoText(t *testing.T) {
	r := builtInReport(t)
	var without, with bytes.Buffer
	if err := writeText(&without, r, introduction, &page{cli.Page{Width: 80}}); err != nil {
		t.Fatal(err)
	}
	if err := writeText(&with, r, introduction, &page{cli.Page{Width: 80, Palette: cli.Palette{On: true}}}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(with.String(), "\x1b[31m") {
		t.Error("there is no red")
	}
	text := with.String()
	for _, s := range []cli.Style{cli.Bold, cli.Dim, cli.Red, cli.Green, cli.Yellow, "0"} {
		text = strings.ReplaceAll(text, "\x1b["+string(s)+"m", "")
	}
	if text != without.String() {
		t.Errorf("got\n%s\nwant\n%s", text, without.String())
	}
}

// In the summary, what cannot be written stands out.
func TestRefusalIsRed(t *testing.T) {
	var out bytes.Buffer
	if err := writeText(&out, builtInReport(t, "-origin", "elsewhere"), "", &page{cli.Page{Width: 80, Palette: cli.Palette{On: true}}}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "\x1b[31mConflict\x1b[0m") {
		t.Error(out.String())
	}
}

// The text that -h prints fits a terminal too.
func TestUsageFits(t *testing.T) {
	for line := range strings.Lines(usage) {
		if cli.Length(strings.TrimSuffix(line, "\n")) > 80 {
			t.Errorf("%q is too long", line)
		}
	}
}
