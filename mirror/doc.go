// SPDX-License-Identifier: Apache-2.0

// Package mirror plans what a controller that takes over batch/v1 Jobs has to create, write and
// delete next. The controller answers to a value of spec.managedBy and runs each Job somewhere
// else: it makes a copy on a worker cluster, and shows the result of the copy on the Job.
//
// The local Job is the one the user created in the management cluster, the mirror its copy on the
// worker. A copy is easily made and hard to get right. A generated selector makes the worker refuse
// it; an owner reference or a tool's inventory label gets it deleted; its own TTL deletes it before
// the result is read; and a Job of the same name that was there before is not the mirror at all. A
// [Planner] knows these:
//
//	planner, err := mirror.New(mirror.Policy{Controller: "acme.io/dispatcher", Origin: clusterUID})
//	...
//	plan := planner.Decide(mirror.State{
//		Key:       key,
//		Local:     mirror.Cached(local),  // nil: there is none. An Observation that is left out: unknown
//		Mirror:    mirror.Cached(remote), // the Job of the name planner.TargetOf(local) on this worker
//		Elsewhere: mirror.OtherWorkers(), // there are none
//		Worker:    "worker-1", Wanted: true, Now: metav1.Now(),
//	})
//	for _, action := range plan.Actions {
//		...
//	}
//
// # The whole next step
//
// [Planner.Decide] looks at a local Job and a worker, and says what to do, each action with its
// preconditions, and when to look again. Carry it out in order, stop at the first failure
// ([Action.Tolerates] says which is none), and ask again with what is then there. It is a table, and
// DECIDE.md beside this file has it, with diagrams.
//
// The dispatch record, an annotation of the local Job (Keys.Dispatch), says which worker a Job was sent to,
// and which Job there is its mirror. It is written before every create ([Claim]), on condition that nobody
// has changed the Job since it was read. So a controller whose cache is behind, or that has lost its
// lead without knowing, loses the race for the claim instead of running the Job twice; and a Job on a worker that calls
// itself the mirror of ours is believed only if the record does not name another. The record survives restarts, upgrades
// and downgrades of the controller: members that a version does not know are kept, and a form that it does not
// know is [BadRecord].
//
// It is a JSON object:
//
//	v         the version of this form, 1
//	job       the UID of the local Job; a record that was copied along with a manifest has another
//	worker    State.Worker; absent when the Job was taken off its worker
//	attempt   how many times it was sent, from 1
//	lost      how many mirrors have disappeared on their own; absent if none
//	at        when it was sent last, in RFC 3339, whole seconds, UTC
//	mirror    the UID of the mirror, once it is known
//	evicting  true when the mirror is being deleted to free the worker; absent otherwise
//
// Two finalizers guard the ends. Keys.Cleanup on the local Job makes its deletion wait until its mirror is
// gone. Keys.Hold on the mirror (Policy.HoldMirror) makes the mirror's deletion by a TTL or by
// somebody else wait until its result is read. A mirror is deleted in the foreground, so that gone means that
// its pods are gone. That holds for our own deletions; where somebody deletes a mirror that is not held in
// the background, its pods may still end while the Job runs again.
//
// [Planner.Build], [Planner.Relate], [Planner.PlanStatus] and [Planner.PlanSpec] are the parts of it, for those who
// take the decisions themselves.
//
// # Building
//
// [Planner.Build] makes a mirror from nothing: what it copies is listed, so that nothing gets along
// by accident. Create the result and never apply it over a mirror that exists. [Lost] compares what
// was sent with what the API server answered.
//
// # Identity
//
// A mirror carries the [Keys]: the origin as a label, the namespace, name and UID of its local Job
// as annotations, and the fields that may change later as they were sent. [Planner.Selector] lists
// the mirrors of an origin, [Planner.LocalOf] maps one to its local Job, and [Planner.Relate]
// decides whether a Job on the worker is the mirror of a given Job. A name proves nothing, and
// neither does an origin alone. What is [Foreign] is never to be read as a
// result, changed or deleted. A [PreviousIncarnation] is no result either, but may be deleted, by its
// UID, to make room.
//
// # Planning the status
//
// [Planner.PlanStatus] says what to write to the local Job's status: the remote status as it is where
// the management API server accepts it, and else changed by the least that makes it acceptable.
//
//	plan := planner.PlanStatus(mirror.Pair{Local: local, Remote: remote}, metav1.Now())
//	if plan.Status != nil {
//		local.Status = *plan.Status // local being a copy of what a cache holds
//		err = management.UpdateStatus(local)
//	}
//	log(plan) // one line: the outcome, and each change with the rule of the API server that asks for it
//	requeue(plan.RequeueAfter)
//
// What it does depends on the two Jobs, in this order ([StatusOutcome] has the meaning of each answer):
//
//	local       remote                                    outcome
//	finished    same verdict                              Finished
//	finished    other verdict, or not finished            Conflict
//	unfinished  finished, pods still active, terminating  Terminating
//	unfinished  finished                                  Copied
//	suspended   running, or pods still active             Deferred
//	suspended   suspended                                 Copied, InSync
//	running     suspended, after the local Job started    Evicted, Resuming
//	running     running, or suspended before any start    Copied, InSync
//
// A terminal result is final, and one on the mirror always arrives unless the outcome is Conflict,
// Invalid or Terminating. Counters never go down and startTime stays where the API server insists, so that
// a Job can be dispatched again, to a worker that counts from zero. [ProjectStatus] is the same without
// asking for identity.
//
// # Other kinds
//
// [Planner.DecideObject] is Decide for every kind of [jobmanagedby.Kinds], by the same table; BuildObject,
// PlanObjectStatus, PlanObjectSpec and RelateObject are its parts. They work on unstructured objects. Some kinds
// take "kueue.x-k8s.io/multikueue" only: answer to that name where no MultiKueue does, with all of Policy.Keys in
// a domain of your own.
//
// # Trying it with a fake API server
//
// Decide goes by what a real one gives every object. A fake has to give it a UID; a resourceVersion that changes
// with every write, and is checked; a generation that goes up when the spec changes; and has to keep an object
// that is deleted until its finalizers are gone. The tracker of client-go's fake clientset does none of this: what
// is missing shows as [Incomplete], as changes of the spec that are never sent, or as [Orphan].
//
// # Purity
//
// Every function in this package is pure: it reads only its arguments, never changes them, keeps no
// state, and returns the same answer for the same arguments; what it returns shares no memory with
// them. It performs no I/O, reads no clock and logs nothing. Everything is safe for concurrent use,
// on objects of a shared informer too. The functions in a [Policy] are the caller's, and have to be
// as pure.
//
// A nil *batchv1.Job panics where a Job is required, as documented; no other input does, however
// malformed.
//
// # Compatibility
//
// The values of [Relation], [Outcome] and [ActionKind], the default [Keys] and the form of what is stamped under them
// are part of the API and do not change within a major version. [DefaultDropKeys] may grow in a minor one.
// Texts of errors may change at any time; their types and fields do not.
package mirror
