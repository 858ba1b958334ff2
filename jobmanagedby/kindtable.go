// SPDX-License-Identifier: Apache-2.0

package jobmanagedby

import (
	"math"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// multiKueue is the only name that the closed sets take beside the operator's own.
const multiKueue = "kueue.x-k8s.io/multikueue"

// patchManager is under which Kueue enters itself in a TrainJob.
const patchManager = "kueue.x-k8s.io/manager"

const statusPath = "status"

func condition(kind string) string { return statusPath + ".conditions[type=" + kind + "].status" }

func transition(kind string) string {
	return statusPath + ".conditions[type=" + kind + "].lastTransitionTime"
}

// isTrue holds for a condition that is True, among however many entries of its type.
func isTrue(kind string) []Test { return []Test{{Path: condition(kind), Is: "True"}} }

// finishes are the rules of a kind with a condition for each result. A failure comes first: an object
// that shows both is no success.
func finishes(succeeded, failed string) []FinishRule {
	return []FinishRule{{isTrue(failed), Failed, transition(failed)}, {isTrue(succeeded), Succeeded, transition(succeeded)}}
}

func set(paths ...string) (tests []Test) {
	for _, path := range paths {
		tests = append(tests, Test{Path: path})
	}
	return tests
}

func remove(path, why string) Edit { return Edit{Path: path, Why: why} }

func builtInKinds() []Kind {
	const source = "k8s.io/kubernetes 1.30 to 1.38.0-beta.0, pkg/apis/batch/validation/validation.go, pkg/registry/batch/job/strategy.go"
	return []Kind{{
		GroupKind: schema.GroupKind{Group: batchv1.GroupName, Kind: "Job"}, Versions: []string{"v1"}, Operator: "kube-controller-manager",
		Field: "spec.managedBy", Reserved: JobController, Form: FormDomainPath, MaxLength: MaxNameLength,
		Checked: CheckedByAPIServer, Change: ChangeNever, Since: "1.30", HonoredSince: "1.32",
		Suspend: Suspend{Path: "spec.suspend"}, Status: statusPath,
		Finish: finishes("Complete", "Failed"), Started: set("status.startTime"),
		JobTemplates: []string{""},
		SelfDelete:   []Edit{remove("spec.ttlSecondsAfterFinished", "TTL-after-finished deletes the Job")},
		Note:         "1.30 and 1.31 honour it where the JobManagedBy gate is on, 1.32 to 1.34 unless it is off",
		Source:       source,
	}, {
		GroupKind: schema.GroupKind{Group: batchv1.GroupName, Kind: "CronJob"}, Versions: []string{"v1"}, Operator: "kube-controller-manager",
		Field: "spec.jobTemplate.spec.managedBy", Reserved: JobController, Form: FormDomainPath, MaxLength: MaxNameLength,
		Checked: CheckedByAPIServer, Change: ChangeAllowed, Since: "1.30", HonoredSince: "1.32",
		Suspend: Suspend{Path: "spec.suspend"}, Status: statusPath,
		Started:      set("status.lastScheduleTime"),
		JobTemplates: []string{"spec.jobTemplate"},
		Note: "the field of the Jobs to come; the CronJob itself has none, and its controller acts whatever the field says. " +
			"spec.suspend stops new Jobs only",
		Source: source + ", pkg/controller/cronjob/utils.go",
	}}
}

func jobSetKinds() []Kind {
	return []Kind{{
		GroupKind: schema.GroupKind{Group: "jobset.x-k8s.io", Kind: "JobSet"}, Versions: []string{"v1alpha2"}, Operator: "JobSet",
		Field: "spec.managedBy", Reserved: "jobset.sigs.k8s.io/jobset-controller", Form: FormDomainPath, MaxLength: MaxNameLength,
		Checked: CheckedByWebhook, Change: ChangeNever, Since: "0.5.0", HonoredSince: "0.5.0",
		Suspend: Suspend{Path: "spec.suspend"}, Status: statusPath,
		Finish: finishes("Completed", "Failed"),
		Started: set("status.replicatedJobsStatus[].active", "status.replicatedJobsStatus[].ready",
			"status.replicatedJobsStatus[].succeeded", "status.replicatedJobsStatus[].failed"),
		Nested:       []string{"spec.replicatedJobs[].template.spec.managedBy"},
		JobTemplates: []string{"spec.replicatedJobs[].template"},
		SelfDelete:   []Edit{remove("spec.ttlSecondsAfterFinished", "the JobSet controller deletes the JobSet")},
		Note:         "the webhook of 0.5.0 sets the reserved name where there is none; later ones leave the field alone",
		Source:       "sigs.k8s.io/jobset, api/jobset/v1alpha2/jobset_types.go, pkg/webhooks/jobset_webhook.go",
	}}
}

// trainingKind is a kind of the training operator, or of one that has its RunPolicy.
func trainingKind(kind string) Kind {
	return Kind{
		GroupKind: schema.GroupKind{Group: "kubeflow.org", Kind: kind}, Versions: []string{"v1"}, Operator: "the Kubeflow training operator",
		Field: "spec.runPolicy.managedBy", Reserved: "kubeflow.org/training-operator", Allowed: []string{multiKueue}, Form: FormAny,
		Checked: CheckedByWebhook, Change: ChangeNever, Since: "1.9.0", HonoredSince: "1.9.0",
		Suspend: Suspend{Path: "spec.runPolicy.suspend"}, Status: statusPath,
		Finish: finishes("Succeeded", "Failed"), Started: set("status.startTime"),
		SelfDelete: []Edit{remove("spec.runPolicy.ttlSecondsAfterFinished", "the operator deletes the job")},
		Source:     "github.com/kubeflow/trainer 1.9.4, pkg/apis/kubeflow.org/v1/common_types.go, pkg/common/util/webhooks.go, pkg/webhooks",
	}
}

func trainingKinds() []Kind {
	const trainer = "trainer.kubeflow.org/trainjob-controller"
	pytorch, jax, mpi1, mpi2 := trainingKind("PyTorchJob"), trainingKind("JAXJob"), trainingKind("MPIJob"), trainingKind("MPIJob")

	pytorch.Change = ChangeUnchecked
	pytorch.Note = "the webhook compares the new object with itself, so that no change is seen"

	jax.Allowed, jax.Checked, jax.Change, jax.HonoredSince = nil, CheckedByNobody, ChangeUnchecked, ""
	jax.Note = "the field is there, and the operator runs the job whatever it says (1.9.0 to 1.9.4)"

	mpi1.Allowed, mpi1.Checked, mpi1.Change = nil, CheckedByNobody, ChangeUnchecked
	mpi1.Note = "no webhook looks at it"
	mpi1.Source += ", pkg/controller.v1/mpi/mpijob_controller.go"

	mpi2.Versions, mpi2.Operator, mpi2.Reserved = []string{"v2beta1"}, "mpi-operator", "kubeflow.org/mpi-operator"
	mpi2.Checked, mpi2.Change, mpi2.Since, mpi2.HonoredSince = CheckedByNobody, ChangeUnchecked, "0.6.0", "0.6.0"
	mpi2.Note = "the set is checked by the operator alone, after it has skipped a job of another name"
	mpi2.Source = "github.com/kubeflow/mpi-operator, pkg/apis/kubeflow/v2beta1/types.go, pkg/apis/kubeflow/validation/validation.go, " +
		"pkg/controller/mpi_job_controller.go"

	return []Kind{{
		GroupKind: schema.GroupKind{Group: "trainer.kubeflow.org", Kind: "TrainJob"}, Versions: []string{"v1alpha1"}, Operator: "Kubeflow Trainer",
		Field: "spec.managedBy", Reserved: trainer, Defaulted: true, Allowed: []string{multiKueue}, Form: FormAny, MaxLength: 253,
		Checked: CheckedByCRD, Change: ChangeNever, Since: "2.0.0", HonoredSince: "2.3.0",
		Suspend: Suspend{Path: "spec.suspend"}, Status: statusPath,
		Finish: finishes("Complete", "Failed"), Started: set("status.jobsStatus[].active", "status.jobsStatus[].ready",
			"status.jobsStatus[].succeeded", "status.jobsStatus[].failed"),
		ServerSet: []Edit{remove("spec.runtimePatches[manager="+patchManager+"]", "Kueue's, for its own cluster")},
		Note:      "2.0.0 to 2.2.1 keep the field and run the job all the same; 2.0.0 has no greatest length",
		Source: "github.com/kubeflow/trainer, pkg/apis/trainer/v1alpha1/trainjob_types.go, " +
			"manifests/base/crds/trainer.kubeflow.org_trainjobs.yaml, pkg/util/trainjob/trainjob.go",
	}, pytorch, trainingKind("TFJob"), trainingKind("XGBoostJob"), trainingKind("PaddleJob"), jax, mpi2, mpi1}
}

func rayKind(kind, since string) Kind {
	return Kind{
		GroupKind: schema.GroupKind{Group: "ray.io", Kind: kind}, Versions: []string{"v1"}, Operator: "KubeRay",
		Field: "spec.managedBy", Reserved: "ray.io/kuberay-operator", Allowed: []string{multiKueue}, Form: FormAny,
		Checked: CheckedByCRD, Change: ChangeValueNever, Since: since, HonoredSince: since,
		Suspend: Suspend{Path: "spec.suspend"}, Status: statusPath,
		Note:   "the operator skips before it handles a deletion: a finalizer of its own that is there already is not taken off",
		Source: "github.com/ray-project/kuberay/ray-operator, apis/ray/v1, config/crd/bases",
	}
}

func rayKinds() []Kind {
	const deleteSelf, end = "DeleteSelf", "status.endTime"
	finished := func(deployment string) []Test {
		return []Test{{Path: "status.jobDeploymentStatus", Is: deployment}}
	}
	succeeded := Test{Path: "status.jobStatus", Is: "SUCCEEDED"}
	job, cluster, service := rayKind("RayJob", "1.3.0"), rayKind("RayCluster", "1.3.0"), rayKind("RayService", "1.6.0")

	job.Finish = []FinishRule{
		{append(finished("Complete"), succeeded), Succeeded, end}, {append(finished("Failed"), succeeded), Succeeded, end},
		{finished("Failed"), Failed, end}, {finished("Complete"), Failed, end},
	}
	job.Started = set("status.startTime")
	job.Nested = []string{"spec.rayClusterSpec.managedBy"}
	job.SelfDelete = []Edit{
		{Path: "spec.ttlSecondsAfterFinished", If: []Test{{Path: "spec.shutdownAfterJobFinishes", Is: "true"}}, Set: int64(math.MaxInt32),
			Why: "an operator with DELETE_RAYJOB_CR_AFTER_JOB_FINISHES deletes the RayJob after it, at once where it is 0; without " +
				"shutdownAfterJobFinishes it would refuse a suspended RayJob"},
		{Path: "spec.deletionStrategy.onSuccess.policy", Is: deleteSelf, Set: "DeleteCluster", Why: "the operator deletes the RayJob"},
		{Path: "spec.deletionStrategy.onFailure.policy", Is: deleteSelf, Set: "DeleteCluster", Why: "the operator deletes the RayJob"},
		remove("spec.deletionStrategy.deletionRules[policy="+deleteSelf+"]", "the operator deletes the RayJob"),
		{Path: "spec.deletionStrategy", If: []Test{
			{Path: "spec.deletionStrategy.deletionRules", Not: true},
			{Path: "spec.deletionStrategy.onSuccess", Not: true},
			{Path: "spec.deletionStrategy.onFailure", Not: true},
		}, Why: "the CRD refuses one without rules"},
	}
	job.Note += "; ValidationFailed is no end, for a changed spec is tried again"

	cluster.Started = []Test{{Path: "status.state", Is: "ready"}, {Path: "status.state", Is: "failed"}}
	service.Suspend = Suspend{Path: "spec.rayClusterConfig.suspend"}
	service.Started = set("status.serviceStatus", "status.activeServiceStatus.rayClusterName")
	service.Nested = []string{"spec.rayClusterConfig.managedBy"}
	service.Note += "; a spec.suspend of its own exists from 1.7.0"
	return []Kind{job, cluster, service}
}

func otherKinds() []Kind {
	const appWrapper = "workload.codeflare.dev"
	tekton := func(kind string) Kind {
		return Kind{
			GroupKind: schema.GroupKind{Group: "tekton.dev", Kind: kind}, Versions: []string{"v1", "v1beta1"}, Operator: "Tekton Pipelines",
			Field: "spec.managedBy", Reserved: "tekton.dev/pipeline", Form: FormAny,
			Checked: CheckedByNobody, Change: ChangeNever, Since: "1.5.0", HonoredSince: "1.5.0",
			Suspend: Suspend{Path: "spec.status", Value: kind + "Pending"}, Status: statusPath,
			Finish: []FinishRule{{isTrue("Succeeded"), Succeeded, transition("Succeeded")},
				{[]Test{{Path: condition("Succeeded")}, {Path: condition("Succeeded"), Is: "Unknown", Not: true}}, Failed, transition("Succeeded")}},
			Started: set("status.startTime"),
			Note: "looked at when an event is queued, not when it is handled: one of a child still brings the run to the controller. " +
				"A webhook refuses changes",
			Source: "github.com/tektoncd/pipeline, pkg/apis/pipeline/v1/{pipelinerun,taskrun}_{types,validation}.go, pkg/apis/pipeline/register.go",
		}
	}
	taskRun := tekton("TaskRun")
	taskRun.StatusNeeds = []string{"status.podName"}
	return []Kind{{
		GroupKind: schema.GroupKind{Group: appWrapper, Kind: "AppWrapper"}, Versions: []string{"v1beta2"}, Operator: "AppWrapper",
		Field: "spec.managedBy", Reserved: appWrapper + "/appwrapper-controller", Form: FormAny,
		Checked: CheckedByNobody, Change: ChangeNever, Since: "0.26.0", HonoredSince: "0.26.0",
		Suspend: Suspend{Path: "spec.suspend"}, Status: statusPath,
		Finish: []FinishRule{
			{[]Test{{Path: "status.phase", Is: "Succeeded"}}, Succeeded, transition("QuotaReserved")},
			{[]Test{{Path: "status.phase", Is: "Failed"}, {Path: condition("ResourcesDeployed"), Is: "True", Not: true}}, Failed, transition("QuotaReserved")},
		},
		Started:    isTrue("QuotaReserved"),
		Embedded:   []string{"spec.components[].template"},
		SelfDelete: []Edit{remove("metadata.annotations[workload.codeflare.dev.appwrapper/successTTLDuration]", "the operator deletes the AppWrapper")},
		Note: "the operator skips before it handles a deletion: a finalizer of its own that is there already is not taken off. " +
			"A webhook refuses changes",
		Source: "github.com/project-codeflare/appwrapper, api/v1beta2/appwrapper_types.go, internal/webhook/appwrapper_webhook.go",
	}, tekton("PipelineRun"), taskRun}
}

// kindsWithoutField are those that people look for it in.
func kindsWithoutField() []Kind {
	without := func(group, kind, operator, why string) Kind {
		return Kind{GroupKind: schema.GroupKind{Group: group, Kind: kind}, Operator: operator, NoField: why}
	}
	const core = "kube-controller-manager"
	nested := func(k Kind, paths ...string) Kind {
		k.Versions, k.Nested = []string{"v1"}, paths
		return k
	}
	runtime := func(kind string) Kind {
		k := nested(without("trainer.kubeflow.org", kind, "Kubeflow Trainer", "a template; the TrainJob that refers to it has the field"),
			"spec.template.spec.managedBy", "spec.template.spec.replicatedJobs[].template.spec.managedBy")
		k.Versions = []string{"v1alpha1"}
		return k
	}
	return []Kind{
		without("leaderworkerset.x-k8s.io", "LeaderWorkerSet", "LWS", "no release has it; its pods can be gated"),
		without("sparkoperator.k8s.io", "SparkApplication", "Spark operator", "proposed, not merged (kubeflow/spark-operator#2879); spec.suspend stops it"),
		without("sparkoperator.k8s.io", "ScheduledSparkApplication", "Spark operator", "proposed, not merged (kubeflow/spark-operator#2879)"),
		without("argoproj.io", "Workflow", "Argo Workflows", "controllers share Workflows out by the label workflows.argoproj.io/controller-instanceid"),
		without("batch.volcano.sh", "Job", "Volcano", "no release has it; schedulers are chosen by spec.schedulerName"),
		without("kustomize.toolkit.fluxcd.io", "Kustomization", "Flux", "spec.suspend only"),
		without("helm.toolkit.fluxcd.io", "HelmRelease", "Flux", "spec.suspend only"),
		without("flux-framework.org", "MiniCluster", "Flux Framework operator", "no release has it"),
		nested(without("ray.io", "RayCronJob", "KubeRay", "its spec.jobTemplate is the spec of a RayJob, and that has it"),
			"spec.jobTemplate.managedBy", "spec.jobTemplate.rayClusterSpec.managedBy"),
		runtime("TrainingRuntime"), runtime("ClusterTrainingRuntime"),
		without("apps", "Deployment", core, "never finishes, and its pods can be gated one by one"),
		without("apps", "StatefulSet", core, "never finishes, and its pods can be gated one by one"),
		without("apps", "DaemonSet", core, "belongs to the nodes of its cluster"),
		without("", "Pod", "kubelet", "belongs to the kubelet of its node; a scheduling gate keeps it from one"),
	}
}
