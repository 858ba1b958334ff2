// SPDX-License-Identifier: Apache-2.0

package jobmanagedby

// Duty is something that is done to every Job, and who does it for a delegated one.
type Duty struct {
	// ID names the duty for ever, e.g. "ActiveDeadline".
	ID string
	// Yours is true where nobody does it to a delegated Job but the controller that spec.managedBy
	// names: the built-in controller, which does it otherwise, skips the Job. False: Actor goes on
	// doing it, and you have to reckon with it.
	Yours bool
	// Actor does it to a Job that is not delegated: [JobController], or another part of the control
	// plane.
	Actor string
	// Fields are those of the Job that the duty reads in spec and metadata, and writes in status.
	Fields []string
	// Summary is one sentence for a person.
	Summary string
	// Source is the upstream function or functions, and their file in k8s.io/kubernetes 1.37.2,
	// unless another module is named.
	Source string
}

// OwnDuties returns what the built-in controller no longer does for a delegated Job, which is then up
// to the controller that is named, followed by what others still do to it. It is a check-list for the
// author of a controller. One that has the Job run in another cluster, by the built-in controller
// there, fulfils most of it by copying the status.
//
// The slices are the caller's own.
func OwnDuties() []Duty {
	const (
		jobController = "pkg/controller/job/job_controller.go"
		indexes       = "pkg/controller/job/indexed_job_utils.go"
	)
	yours := func(id, summary, source string, fields ...string) Duty {
		return Duty{ID: id, Yours: true, Actor: JobController, Fields: fields, Summary: summary, Source: source}
	}
	theirs := func(id, actor, summary, source string, fields ...string) Duty {
		return Duty{ID: id, Actor: actor, Fields: fields, Summary: summary, Source: source}
	}
	return []Duty{
		yours("Pods",
			"Pods are created, replaced and deleted until as many have succeeded as asked for.",
			"manageJob in "+jobController,
			"spec.template", "spec.parallelism", "spec.completions", "spec.completionMode", "spec.selector"),
		yours("PodReplacementPolicy",
			"A replacement waits, where asked for, until the old pod is terminal.",
			"manageJob, onlyReplaceFailedPods in "+jobController,
			"spec.podReplacementPolicy"),
		yours("Suspend",
			"The active pods of a suspended Job are deleted.",
			"manageJob in "+jobController,
			"spec.suspend"),
		yours("SuspendedCondition",
			"The Suspended condition follows spec.suspend: True once suspended, False once resumed. "+
				"Tools wait for it.",
			"syncJob in "+jobController,
			"spec.suspend", "status.conditions"),
		yours("StartTime",
			"startTime is set at the first start and set anew on resume, so that the deadline counts from "+
				"there; by default from 1.36 it is cleared on suspend.",
			"syncJob in "+jobController,
			"spec.suspend", "status.startTime"),
		yours("ActiveDeadline",
			"A Job that runs longer than its deadline fails (reason DeadlineExceeded).",
			"syncJob, pastActiveDeadline in "+jobController,
			"spec.activeDeadlineSeconds", "status.startTime", "status.conditions"),
		yours("BackoffLimit",
			"Failed pods are retried, later each time; above the limit the Job fails (reason "+
				"BackoffLimitExceeded).",
			"syncJob, pastBackoffLimitOnFailure in "+jobController+
				"; getRemainingTime in pkg/controller/job/backoff_utils.go",
			"spec.backoffLimit", "status.failed", "status.conditions"),
		yours("BackoffLimitPerIndex",
			"An index that fails too often is given up; with too many of these, or when no index is "+
				"left, the Job fails (reasons MaxFailedIndexesExceeded, FailedIndexes).",
			"calculateFailedIndexes in "+indexes+"; syncJob in "+jobController,
			"spec.backoffLimitPerIndex", "spec.maxFailedIndexes", "status.failedIndexes", "status.conditions"),
		yours("PodFailurePolicy",
			"Rules over exit codes and pod conditions fail the Job or an index, or leave a failure uncounted.",
			"matchPodFailurePolicy in pkg/controller/job/pod_failure_policy.go; getFailJobMessage in "+jobController,
			"spec.podFailurePolicy", "status.failed", "status.conditions"),
		yours("SuccessPolicy",
			"An Indexed Job can succeed before every index has.",
			"matchSuccessPolicy in pkg/controller/job/success_policy.go",
			"spec.successPolicy", "status.completedIndexes", "status.conditions"),
		yours("Counters",
			"Pods are counted, each once, and indexes recorded.",
			"trackJobStatusAndRemoveFinalizers in "+jobController+"; calculateSucceededIndexes in "+indexes,
			"status.active", "status.ready", "status.terminating", "status.succeeded", "status.failed",
			"status.completedIndexes", "status.failedIndexes", "status.uncountedTerminatedPods"),
		yours("Verdict",
			"SuccessCriteriaMet or FailureTarget says early how the Job ends; Complete (with "+
				"completionTime) or Failed says that it has ended, once no pod is left terminating or "+
				"uncounted.",
			"syncJob, enactJobFinished in "+jobController,
			"status.conditions", "status.completionTime"),
		yours("TrackingFinalizer",
			"The finalizer batch.kubernetes.io/job-tracking is taken off pods that were counted; off "+
				"pods of a delegated Job nobody takes it, so do not use it.",
			"trackJobStatusAndRemoveFinalizers, handleSingleOrphanPod in "+jobController),
		yours("Events",
			"Events on the Job tell of suspension, resumption and the end.",
			"syncJob, recordJobFinished in "+jobController),
		yours("PodGroup",
			"A Workload and a PodGroup are kept for gang scheduling (alpha, gate WorkloadWithJob).",
			"ensureWorkloadAndPodGroup in pkg/controller/job/job_scheduling_manager.go",
			"spec.scheduling"),

		theirs("TTLAfterFinished", "ttl-after-finished-controller",
			"The finished Job is deleted, in the foreground, its TTL after lastTransitionTime of the "+
				"Complete or Failed condition. A zero time there is an error that is retried for ever, a "+
				"time in the future only makes it later.",
			"processJob, jobFinishTime in pkg/controller/ttlafterfinished/ttlafterfinished_controller.go",
			"spec.ttlSecondsAfterFinished", "status.conditions"),
		theirs("CronJobConcurrency", "cronjob-controller",
			"With Forbid an unfinished Job holds up the next one, for ever if it never finishes; "+
				"with Replace it is deleted, in the background.",
			"syncCronJob in pkg/controller/cronjob/cronjob_controllerv2.go",
			"metadata.ownerReferences", "status.conditions"),
		theirs("CronJobHistory", "cronjob-controller",
			"Finished Jobs above the history limits are deleted, the oldest by startTime first; "+
				"completionTime of a Complete Job becomes lastSuccessfulTime.",
			"cleanupFinishedJobs, syncCronJob in pkg/controller/cronjob/cronjob_controllerv2.go",
			"metadata.ownerReferences", "status.conditions", "status.startTime", "status.completionTime"),
		theirs("GarbageCollection", "garbage-collector-controller",
			"The Job goes with its owner, and what it owns goes with the Job; a DELETE of batch/v1 "+
				"Jobs that names no policy orphans instead.",
			"attemptToDeleteItem in pkg/controller/garbagecollector/garbagecollector.go; "+
				"DefaultGarbageCollectionPolicy in pkg/registry/batch/job/strategy.go",
			"metadata.ownerReferences", "metadata.finalizers"),
		theirs("NamespaceDeletion", "namespace-controller",
			"The Job is deleted with its namespace; a finalizer holds the namespace up.",
			"Delete in pkg/controller/namespace/deletion/namespaced_resources_deleter.go",
			"metadata.finalizers"),
		theirs("Quota", "resourcequota-controller",
			"The Job counts towards count/jobs.batch.",
			"NewObjectCountEvaluator of k8s.io/apiserver in pkg/quota/v1/generic/evaluator.go"),
		theirs("StatusValidation", "kube-apiserver",
			"Status writes are checked by the same rules as those of the built-in controller.",
			"getStatusValidationOptions in pkg/registry/batch/job/strategy.go",
			"status"),
		theirs("Metric", JobController,
			"job_controller_jobs_by_external_controller_total counts the Job by the name in "+
				"spec.managedBy, again after each restart.",
			"addJob in "+jobController,
			"spec.managedBy"),
	}
}
