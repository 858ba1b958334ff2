// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"slices"
	"testing"

	"github.com/managedby-dev/managedby/mirror"
)

//go:generate go test -run ^Test(Flow|Outcomes)Picture$ -update .

// outcomeGroups sort the outcomes by what they mean to those who watch a controller.
var outcomeGroups = []struct {
	column              int
	title, says, colour string
	outcomes            []mirror.Outcome
}{
	{0, "Running", "the local Job shows what its mirror does", "green",
		[]mirror.Outcome{mirror.InSync, mirror.Copied, mirror.Evicted, mirror.Resuming}},
	{0, "Mirror comes or goes", "carry out, look again", "blue",
		[]mirror.Outcome{mirror.Dispatching, mirror.BackingOff, mirror.Evicting, mirror.MirrorDeleting}},
	{0, "Needs a person", "somebody has to look at it", "red",
		[]mirror.Outcome{mirror.Conflict, mirror.Invalid, mirror.Refused, mirror.BadRecord, mirror.Orphan, mirror.Malformed, mirror.Incomplete}},
	{1, "Waiting", "look again when the plan says so", "amber",
		[]mirror.Outcome{mirror.Deferred, mirror.Terminating, mirror.Elsewhere, mirror.Unconfirmed, mirror.Unreachable, mirror.CleanupPending}},
	{1, "Ending", "the Job has its result, or goes", "purple",
		[]mirror.Outcome{mirror.Finished, mirror.Concluded, mirror.MirrorLost, mirror.CleaningUp, mirror.CleanedUp, mirror.Abandoned}},
	{1, "Nothing to do", "not ours, or not here", "grey",
		[]mirror.Outcome{mirror.Idle, mirror.Gone, mirror.NotManaged}},
}

// TestOutcomesPicture holds docs/outcomes.svg to the outcomes and what they say. go generate writes it anew.
func TestOutcomesPicture(t *testing.T) {
	var grouped []mirror.Outcome
	for _, g := range outcomeGroups {
		grouped = append(grouped, g.outcomes...)
	}
	all := mirror.Outcomes()
	slices.Sort(grouped)
	slices.Sort(all)
	if !slices.Equal(grouped, all) {
		t.Fatalf("each outcome has to be in one group:\n%v\n%v", grouped, all)
	}

	const margin, gap, width = 16, 12, 428
	p := &picture{t: t}
	bottom := [2]int{margin, margin}
	for _, g := range outcomeGroups {
		x, y := margin+g.column*(width+gap), bottom[g.column]
		card := &picture{t: t}
		height := drawGroup(card, x, y, width, g.title, g.says, g.colour, g.outcomes)
		p.box(x, y, width, height, "box")
		p.box(x, y, 5, height, g.colour)
		p.body += card.body
		bottom[g.column] = y + height + gap
	}
	golden(t, "../../docs/outcomes.svg", p.svg(2*margin+2*width+gap, max(bottom[0], bottom[1])-gap+margin, "What a plan's outcome means"))
}

// drawGroup draws a title and a line or two for each outcome, and returns the height.
func drawGroup(p *picture, x, y, width int, title, says, colour string, outcomes []mirror.Outcome) int {
	const padding, nameWidth, lineHeight = 18, 120, 16
	top := y
	y += 24
	p.text(x+padding, y, float64(width-2*padding), "start", "title "+colour, title)
	p.text(x+width-padding+6, y, float64(width-2*padding)-widthOf("title", title), "end", "dim", says)
	y += 8
	room := float64(width - padding - nameWidth - 2)
	for _, o := range outcomes {
		y += lineHeight + 3
		p.text(x+padding, y, nameWidth-4, "start", "name", string(o))
		for i, line := range wrap("dim", mirror.WhyOf(o), room) {
			if i > 0 {
				y += lineHeight
			}
			p.text(x+padding+nameWidth, y, room, "start", "dim", line)
		}
	}
	return y + 14 - top
}
