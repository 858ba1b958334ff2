// SPDX-License-Identifier: Apache-2.0

package published

// CRDs are those that can be had, the oldest release of each first. The last release of each object is
// what the table of jobmanagedby speaks of.
func CRDs() []CRD {
	const (
		jobSetModule     = "sigs.k8s.io/jobset@v"
		trainerModule    = "github.com/kubeflow/trainer/v2@v"
		trainingModule   = "github.com/kubeflow/training-operator@v"
		mpiModule        = "github.com/kubeflow/mpi-operator@v"
		rayModule        = "github.com/ray-project/kuberay/ray-operator@v"
		appWrapperModule = "github.com/project-codeflare/appwrapper@v"
		tektonModule     = "github.com/tektoncd/pipeline@v"

		jobSets     = "config/components/crd/bases/jobset.x-k8s.io_jobsets.yaml"
		trainJobs   = "manifests/base/crds/trainer.kubeflow.org_trainjobs.yaml"
		kubeflow    = "manifests/base/crds/kubeflow.org_"
		mpiJobs     = "manifests/base/kubeflow.org_mpijobs.yaml"
		ray         = "config/crd/bases/ray.io_"
		appWrappers = "config/crd/bases/workload.codeflare.dev_appwrappers.yaml"
		tekton      = "config/300-crds/300-"
	)
	noField := []string{"spec.managedBy"}
	noPolicy := []string{"spec.runPolicy.managedBy"}
	return []CRD{
		{"jobset", jobSetModule + "0.8.2", jobSets, "v1alpha2", nil},
		{"jobset", jobSetModule + "0.11.1", jobSets, "v1alpha2", nil},
		{"trainjob", trainerModule + "2.0.0", trainJobs, "v1alpha1", []string{"spec.runtimePatches"}},
		{"trainjob", trainerModule + "2.3.0", trainJobs, "v1alpha1", nil},
		{"rayjob", rayModule + "1.5.0", ray + "rayjobs.yaml", "v1", nil},
		{"rayjob", rayModule + "1.6.0", ray + "rayjobs.yaml", "v1", nil},
		{"raycluster", rayModule + "1.5.0", ray + "rayclusters.yaml", "v1", nil},
		{"raycluster", rayModule + "1.6.0", ray + "rayclusters.yaml", "v1", nil},
		{"rayservice", rayModule + "1.5.0", ray + "rayservices.yaml", "v1", noField},
		{"rayservice", rayModule + "1.6.0", ray + "rayservices.yaml", "v1", nil},
		{"pytorchjob", trainingModule + "1.8.1", kubeflow + "pytorchjobs.yaml", "v1", noPolicy},
		{"pytorchjob", trainingModule + "1.9.3", kubeflow + "pytorchjobs.yaml", "v1", nil},
		{"tfjob", trainingModule + "1.8.1", kubeflow + "tfjobs.yaml", "v1", noPolicy},
		{"tfjob", trainingModule + "1.9.3", kubeflow + "tfjobs.yaml", "v1", nil},
		{"xgboostjob", trainingModule + "1.8.1", kubeflow + "xgboostjobs.yaml", "v1", noPolicy},
		{"xgboostjob", trainingModule + "1.9.3", kubeflow + "xgboostjobs.yaml", "v1", nil},
		{"paddlejob", trainingModule + "1.8.1", kubeflow + "paddlejobs.yaml", "v1", noPolicy},
		{"paddlejob", trainingModule + "1.9.3", kubeflow + "paddlejobs.yaml", "v1", nil},
		{"jaxjob", trainingModule + "1.9.3", kubeflow + "jaxjobs.yaml", "v1", nil},
		{"mpijob-v1", trainingModule + "1.8.1", kubeflow + "mpijobs.yaml", "v1", noPolicy},
		{"mpijob-v1", trainingModule + "1.9.3", kubeflow + "mpijobs.yaml", "v1", nil},
		{"mpijob-v2beta1", mpiModule + "0.6.0", mpiJobs, "v2beta1", nil},
		{"mpijob-v2beta1", mpiModule + "0.8.0", mpiJobs, "v2beta1", nil},
		{"appwrapper", appWrapperModule + "1.1.2", appWrappers, "v1beta2", nil},
		{"appwrapper", appWrapperModule + "1.2.0", appWrappers, "v1beta2", nil},
		{"pipelinerun", tektonModule + "1.5.0", tekton + "pipelinerun.yaml", "v1", nil},
		{"pipelinerun", tektonModule + "1.6.0", tekton + "pipelinerun.yaml", "v1", nil},
		{"taskrun", tektonModule + "1.5.0", tekton + "taskrun.yaml", "v1", nil},
		{"taskrun", tektonModule + "1.6.0", tekton + "taskrun.yaml", "v1", nil},
	}
}

// Newest is the last release of each object.
func Newest() (newest []CRD) {
	for _, c := range CRDs() {
		if last := len(newest) - 1; last >= 0 && newest[last].Object == c.Object {
			newest[last] = c
			continue
		}
		newest = append(newest, c)
	}
	return newest
}
