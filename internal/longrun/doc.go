// SPDX-License-Identifier: Apache-2.0

// Package longrun runs long lives of Jobs under the real Planner of package mirror, one life a seed, and looks for a result that is
// lost, a Job that runs twice, a mirror or a finalizer that is left, a write that an API server refuses, and a world that
// does not come to rest. It is all tests.
//
// Package model visits every order of a few events. This one visits few orders of many events, in the dimensions that
// model leaves out: time and clocks, KeepFinished, MaxAttempts, AbandonAfter, RetryDelay, Condition, TTLs, caches that catch
// up with a part of what they missed, two controllers at the same time, Indexed Jobs, large annotations. The two share
// no code. What a million seeds do not find is not proved to be absent.
//
// # A life
//
// A seed chooses a Policy, the releases of the API servers, the traits of the workers and the clocks, and then one event
// after another:
//
//   - A user suspends, resumes, scales, edits, deletes, and creates again under the same name; a dispatcher moves the Job.
//   - Each of two controllers plans for one of two workers, by caches of its own that trail, or by live reads where the plan
//     asks for them. It sends one request after the other; between two, anything else may happen (but not between a
//     claim and its create), it may crash, and replies may get lost. The clock of the second may be an hour off.
//   - Workers run pods, fail, succeed, suspend and resume, delete finished Jobs by their TTL, collect garbage in the foreground
//     and the background, and write their status late. Old ones, of a release up to 1.30, promise no verdict and freeze the
//     count of terminating pods. Their clocks may be off. Queues on them suspend mirrors.
//   - Others on the workers delete mirrors in the foreground or the background, also twice, and take their names. Workers
//     stop answering.
//
// Then it is fair: one controller with a good clock and fresh caches, workers that answer and succeed, users who for the most
// part want their Job to run, and time that passes as RequeueAfter says.
//
// # What is checked
//
// At every step: no write is refused by validation, for any of the management releases; a terminal result does not change;
// what is not a mirror is not touched; no mirror is created for a Job that is gone, or finished, or lacks the
// finalizer, or is to fail after a loss, or has had its MaxAttempts; no mirror goes with a result that the local Job lacks (as far
// as Policy.HoldMirror promises that, or nobody else has deleted a mirror of it); pods of a
// Job do not run twice, and no mirror goes before its pods, but for one that nobody held and that somebody else has deleted;
// a deletion does not become a failure; the time in which a Job was suspended is not charged; annotations fit;
// every tenth plan is that of DecideObject too.
//
// At the end: the world rests, after a bounded number of actions, and no attempt was waited for longer than the delays allow;
// a Job has its result, or is suspended, unwanted, too large, or kept out by a mirror that was abandoned; nothing is left of
// deleted and finished Jobs; there was a reason for every attempt.
//
// # What is left out
//
// Requests that arrive late, and so a create long after its claim; mirrors and records that somebody edits; orphaning deletions;
// other kinds than Job; more than two workers. A mirror that is lost counts for MaxAttempts and OnMirrorLost if a controller
// saw it. A failure in the same second as the deletion by somebody else may be taken for
// the work of the deletion, or, where the TTL is 0, the work of the deletion for a failure: nobody can tell.
package longrun
