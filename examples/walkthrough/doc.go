// SPDX-License-Identifier: Apache-2.0

// Command walkthrough shows, for a Job and its mirror, what the packages of this module say of them:
// who manages the Job and why, what to create on the worker, what to write to the Job's status,
// whether an API server would take that or a blind copy of the mirror's status, and the whole next step of a
// controller.
//
//	go run ./examples/walkthrough
//	go run ./examples/walkthrough -local local.yaml -remote remote.yaml
//	kubectl get jobs -A -o yaml | go run ./examples/walkthrough -local - -remote remote.yaml
//
// Without files it walks through four pairs that are built in, as "kubectl get job -o yaml" prints
// them. It only reads: nothing is sent to a cluster.
//
// # Input
//
// A file is YAML or JSON, in one or several documents, each a batch/v1 Job, a JobList or a List of
// Jobs. Documents are counted from 1; those without content do not count. The Jobs of the two files
// are matched by namespace and name. A local Job without a partner is skipped with a warning, and a
// remote one in silence; it is an error if none has a partner.
//
// A field that this program does not know is a warning, for a newer Kubernetes may have printed it. A
// field that is there twice is an error.
//
// # Output
//
// With -o json the output is one object. Names are stable; some may be added. Lists are never null.
//
//	now                        the time that was planned for
//	pairs[]
//	  namespace, name          of the local Job
//	  about                    what the pair is an example of, or which documents it comes from
//	  controller, origin       what was planned with
//	  managedBy                who is responsible for the local Job
//	  identity                 Ours, PreviousIncarnation, Foreign; NotChecked if the remote Job has none of ours
//	  mirror                   the Job to create on the worker, null if it was refused
//	  mirrorRefused            why, absent if it was not
//	  releases[]               in the order of -release
//	    release
//	    builtInController      skips, hazard, reason, message: of a kube-controller-manager of the release
//	    blindCopy              verdict, violations: of the remote status, copied as it is
//	    plan                   verdict, violations, outcome, status, adjustments, requeueAfterSeconds
//	  next                     the whole next step, on the last release, if the Job is wanted on that worker and there is no other;
//	                           absent if the identity was not checked: outcome, why, error, requeueAfterSeconds, requeueWhy
//	    actions[]              kind, cluster, subresource, patchType, patch
//	    differences[]          of the spec: kind, field, rule, local, mirror, overrides
//
// A verdict is "accepted", "refused" or, where status is null, "nothing to write". A violation has
// rule, type, field, message and remedy; an adjustment has field, rule and why, and no rule if it is a
// guard: the API server would not have objected.
//
// # Exit status
//
// 0; 1 if a plan is Conflict or Invalid; 2 if the input is unusable, and then nothing is written to
// standard output.
package main
