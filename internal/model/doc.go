// SPDX-License-Identifier: Apache-2.0

// Package model searches an abstract world of two clusters for a way in which a controller that carries out
// the plans of [mirror.Planner.Decide] could lose a result, run a Job twice, leave a mirror behind, touch what
// is not its own, or never come to rest. The plans are the real ones, made for real Jobs; what is abstract is
// the world around them. A search visits every order of events up to a bound, nearest first, so a
// violation comes with one of the shortest traces that lead to it, as a table.
//
// What the search finds is checked up to its bound. It is no proof.
//
// # The world
//
//   - One local Job at a time, one or two workers, and on each worker one Job of the mirror's name with at
//     most one pod, which is modelled apart from its Job. Pods outlive their Job where a
//     deletion does not wait for them.
//   - API servers check UID and resourceVersion where a request has them, and refuse a name that is taken. They
//     keep a Job while it has finalizers, take merge patches and JSON patches, and validate statuses as
//     the library's own statusvalidate does for all strict releases.
//   - The worker's Job controller creates a pod first and writes the status in a later step, suspends and
//     resumes, counts, retries once, promises a verdict and keeps it when the pods are gone. With
//     Config.OldWorker it promises none. A garbage collector deletes in the foreground and in the background.
//   - The user suspends, resumes, scales, deletes and creates again; a dispatcher chooses the worker; somebody on
//     the worker deletes the mirror in the background, also while it is deleted in the foreground, a TTL does in the
//     foreground, and somebody creates a Job of that name, which may claim to be another manager's mirror (without
//     ExclusiveOrigin), or this one (Config.Forged). Workers stop answering. How often each of these incidents happens
//     is the [Budget].
//   - The controller plans for one worker at a time by what its caches hold, which is the current version of a
//     Job or an older one and never goes back, or by "unknown" for a worker that does not answer. A plan is
//     carried out one request at a time, and anything can happen between two; it can be given up at any point,
//     which stands for crashes, lost replies and errors alike, and costs no Budget. ReadLive is carried out at
//     once, for all that it names. A standby, of which the caches stopped at one moment, can take over at a later
//     one, when the plan before has ended.
//
// # What is checked
//
// By every step: no write is refused by validation; nothing foreign is written or deleted; a result does not
// change; a mirror is created only for a Job that is there, without a verdict or the promise of one, and
// that has the finalizer, which does not go while there is a mirror; a suspended Job is not shown as
// started; a failure that a deletion made is not a result; a mirror with a result that the local Job lacks
// does not go; two mirrors of a Job do not run at a time, pods included, reachable or not; a plan does not spoil its own
// precondition, and says so if it waits for a time.
//
// From every state, by steps that fairness brings about sooner or later (the controller, its caches, the Job
// controller, pods that succeed, the garbage collector, a worker that answers again): a result on a worker can
// reach the local Job; no mirror and no finalizer of a deleted Job is left; the world can come to rest, and where it
// rests the Job has its result, or is suspended, unwanted, or kept out by a foreign Job. On no circle of
// such steps does the controller change anything. States beyond the bound count as good.
//
// # What is left out
//
// Without HoldMirror nobody can keep a mirror that somebody else deletes: its result may be lost, and its
// pods may run on beside those of the next. Of a result that comes after the controller's own deletion the same
// holds. Where somebody deletes a held mirror in the background while it is deleted in the foreground, the controller cannot
// tell whether the pods are counted: its result may be lost, but its pods go first. The garbage
// collector is not always faster than the controller, which would try for ever to let the mirror go. A forged mirror that stands there before the dispatch record names the true one may be taken for it;
// what follows is not looked at.
// Not in the world: more than one pod of a Job, Indexed Jobs, caches that catch up with a part of what
// they missed, requests that arrive late, two instances of the controller at work at the same time, orphaning
// deletions, AbandonAfter, KeepFinished, MaxAttempts, Policy.Condition, and time, but for before and after
// all delays.
package model
