package main

import (
	"bytes"
	"strings"
)

// page is text in the making. The first error counts.
type page struct {
	bytes.Buffer
	palette
	width int
	err   error
}

const (
	margin = "  "
	gap    = "   " // between columns
)

// cell is text in one style.
type cell struct {
	style
	text string
}

// put writes a line of pieces that are painted already.
func (p *page) put(pieces ...string) {
	p.WriteString(strings.TrimRight(strings.Join(pieces, ""), " ") + "\n")
}

func (p *page) title(text string) {
	rule := strings.Repeat("=", max(0, p.width-len("==  ")-length(text)))
	p.put(p.paint(bold, "== "+text+" "+rule))
}

func (p *page) heading(text string) {
	p.put()
	p.prose("", cell{bold, text})
}

// prose writes text under an indentation.
func (p *page) prose(indent string, c cell) {
	for _, part := range wrap(c.text, p.width-len(indent)) {
		p.put(indent, p.paint(c.style, part))
	}
}

// table writes rows in aligned columns, the last of which is wrapped. A row of a single cell is a
// remark on the row above it.
func (p *page) table(rows [][]cell) {
	widths := columns(rows)
	for _, row := range rows {
		if len(row) == 1 {
			p.prose(strings.Repeat(margin, 3), row[0])
			continue
		}
		p.row(widths, row)
	}
}

func (p *page) row(widths []int, row []cell) {
	start, last := margin, row[len(row)-1]
	column := len(margin)
	for i, c := range row[:len(row)-1] {
		start += p.paint(c.style, c.text) + strings.Repeat(" ", widths[i]-length(c.text)) + gap
		column += widths[i] + len(gap)
	}
	for _, part := range wrap(last.text, p.width-column) {
		p.put(start, p.paint(last.style, part))
		start = strings.Repeat(" ", column)
	}
}

// columns returns the width of each column but the last.
func columns(rows [][]cell) []int {
	var widths []int
	for _, row := range rows {
		for i, c := range row[:len(row)-1] {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], length(c.text))
		}
	}
	return widths
}

func (p *page) diffHeader(before, after string) {
	p.put(margin, p.paint(red, "--- "+before))
	p.put(margin, p.paint(green, cut("+++ "+after, p.width-len(margin))))
}

// diff writes the lines that differ, with a mark in front. What is longer than the page is cut.
func (p *page) diff(before, after tree, whole bool) {
	lines, err := diffTrees(before, after, whole)
	p.note(err)
	styles := map[byte]style{'-': red, '+': green, ' ': dim}
	for _, l := range lines {
		text := cut(string(l.mark)+" "+visible(l.text), p.width-len(margin))
		p.put(margin, p.paint(styles[l.mark], text))
	}
}

func (p *page) note(err error) {
	if p.err == nil {
		p.err = err
	}
}
