// SPDX-License-Identifier: Apache-2.0

// Package statusvalidate reproduces what kube-apiserver checks when the status of a batch/v1 Job is
// written: would it take this update, and if not, which rule does it break and what to do about it?
//
// A controller that takes over a Job through spec.managedBy writes the Job's status itself, and the
// API server holds such writes to a list of rules: a failed Job needs FailureTarget before Failed,
// counters do not decrease, startTime stays as it is while the Job runs, and more than thirty
// others. A status copied from another cluster, a worker of an older release for instance, breaks
// them easily, and the answer is a 422 at run time, again and again. The rules are not simple to
// follow by hand: most are looked at only if the update changes what they are about, they depend on
// the old Job's spec, they differ between minor releases and even patches, and some exclude each
// other across releases. Ask before writing:
//
//	v := statusvalidate.For(apiServer) // a jobmanagedby.Release; ForAll during an upgrade
//	c := statusvalidate.Change{Old: stored, New: updated}
//	for _, violation := range v.Validate(c) {
//		log.Info(violation.Error(), "rule", violation.Rule, "remedy", violation.Remedy())
//	}
//
// [Validator.ValidateStatus] judges the status of one Job by itself, and [Validator.Lint] warns about
// what the API server lets pass and clients trip over. [Validator.Allows] is the verdict of Validate
// without allocating, [Validator.Broken] the rules without the errors. [Rules] is the whole policy as
// data, made from the table that the package runs on, and [ValidateMetadata] covers the object's
// metadata, which the API server checks in the same request.
//
// # Equality
//
// The errors have the type, field, bad value and order of the API server of that release. Field
// paths and error types are its interface; its sentences are not and change from release to
// release, so the details here are worded by this package. Match on [Violation.Rule]: even the type
// of an error has changed between releases (of [StartTimeChangedWhileRunning], in 1.36). A bad
// value is equal to the server's as JSON of batch/v1; in its messages the server prints
// uncountedTerminatedPods with the field names of its internal type.
//
// An update is compared as a typed client puts it on the wire:
//
//   - Times are instants in whole seconds, without a zone. A zero time is no time.
//   - The spec is that of [Change].Old, with the API server's defaults; a write to the status cannot
//     change the spec.
//   - A Job has a condition if any entry of that type is True. An entry that is False, Unknown or
//     empty is as good as none, but for Suspended=False, by which a Job resumes.
//   - ready, terminating and failedIndexes differ when one is nil and the other is not. So does
//     uncountedTerminatedPods; in it, an empty list is the same as none.
//
// Equality is tested with verdicts that real API-server code of 1.30 to 1.37 has given.
//
// # Releases and gates
//
// A [jobmanagedby.Release] is a version of kube-apiserver and the setting of its JobManagedBy gate.
// Most rules are behind that gate, for every Job and not only for those with spec.managedBy: it is
// off by default in 1.30 and 1.31, on by default from 1.32 and cannot be switched off from 1.35.
// [Rules] has the releases of each rule, down to the patch where a fix was backported. No status
// suits all releases: a Job without a success policy must have SuccessCriteriaMet to be Complete
// from 1.32, and must not have it in 1.30.
//
// # Purity
//
// Every function is pure: it reads its arguments only, changes none of them, shares no memory with
// them, keeps no state, reads no clock and logs nothing. Everything is safe for concurrent use. The
// cost of a check is linear in the size of the two statuses. An update that is accepted allocates
// nothing, unless it has more than 32 uncounted pods.
//
// # Compatibility
//
// The values of [Rule] never change within a major version. New rules and new releases may be added
// in a minor version; the zero [Validator], [For] an unknown newer release, and [ForAll] without
// arguments then refuse more. Texts (summaries, remedies, details, what String and Error return)
// may change at any time.
//
// # What is not covered
//
// Anything else that can refuse the request: admission webhooks, authorization, conflicts of
// resourceVersion or UID, a body that does not decode. Fractions of seconds, which a client without
// Go types can send and the API server compares until it stores them. The gate
// JobPodReplacementPolicy, on by default: switched off together with JobManagedBy in 1.31 to 1.34
// it extends [SuccessCriteriaMetOnNonIndexed] and [SuccessCriteriaMetWithoutSuccessPolicy] to these
// releases.
//
// Oddities of the API server are reproduced, not corrected. Some worth knowing:
//
//   - An index both in completedIndexes and in failedIndexes goes unseen where a list is not rising;
//     and the order of a list is not checked when only the other one changes.
//   - [FailedWithoutFailureTarget] is looked at when failedIndexes changes: a Job that an older release
//     let fail without FailureTarget cannot have its failedIndexes corrected.
//   - The startTime of a Job whose spec is suspended can be moved at will, also when it has finished.
//   - [SuccessCriteriaMetAfterComplete] keeps a Job that is Complete without SuccessCriteriaMet from
//     getting it later, although a new one could not do without.
package statusvalidate
