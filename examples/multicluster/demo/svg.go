// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"os"
	"strings"
	"time"
)

// recording is what the screen showed, as a picture that moves. A nil recording takes nothing.
type recording struct {
	title   string
	spans   [][]span // by line
	started time.Time
	end     time.Duration
}

// span is a text that a line showed from a time on, until the next.
type span struct {
	text string
	from time.Duration
}

func (r *recording) frame(now time.Time, lines []string) {
	if r == nil {
		return
	}
	if r.started.IsZero() {
		r.started = now
	}
	r.end = now.Sub(r.started)
	for i, text := range lines {
		if i == len(r.spans) {
			r.spans = append(r.spans, nil)
		}
		if n := len(r.spans[i]); n == 0 || r.spans[i][n-1].text != text {
			r.spans[i] = append(r.spans[i], span{text, r.end})
		}
	}
}

const (
	lineHeight = 18
	charWidth  = 7.5
	columns    = 128
	pause      = 5 * time.Second // how long the last picture stays before it begins again
)

// write writes an SVG. Where it does not move, it is the last picture.
func (r *recording) write(file string) error {
	var b bytes.Buffer
	width, height := int(columns*charWidth), (len(r.spans)+2)*lineHeight+16
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="ui-monospace,Menlo,Consolas,monospace" font-size="12">`+"\n", width, height)
	fmt.Fprintf(&b, `<rect x="0.5" y="0.5" width="%d" height="%d" rx="6" fill="#10151c" stroke="#3a434e"/>`+"\n", width-1, height-1)
	fmt.Fprintf(&b, `<g fill="#d5dde5"><text x="12" y="24" fill="#7fb4ff">%s</text>`+"\n", escape(r.title))
	for i, spans := range r.spans {
		for j, s := range spans {
			to, visibility := r.end+pause, "visible"
			if j < len(spans)-1 {
				to, visibility = spans[j+1].from, "hidden"
			}
			fmt.Fprintf(&b, `<text x="12" y="%d" visibility="%s">%s%s</text>`+"\n",
				(i+2)*lineHeight+14, visibility, escape(s.text), animate(s.from, to, r.end+pause))
		}
	}
	b.WriteString("</g></svg>\n")
	return os.WriteFile(file, b.Bytes(), 0o644)
}

// animate makes an element visible from one time to another, over and over.
func animate(from, to, total time.Duration) string {
	if from == 0 && to == total {
		return ""
	}
	return fmt.Sprintf(`<animate attributeName="visibility" calcMode="discrete" dur="%.1fs" repeatCount="indefinite" values="hidden;visible;hidden" keyTimes="0;%.4f;%.4f"/>`,
		total.Seconds(), from.Seconds()/total.Seconds(), to.Seconds()/total.Seconds())
}

// escape keeps each space, which SVG otherwise folds.
func escape(text string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(strings.ReplaceAll(text, " ", "\u00a0")))
	return b.String()
}
