package demo

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"os"
	"time"
)

// recording is what the screen showed, as a picture that moves. A nil recording takes nothing.
type recording struct {
	title string
	spans [][]span // by line
	end   time.Duration
}

// span is a text that a line showed for a while.
type span struct {
	text     string
	from, to time.Duration
}

func (r *recording) frame(at time.Duration, lines []string) {
	if r == nil {
		return
	}
	r.end = at
	for i, text := range lines {
		if i == len(r.spans) {
			r.spans = append(r.spans, nil)
		}
		if last := len(r.spans[i]) - 1; last >= 0 && r.spans[i][last].text == text {
			r.spans[i][last].to = at
			continue
		} else if last >= 0 {
			r.spans[i][last].to = at
		}
		r.spans[i] = append(r.spans[i], span{text: text, from: at, to: at})
	}
}

const (
	lineHeight = 18
	charWidth  = 7.5
	columns    = 126
	pause      = 4 * time.Second // how long the last picture stays before it begins again
)

// write writes an SVG. Where it does not move, it is the last picture.
func (r *recording) write(file string) error {
	var b bytes.Buffer
	width, height := int(columns*charWidth), (len(r.spans)+2)*lineHeight+16
	total := (r.end + pause).Seconds()
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="ui-monospace,Menlo,Consolas,monospace" font-size="12">`+"\n", width, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" rx="6" fill="#10151c"/>`+"\n", width, height)
	fmt.Fprintf(&b, `<g fill="#d5dde5" xml:space="preserve"><text x="12" y="24" fill="#7fb4ff">%s</text>`+"\n", escape(r.title))
	for i, spans := range r.spans {
		y := (i+2)*lineHeight + 14
		for j, s := range spans {
			visibility := "hidden"
			if j == len(spans)-1 {
				s.to, visibility = r.end+pause, "visible"
			}
			fmt.Fprintf(&b, `<text x="12" y="%d" visibility="%s">%s`, y, visibility, escape(s.text))
			if len(spans) > 1 {
				b.WriteString(animate(s.from.Seconds(), s.to.Seconds(), total))
			}
			b.WriteString("</text>\n")
		}
	}
	b.WriteString("</g></svg>\n")
	return os.WriteFile(file, b.Bytes(), 0o644)
}

// animate makes an element visible from one time to another, over and over.
func animate(from, to, total float64) string {
	return fmt.Sprintf(`<animate attributeName="visibility" calcMode="discrete" dur="%.1fs" repeatCount="indefinite" values="hidden;visible;hidden" keyTimes="0;%.4f;%.4f"/>`,
		total, min(from/total, 1), min(to/total, 1))
}

func escape(text string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(text))
	return b.String()
}
