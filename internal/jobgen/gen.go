// SPDX-License-Identifier: Apache-2.0

package jobgen

import (
	"math/rand/v2"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Gen makes Jobs. See [New].
type Gen struct {
	rand *rand.Rand
}

// New returns a Gen that is a function of its seed.
func New(seed uint64) *Gen {
	return &Gen{rand: rand.New(rand.NewPCG(seed, 0x6a6f6267656e))}
}

// weighted is a row of a table of choices.
type weighted[T any] struct {
	weight int
	value  T
}

// pick returns the value of a row, each as often as its weight says.
func pick[T any](g *Gen, table []weighted[T]) T {
	total := 0
	for _, w := range table {
		total += w.weight
	}
	n, i := g.rand.IntN(total), 0
	for n >= table[i].weight {
		n -= table[i].weight
		i++
	}
	return table[i].value
}

// oneOf returns one of the values, each as often as the others.
func oneOf[T any](g *Gen, values ...T) T { return values[g.rand.IntN(len(values))] }

// in reports true once in n times.
func (g *Gen) in(n int) bool { return g.rand.IntN(n) == 0 }

// upTo returns a number from 0 to n, both included; n must not be negative.
func (g *Gen) upTo(n int32) int32 { return g.rand.Int32N(n + 1) }

// epoch is when the story of every Job begins. All times are within a few minutes of it, because
// only times that are near each other, or the same, make a difference to anybody.
const epoch = 1_760_000_000

// timeForms are the ways in which an instant can be held in memory. All are the same on the wire.
var timeForms = []weighted[func(*Gen, time.Time) time.Time]{
	{16, func(_ *Gen, t time.Time) time.Time { return t }},
	{1, func(g *Gen, t time.Time) time.Time { return t.Add(time.Duration(g.rand.Int64N(1e9))) }},
	{1, func(g *Gen, t time.Time) time.Time {
		return t.In(time.FixedZone("", 900*(g.rand.IntN(97)-48)))
	}},
}

// at returns an instant in one of its forms.
func (g *Gen) at(seconds int64) metav1.Time {
	return metav1.Time{Time: pick(g, timeForms)(g, time.Unix(seconds, 0).UTC())}
}

func (g *Gen) atPtr(seconds int64) *metav1.Time {
	t := g.at(seconds)
	return &t
}
