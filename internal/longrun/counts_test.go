// SPDX-License-Identifier: Apache-2.0

package longrun

import (
	"testing"

	"github.com/managedby-dev/managedby/mirror"
)

// others are the kinds of events that are counted, beside those in events and every kind of action.
var others = []string{
	"mirrors", "results: Complete", "results: Failed", "losses", "failures made by a deletion", "live reads", "crashes", "lost replies",
	"deletions by a TTL", "deletions by others, Foreground", "deletions by others, Background", "deletions by others, again",
	"annotations up to the limit", "refused: Conflict", "refused: NotFound", "refused: AlreadyExists",
}

// outcomes are those that some life has to come to. The others are mistakes of the caller or of somebody who edits records.
var outcomes = []mirror.Outcome{
	mirror.InSync, mirror.Copied, mirror.Finished, mirror.Terminating, mirror.Deferred, mirror.Evicted, mirror.Resuming, mirror.Conflict,
	mirror.Gone, mirror.Orphan, mirror.CleaningUp, mirror.CleanedUp, mirror.CleanupPending, mirror.Abandoned, mirror.Unreachable, mirror.Refused,
	mirror.Elsewhere, mirror.Dispatching, mirror.BackingOff, mirror.MirrorLost, mirror.MirrorDeleting, mirror.Concluded, mirror.Evicting, mirror.Idle,
}

// actions are those that are sent; live reads are counted apart.
var actions = []mirror.ActionKind{
	mirror.AddFinalizer, mirror.Claim, mirror.CreateMirror, mirror.PatchMirror, mirror.WriteStatus, mirror.DeleteMirror, mirror.ReleaseMirror, mirror.RemoveFinalizer,
}

// checkCounts sees that everything that can happen has happened.
func checkCounts(t *testing.T, counts map[string]int) {
	t.Helper()
	names := others
	for _, e := range events() {
		names = append(names, e.name)
	}
	for _, o := range outcomes {
		names = append(names, "outcome "+string(o))
	}
	for _, a := range actions {
		names = append(names, "action "+string(a))
	}
	for _, name := range names {
		if counts[name] == 0 {
			t.Errorf("never happened: %s", name)
		}
	}
}
