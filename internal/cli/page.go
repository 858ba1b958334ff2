// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"strings"
)

// Page is text in the making. The first error counts.
type Page struct {
	bytes.Buffer
	Palette
	Width int
	Err   error
}

const (
	Margin = "  "
	gap    = "   " // between columns
)

// Cell is text in one style.
type Cell struct {
	Style
	Text string
}

// Text returns a Cell.
func Text(s Style, text string) Cell { return Cell{s, text} }

// Put writes a line of pieces that are painted already.
func (p *Page) Put(pieces ...string) {
	p.WriteString(strings.TrimRight(strings.Join(pieces, ""), " ") + "\n")
}

// Title writes a line across the page.
func (p *Page) Title(text string) {
	rule := strings.Repeat("=", max(0, p.Width-len("==  ")-Length(text)))
	p.Put(p.Paint(Bold, "== "+text+" "+rule))
}

// Heading writes an empty line and a heading.
func (p *Page) Heading(text string) {
	p.Put()
	p.Prose("", Cell{Bold, text})
}

// Prose writes text under an indentation.
func (p *Page) Prose(indent string, c Cell) {
	for _, part := range Wrap(c.Text, p.Width-len(indent)) {
		p.Put(indent, p.Paint(c.Style, part))
	}
}

// Table writes rows in aligned columns, the last of which is wrapped. A row of a single cell is a
// remark on the row above it.
func (p *Page) Table(rows [][]Cell) {
	widths := columns(rows)
	for _, row := range rows {
		if len(row) == 1 {
			p.Prose(strings.Repeat(Margin, 3), row[0])
			continue
		}
		p.row(widths, row)
	}
}

func (p *Page) row(widths []int, row []Cell) {
	start, last := Margin, row[len(row)-1]
	column := len(Margin)
	for i, c := range row[:len(row)-1] {
		start += p.Paint(c.Style, c.Text) + strings.Repeat(" ", widths[i]-Length(c.Text)) + gap
		column += widths[i] + len(gap)
	}
	for _, part := range Wrap(last.Text, p.Width-column) {
		p.Put(start, p.Paint(last.Style, part))
		start = strings.Repeat(" ", column)
	}
}

// columns returns the width of each column but the last.
func columns(rows [][]Cell) []int {
	var widths []int
	for _, row := range rows {
		for i, c := range row[:len(row)-1] {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], Length(c.Text))
		}
	}
	return widths
}

// DiffHeader names the two sides of a diff.
func (p *Page) DiffHeader(before, after string) {
	p.Put(Margin, p.Paint(Red, "--- "+before))
	p.Put(Margin, p.Paint(Green, Cut("+++ "+after, p.Width-len(Margin))))
}

// Diff writes the lines that differ, with a mark in front. What is longer than the page is cut.
func (p *Page) Diff(before, after Tree, whole bool) {
	lines, err := diffTrees(before, after, whole)
	p.Note(err)
	styles := map[byte]Style{'-': Red, '+': Green, ' ': Dim}
	for _, l := range lines {
		text := Cut(string(l.mark)+" "+Visible(l.text), p.Width-len(Margin))
		p.Put(Margin, p.Paint(styles[l.mark], text))
	}
}

// Note keeps the first error.
func (p *Page) Note(err error) {
	if p.Err == nil {
		p.Err = err
	}
}
