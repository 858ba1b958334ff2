// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"encoding/xml"
	"fmt"
	"strings"
	"testing"
)

// picture is an SVG for a README: readable on light and on dark pages, without scripts and fonts of its own.
type picture struct {
	t    *testing.T
	body string
}

// style has every colour twice, and no variables, which some renderers do not know.
const style = `
text { font: 12px -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", Helvetica, Arial, sans-serif; fill: #1f2328 }
.title { font-size: 15px; font-weight: 600 } .name { font-weight: 600 } .dim { fill: #59636e }
.mono { font: 11px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #59636e }
.page { fill: #ffffff } .box { fill: #f6f8fa; stroke: #d1d9e0 } .line { stroke: #59636e; fill: none } .lane { stroke: #d1d9e0 }
.blue { fill: #0969da } .green { fill: #1a7f37 } .purple { fill: #8250df } .amber { fill: #9a6700 } .red { fill: #cf222e } .grey { fill: #59636e }
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc } .dim, .mono { fill: #9198a1 }
.page { fill: #0d1117 } .box { fill: #151b23; stroke: #3d444d } .line { stroke: #9198a1 } .lane { stroke: #3d444d }
.blue { fill: #4493f8 } .green { fill: #3fb950 } .purple { fill: #ab7df8 } .amber { fill: #d29922 } .red { fill: #f85149 } .grey { fill: #9198a1 }
}
`

// widthOf is the most that a text takes with any of the fonts, in pixels.
func widthOf(class, s string) float64 {
	perRune := 6.4
	switch class {
	case "title":
		perRune = 8.6
	case "name":
		perRune = 8
	case "mono":
		perRune = 6.7
	}
	return perRune * float64(len([]rune(s)))
}

func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a strings.Builder does not fail
	return b.String()
}

// text writes a line at x, or around it where anchor is "middle". It fails the test if the line does not fit
// into the room.
func (p *picture) text(x, y int, room float64, anchor, class, s string) {
	if first, _, _ := strings.Cut(class, " "); widthOf(first, s) > room {
		p.t.Errorf("%q needs %.0f pixels and has %.0f", s, widthOf(first, s), room)
	}
	p.body += fmt.Sprintf(`<text x="%d" y="%d" text-anchor="%s" class="%s">%s</text>`+"\n", x, y, anchor, class, escape(s))
}

func (p *picture) box(x, y, width, height int, class string) {
	radius := min(6, width/2, height/2)
	p.body += fmt.Sprintf(`<rect x="%d" y="%d" width="%d" height="%d" rx="%d" class="%s"/>`+"\n", x, y, width, height, radius, class)
}

func (p *picture) line(x1, y1, x2, y2 int, attributes string) {
	p.body += fmt.Sprintf(`<path d="M%d %dL%d %d" %s/>`+"\n", x1, y1, x2, y2, attributes)
}

// arrow is a level line with a point at its end.
func (p *picture) arrow(from, to, y int, dashed bool) {
	attributes, back := `class="line"`, 7
	if dashed {
		attributes += ` stroke-dasharray="4 3"`
	}
	if from > to {
		back = -7
	}
	p.line(from, y, to, y, attributes)
	p.body += fmt.Sprintf(`<path d="M%d %dL%d %dL%d %d" class="line"/>`+"\n", to-back, y-4, to, y, to-back, y+4)
}

// svg returns the picture. The title is for those who cannot see it.
func (p *picture) svg(width, height int, title string) string {
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img">`+
		"\n<title>%[3]s</title>\n<style>%[4]s</style>\n"+`<rect x="0.5" y="0.5" width="%[5]d" height="%[6]d" rx="8" class="page lane"/>`+
		"\n%[7]s</svg>\n", width, height, escape(title), style, width-1, height-1, p.body)
}

// wrap breaks a text into lines that fit into the room.
func wrap(class, s string, room float64) (lines []string) {
	for _, word := range strings.Fields(s) {
		n := len(lines)
		if n == 0 || widthOf(class, lines[n-1]+" "+word) > room {
			lines = append(lines, word)
			continue
		}
		lines[n-1] += " " + word
	}
	return lines
}
