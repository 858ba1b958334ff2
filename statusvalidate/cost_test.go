// SPDX-License-Identifier: Apache-2.0

package statusvalidate_test

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/statusvalidate"
)

func TestNoAllocations(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change statusvalidate.Change
		want   bool
	}{
		{"a typical update", typical(), true},
		{"nothing changes", inSync(), true},
		{"100 fragments", fragments(100), true},
		{"12,000 fragments", fragments(12_000), true},
		{"100,000 fragments", fragments(100_000), true},
		{"32 uncounted pods", pods(32), true},
		{"a refused update", threeErrors(), false},
	} {
		if newest.Allows(tt.change) != tt.want {
			t.Errorf("%s: accepted = %v, want %v", tt.name, !tt.want, tt.want)
		}
		for name, v := range someValidators(t) {
			if n := testing.AllocsPerRun(5, func() { v.Allows(tt.change) }); n != 0 {
				t.Errorf("%s, %s: Allows makes %v allocations", tt.name, name, n)
			}
			if !v.Allows(tt.change) {
				continue
			}
			if n := testing.AllocsPerRun(5, func() { v.Validate(tt.change) }); n != 0 {
				t.Errorf("%s, %s: Validate makes %v allocations", tt.name, name, n)
			}
			if n := testing.AllocsPerRun(5, func() { v.Broken(tt.change) }); n != 0 {
				t.Errorf("%s, %s: Broken makes %v allocations", tt.name, name, n)
			}
		}
	}
}

// TestManyPodsFewAllocations pins that a long list costs a set, and not something for each pod.
func TestManyPodsFewAllocations(t *testing.T) {
	c := pods(10_000)
	if n := testing.AllocsPerRun(5, func() { newest.Allows(c) }); n > 200 {
		t.Errorf("10,000 uncounted pods make %v allocations", n)
	}
}

// TestLinear compares the cost of long lists with that of lists a hundredth as long. What is linear
// takes about 100 times as long and what is quadratic 10,000 times. The bound is far from both, and
// there are several attempts, since other programs use the machine too.
func TestLinear(t *testing.T) {
	const times, bound, attempts = 100, 2000, 5
	for _, tt := range []struct {
		name        string
		short, long statusvalidate.Change
	}{
		{"uncounted pods", pods(1_000), pods(1_000 * times)},
		{"the same uncounted pod again and again", samePod(1_000), samePod(1_000 * times)},
		{"index fragments", fragments(1_000), fragments(1_000 * times)},
		{"index fragments that do not parse", garbage(1_000), garbage(1_000 * times)},
	} {
		ratio := float64(bound + 1)
		for i := 0; i < attempts && ratio > bound; i++ {
			ratio = float64(cost(tt.long)) / float64(cost(tt.short))
		}
		if ratio > bound {
			t.Errorf("%s: %d times as many cost %.0f times as much", tt.name, times, ratio)
		}
	}
}

// cost is the time that Validate takes.
func cost(c statusvalidate.Change) time.Duration {
	start := time.Now()
	newest.Validate(c)
	return max(time.Since(start), time.Microsecond)
}

func samePod(n int) statusvalidate.Change {
	c := pods(n)
	for i := range c.New.Status.UncountedTerminatedPods.Failed {
		c.New.Status.UncountedTerminatedPods.Failed[i] = types.UID("the-same")
	}
	return c
}

func garbage(n int) statusvalidate.Change {
	c := fragments(1)
	c.New.Status.CompletedIndexes = strings.Repeat("x,1-,-,9-8-7,", n)
	c.New.Status.FailedIndexes = ptr.To(strings.Repeat("0-0,", n))
	return c
}
