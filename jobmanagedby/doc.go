// SPDX-License-Identifier: Apache-2.0

// Package jobmanagedby answers one question about a batch/v1 Job: which controller is responsible for
// it, and does the built-in controller agree?
//
// Since Kubernetes 1.30 a Job can name its controller in spec.managedBy (KEP-4368, GA in 1.35). The
// built-in controller, kubernetes.io/job-controller in kube-controller-manager, is meant to leave
// such a Job alone. To read the field is one line. What it takes to rely on it is more:
//
//   - The field decides nothing by itself. With the JobManagedBy gate off (the default before 1.32),
//     or in a release that does not know the field, the built-in controller runs the Job too, and
//     two controllers fight over its status.
//   - Two components have to agree. The API server stores the field, or drops it without an error; the
//     kube-controller-manager skips the Job, or does not. Their releases and gates can differ.
//   - The field is immutable, so that the moment to set and to check it is before the create. Setting
//     the reserved name where there was none is a change as well.
//   - A misspelt name is accepted. The Job then waits for ever, without a condition or an event.
//   - To be skipped by the built-in controller means that nobody enforces deadlines and back-off
//     limits or reports a suspension; but TTL-after-finished and CronJob still act.
//
// # Use
//
// At the top of every reconcile:
//
//	if !jobmanagedby.IsManagedBy(job, "acme.io/dispatcher") {
//		return nil
//	}
//
// Before relying on a cluster, with the version of its kube-controller-manager:
//
//	release, err := jobmanagedby.ParseRelease("v1.31.14")
//	…
//	if d := jobmanagedby.Decide(job, release); d.Reason.Hazard() {
//		// two controllers, or none: d.Message says what to do
//	}
//
// To hand a Job over, [Delegate] it before the create and ask [Dropped] after it; in a mutating
// webhook, [Default]. [OwnDuties] is the check-list of what a controller takes on, and [CheckKnown]
// finds misspelt names. The functions with Template in their names do the same for spec.jobTemplate
// of a CronJob.
//
// # Releases
//
// A [Release] is that of one component, with the setting of its gate. The zero value is the newest
// release known here.
//
//	release       JobManagedBy gate        honoured
//	before 1.30   no gate, no field        no
//	1.30, 1.31    alpha                    where the gate is set to true
//	1.32 – 1.34   beta                     unless the gate is set to false
//	1.35 – 1.37   GA, locked to true       yes
//	from 1.38     gone                     yes
//
// The gate goes by the emulated version (--emulated-version) where one is set.
//
// # Other kinds
//
// [Kinds] is a table of the kinds that have the field, or are asked for and have not: where it is, who checks it,
// which release of the operator honours it, how the object is suspended and how its result is read. KINDS.md beside
// this file shows it. A [Kind] takes the same decisions as above on *unstructured.Unstructured; one of
// your own is a value like the others. It refuses objects of another kind, and of versions that it does not know.
//
// # Purity
//
// Every function looks at its arguments only. There is no client, clock, log, goroutine or state, and
// everything is safe for concurrent use. No argument is changed, but for the Job or template that
// [Delegate], [Default], their Template forms and the methods of [Kind] with such names are there to change, and nothing returned shares
// memory with an argument. A nil Job or template panics; nothing else does.
//
// # Compatibility
//
// Built and tested with k8s.io/api and k8s.io/apimachinery 0.34 to 0.37. Reasons, IDs, error types and
// field paths are stable; messages and summaries are for people and may change.
//
// # What it does not do
//
// It does not talk to a cluster: whose release counts, and which names are known, is the caller's to
// say. It does not say whether a status may be written (package statusvalidate) or what to write
// (package mirror).
package jobmanagedby
