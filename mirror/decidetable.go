// SPDX-License-Identifier: Apache-2.0

package mirror

func (r *row) matches(l localIs, m mirrorIs, e elsewhereIs, w wantedIs) bool {
	return (r.local == 0 || r.local&l != 0) && (r.mirror == 0 || r.mirror&m != 0) &&
		(r.elsewhere == 0 || r.elsewhere&e != 0) && (r.wanted == 0 || r.wanted&w != 0)
}

// row is one line of the table: what has to be the case, and what is done. An empty set stands for
// everything.
type row struct {
	name      string
	local     localIs
	mirror    mirrorIs
	elsewhere elsewhereIs
	wanted    wantedIs
	does      string // for people
	plan      func(situation) Plan
}

type wantedIs uint8

const (
	isWanted wantedIs = 1 << iota
	isNotWanted
)

// Sets that rows use more than once.
const (
	unfinished    = localUnfinished | localFate
	anyOurs       = mirrorOurs | mirrorOursFinished | mirrorOursDeleting
	nothingOurs   = mirrorGone | mirrorForeign | mirrorPrevious
	elsewhereOpen = elsewhereUnknown | elsewherePresent
)

//go:generate go test -run TestDecideDocument|TestDecideRows -update .

// table is the whole policy of Decide.
var table = []row{
	{name: "LocalUnknown", local: localUnknown, plan: nothing,
		does: "nothing: the zero Plan"},
	{name: "Orphan", local: localGone | localOther, mirror: mirrorPrevious, plan: situation.orphan,
		does: "DeleteMirror, ReleaseMirror, only by live reads and with ExclusiveOrigin; else reported"},
	{name: "LocalGone", local: localGone, plan: just(Gone),
		does: "nothing"},
	{name: "NotManaged", local: localOther, plan: just(NotManaged),
		does: "nothing"},
	{name: "Incomplete", local: localIncomplete, plan: situation.incomplete,
		does: "nothing"},

	{name: "CleanUp", local: localDeleting, mirror: anyOurs, plan: situation.cleanUp,
		does: "DeleteMirror, ReleaseMirror"},
	{name: "CleanUpElsewhere", local: localDeleting, elsewhere: elsewherePresent, plan: waitFor(CleaningUp),
		does: "wait for the other worker"},
	{name: "CleanupPending", local: localDeleting, mirror: mirrorUnknown, plan: situation.cleanupPending,
		does: "wait; after AbandonAfter RemoveFinalizer"},
	{name: "CleanupPendingElsewhere", local: localDeleting, elsewhere: elsewhereUnknown, plan: situation.cleanupPending,
		does: "wait; after AbandonAfter RemoveFinalizer"},
	{name: "LetGo", local: localDeleting, plan: situation.letGo,
		does: "RemoveFinalizer, by live reads: it does not depend on who else has the name"},

	{name: "Retire", local: localFinished, mirror: anyOurs, plan: situation.retire,
		does: "ReleaseMirror; after KeepFinished DeleteMirror"},
	{name: "FinishedPending", local: localFinished, mirror: mirrorUnknown, plan: situation.finishedPending,
		does: "wait"},
	{name: "FinishedElsewhere", local: localFinished, elsewhere: elsewhereOpen, plan: situation.finishedPending,
		does: "wait"},
	{name: "Finished", local: localFinished, plan: situation.letGo,
		does: "RemoveFinalizer, by live reads; never created again"},

	{name: "BadRecord", local: localUnreadable, plan: situation.badRecord,
		does: "nothing"},
	{name: "Unreachable", mirror: mirrorUnknown, plan: situation.unreachable,
		does: "nothing is written; look again"},
	{name: "MirrorDeleting", mirror: mirrorOursDeleting, plan: situation.mirrorDeleting,
		does: "WriteStatus, without a failure later than the deletion; ReleaseMirror when no result can come; wait"},
	{name: "Fate", local: localFate, mirror: nothingOurs, elsewhere: elsewhereGone, plan: situation.concludeFate,
		does: "WriteStatus: concluded as it had promised; never created again"},
	{name: "Previous", mirror: mirrorPrevious, plan: situation.previous,
		does: "with ExclusiveOrigin DeleteMirror, by live reads; else Conflict if it is wanted here"},
	{name: "Foreign", mirror: mirrorForeign, wanted: isWanted, plan: situation.foreign,
		does: "nothing: never adopted, copied from, changed or deleted"},
	{name: "Elsewhere", mirror: mirrorGone, elsewhere: elsewhereOpen, wanted: isWanted, plan: situation.elsewhere,
		does: "wait"},
	{name: "Dispatch", mirror: mirrorGone, wanted: isWanted, plan: situation.dispatch,
		does: "AddFinalizer; then Claim, CreateMirror; or BackingOff, or WriteStatus: MirrorLost"},
	{name: "Sync", mirror: mirrorOurs | mirrorOursFinished, wanted: isWanted, plan: situation.sync,
		does: "AddFinalizer where it is missing; WriteStatus, PatchMirror"},
	{name: "Result", mirror: mirrorOursFinished, plan: situation.sync,
		does: "WriteStatus: a result counts"},
	{name: "Evict", mirror: mirrorOurs, plan: situation.evict,
		does: "Claim (the record says so), DeleteMirror; one that promises a verdict is waited for, as Result"},
	{name: "Idle", plan: situation.idle,
		does: "WriteStatus: live counters to zero if the record names this worker; Suspended=True on a suspended Job"},
}
