// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"strconv"
	"strings"

	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/statusvalidate"
)

var (
	completedIndexRules = []statusvalidate.Rule{statusvalidate.CompletedIndexesMalformed, statusvalidate.CompletedIndexesOnNonIndexed}
	failedIndexRules    = []statusvalidate.Rule{statusvalidate.FailedIndexesMalformed, statusvalidate.FailedIndexesWithoutBackoffLimitPerIndex}
)

// mendCompletedIndexes trims the list of a finished Job to what the local spec has, and keeps the
// local list otherwise: an unfinished Job's spec may catch up with it.
func (d *draft) mendCompletedIndexes(rule statusvalidate.Rule) {
	if verdict(d.status) != 0 {
		d.status.CompletedIndexes = d.trimmed(d.status.CompletedIndexes)
		if !d.breaks(completedIndexRules...) {
			d.adjust("status.completedIndexes", rule, "trimmed to spec.completions")
			return
		}
	}
	d.holdCompletedIndexes(rule)
}

func (d *draft) mendFailedIndexes(rule statusvalidate.Rule) {
	if verdict(d.status) != 0 && d.status.FailedIndexes != nil {
		d.status.FailedIndexes = ptr.To(d.trimmed(*d.status.FailedIndexes))
		if !d.breaks(failedIndexRules...) {
			d.adjust("status.failedIndexes", rule, "trimmed to spec.completions")
			return
		}
	}
	d.holdFailedIndexes(rule)
}

func (d *draft) holdCompletedIndexes(rule statusvalidate.Rule) {
	d.status.CompletedIndexes = d.local.Status.CompletedIndexes
	d.adjust("status.completedIndexes", rule, "held at the local value")
}

func (d *draft) holdFailedIndexes(rule statusvalidate.Rule) {
	d.status.FailedIndexes = clone(d.local.Status.FailedIndexes)
	d.adjust("status.failedIndexes", rule, "held at the local value")
}

func clone[T any](p *T) *T {
	if p == nil {
		return nil
	}
	return ptr.To(*p)
}

// separateIndexes keeps a local list where the two overlap: failedIndexes if that is enough, else
// completedIndexes if that is, else both.
func (d *draft) separateIndexes(rule statusvalidate.Rule) {
	remote := d.status.FailedIndexes
	d.status.FailedIndexes = clone(d.local.Status.FailedIndexes)
	if !d.breaks(rule) {
		d.holdFailedIndexes(rule)
		return
	}
	d.status.FailedIndexes = remote
	d.holdCompletedIndexes(rule)
	if d.breaks(rule) {
		d.holdFailedIndexes(rule)
	}
}

// trimmed returns an index list without the indexes that the local spec does not have. A list that is
// malformed otherwise stays so.
func (d *draft) trimmed(list string) string {
	last := int(ptr.Deref(d.local.Spec.Completions, 1)) - 1
	var kept []string
	for _, fragment := range strings.Split(list, ",") {
		first, end, interval := strings.Cut(fragment, "-")
		switch {
		case above(first, last):
			continue
		case interval && above(end, last):
			fragment = first + "-" + strconv.Itoa(last)
			if n, err := strconv.Atoi(first); err == nil && n == last {
				fragment = first
			}
		}
		kept = append(kept, fragment)
	}
	return strings.Join(kept, ",")
}

// above reports whether s is a number above n.
func above(s string, n int) bool {
	i, err := strconv.Atoi(s)
	return err == nil && i > n
}
