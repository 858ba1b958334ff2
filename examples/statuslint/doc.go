// SPDX-License-Identifier: Apache-2.0

// Command statuslint says what is wrong with the status of Jobs: what an API server refuses, by which rule,
// in which releases, and how to mend it; and what it lets pass and clients trip over.
//
//	kubectl get jobs -A -o yaml | go run ./examples/statuslint -
//	go run ./examples/statuslint -old stored.yaml -new sent.yaml -release 1.36.3
//	go run ./examples/statuslint -audit audit.log
//	go run ./examples/statuslint -error answer.json -o json
//	grep 'is invalid' controller.log | go run ./examples/statuslint -error -
//
// As kubectl-statuslint in PATH it is a plugin of kubectl:
//
//	go build -o kubectl-statuslint ./examples/statuslint
//	kubectl get jobs -A -o yaml | kubectl statuslint -
//
// It only reads: nothing is sent to a cluster.
//
// # Input
//
// Jobs are YAML or JSON, in one or several documents, each a batch/v1 Job, a JobList or a List of Jobs. A
// Job by itself is judged as if its status were written in one update to the same Job without a status, so
// that every rule is looked at that does not need an earlier status. Such a finding does not mean that the
// stored Job is in danger: most rules are looked at only when a write changes what they are about, and those that
// are looked at always are named at the end. Objects of other kinds
// are counted in a warning and passed over, unless there is no Job among them; an empty List is clean.
//
// The Jobs of -old and -new are matched by namespace and name; a Job that only one of them has is passed
// over, with a warning for -new. It is said where the two seem to be swapped, and where they are Jobs with
// different UIDs: then the status of one is judged as if it were written to the other, which is what a
// controller does that copies it.
//
// An audit log has an event of audit.k8s.io/v1 on each line, or an EventList. Lines that are something else, or
// cut off, are counted in a warning and passed over, unless there is no event among them. Events about updates
// and patches of jobs/status are looked at. How much can be said depends on the audit level: with Metadata, which
// rules the API server meant when it refused a write; with RequestResponse, also whether another release would
// refuse a write that this one took, where the log has the Job before and after it. With Request, an update is
// judged as the Job that it is. Writes of which the log has no object are counted in a warning, and not judged.
//
// An answer of an API server is a v1 Status object of reason Invalid, as client-go has it in
// apierrors.StatusError, or its message, wherever it stands in a text: as kubectl prints it, or in a log. An API
// server does not name the rules: they are told by the type, field and key words of each cause. Where these do not
// tell, the candidates are listed.
//
// # Releases
//
// Without -release the newest patches are asked that are strict by default, 1.32 to 1.37. "all" adds 1.30
// and 1.31. No status suits 1.30 and the others alike: a Job that is Complete needs SuccessCriteriaMet from 1.32 on,
// and 1.30 refuses it without a success policy. A release newer than those known is taken to be like the newest
// of them. The changes that mend a status are those of mirror.ProjectStatus, the planner that a controller would
// use; a Job by itself is planned for as if it were not suspended, for it has no mirror that is to stop.
//
// # Output
//
// Text shows what there is to report, and counts the rest. Of many findings of one rule about one status ten are
// shown, in every format, and the others counted. With -o json the output is one object. Names are stable; some may be added. Lists are never null.
//
//	releases                  that were asked
//	errors, warnings          how many findings
//	subjects[]                everything that was looked at, also what is clean
//	  kind                    Job, Update, AuditEvent, Answer
//	  source                  file, document, item or line
//	  namespace, name         of the Job
//	  about                   of an event: who wrote when, and what the answer was; of an answer: its message
//	  findings[]
//	    level                 error: an API server refuses it; warning: those asked let it pass
//	    rule                  a statusvalidate.Rule or LintRule; absent if it cannot be told, or is no rule about a status
//	    candidates            the rules that it may be, if it cannot be told
//	    type, field, value    of the API server's error; a warning has no type
//	    message, harm, remedy for people
//	    releases              of those that were asked: that refuse it, or let it pass
//	    more                  how many findings of the rule are left out behind this one
//	  mends[]                 what to write instead; several where nothing suits all releases
//	    releases
//	    outcome, why          of the planner
//	    changes[]             field, rule, why; no rule where the API server would not object
//	    status                the whole status, null if there is nothing to write
//	    left                  warnings that remain
//	    tooLate               rules by which the Job, as it is now, cannot be changed to that any more
//
// With -o sarif it is SARIF 2.1.0, with the line of the field where the input is YAML as kubectl prints it.
//
// # Exit status
//
// 0 if there is nothing to report; 1 if there is, be it a warning; 2 if the input is unusable, and then
// nothing is written to standard output, and one line to standard error.
package main
