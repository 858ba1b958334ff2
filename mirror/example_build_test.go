// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"errors"
	"fmt"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/mirror"
)

// exampleJob returns a Job as a client reads it from the management cluster.
func exampleJob() *batchv1.Job {
	generated := map[string]string{"batch.kubernetes.io/controller-uid": "u1", "batch.kubernetes.io/job-name": "train", "controller-uid": "u1", "job-name": "train"}
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "research", Name: "train", UID: "u1", Generation: 1,
			Labels:          map[string]string{"team": "vision"},
			Annotations:     map[string]string{"argocd.argoproj.io/tracking-id": "lab:batch/Job:research/train"},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "CronJob", Name: "nightly", UID: "c1"}},
		},
		Spec: batchv1.JobSpec{
			ManagedBy:               ptr.To("acme.io/dispatcher"),
			Parallelism:             ptr.To[int32](2),
			TTLSecondsAfterFinished: ptr.To[int32](60),
			Selector:                &metav1.LabelSelector{MatchLabels: map[string]string{"batch.kubernetes.io/controller-uid": "u1"}},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: generated},
				Spec:       corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "main", Image: "train:7"}}},
			},
		},
	}
}

// A controller makes its Planner once, at start.
func ExampleNew() {
	_, err := mirror.New(mirror.Policy{Controller: "dispatcher", Origin: ""})

	var bad *mirror.PolicyError
	if errors.As(err, &bad) {
		for _, e := range bad.Errs {
			fmt.Println(e.Field, e.Type)
		}
	}

	// Output:
	// Controller Invalid value
	// Origin Required value
}

// The mirror has what is the user's, and nothing of what binds the Job to its own cluster.
func ExamplePlanner_Build() {
	planner, err := mirror.New(mirror.Policy{Controller: "acme.io/dispatcher", Origin: "mgmt-1"})
	if err != nil {
		panic(err)
	}

	job, err := planner.Build(exampleJob())
	if err != nil {
		panic(err)
	}
	fmt.Println("labels:", job.Labels)
	for _, key := range []string{"acme.io/mirror-local", "acme.io/mirror-local-uid", "acme.io/mirror-local-generation", "acme.io/mirror-last-sent"} {
		fmt.Println(key+":", job.Annotations[key])
	}
	fmt.Println("managedBy:", job.Spec.ManagedBy, "TTL:", job.Spec.TTLSecondsAfterFinished, "selector:", job.Spec.Selector)
	fmt.Println("template labels:", job.Spec.Template.Labels, "owners:", job.OwnerReferences)

	// Output:
	// labels: map[acme.io/mirror-origin:mgmt-1 team:vision]
	// acme.io/mirror-local: research/train
	// acme.io/mirror-local-uid: u1
	// acme.io/mirror-local-generation: 1
	// acme.io/mirror-last-sent: {"v":1,"spec":{"parallelism":2},"labels":{"team":"vision"}}
	// managedBy: <nil> TTL: <nil> selector: nil
	// template labels: map[] owners: []
}

// Each reason to refuse a Job has a type of its own.
func ExamplePlanner_Build_refused() {
	planner, err := mirror.New(mirror.Policy{
		Controller: "acme.io/dispatcher",
		Origin:     "mgmt-1",
		Admit: func(local *batchv1.Job, target types.NamespacedName) error {
			if target.Namespace == "kube-system" {
				return errors.New("not a tenant's namespace")
			}
			return nil
		},
	})
	if err != nil {
		panic(err)
	}

	local := exampleJob()
	local.Namespace = "kube-system"
	_, err = planner.Build(local)
	var notAdmitted *mirror.NotAdmittedError
	fmt.Println(errors.As(err, &notAdmitted), notAdmitted.Err)

	local.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobComplete, Status: corev1.ConditionTrue}}
	_, err = planner.Build(local)
	var finished *mirror.FinishedError
	fmt.Println(errors.As(err, &finished), finished.Condition)

	// Output:
	// true not a tenant's namespace
	// true Complete
}

// A Job that has the name of the mirror need not be the mirror.
func ExamplePlanner_Relate() {
	planner, err := mirror.New(mirror.Policy{Controller: "acme.io/dispatcher", Origin: "mgmt-1"})
	if err != nil {
		panic(err)
	}
	local := exampleJob()
	remote, err := planner.Build(local)
	if err != nil {
		panic(err)
	}
	fmt.Println(planner.Relate(mirror.Pair{Local: local, Remote: remote}))

	again := exampleJob()
	again.UID = "u2" // deleted, and created again under the same name
	fmt.Println(planner.Relate(mirror.Pair{Local: again, Remote: remote}))

	someones := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "research", Name: "train"}}
	fmt.Println(planner.Relate(mirror.Pair{Local: local, Remote: someones}))

	// Output:
	// Ours
	// PreviousIncarnation
	// Foreign
}

// An event on the worker is mapped to the key of the local Job.
func ExamplePlanner_LocalOf() {
	planner, err := mirror.New(mirror.Policy{Controller: "acme.io/dispatcher", Origin: "mgmt-1"})
	if err != nil {
		panic(err)
	}
	remote, err := planner.Build(exampleJob())
	if err != nil {
		panic(err)
	}

	key, uid, ok := planner.LocalOf(remote)
	fmt.Println(key, uid, ok)

	// Output:
	// research/train u1 true
}

// The selector is for the list and watch on the worker.
func ExamplePlanner_Selector() {
	planner, err := mirror.New(mirror.Policy{
		Controller: "acme.io/dispatcher",
		Origin:     "mgmt-1",
		Keys:       mirror.Keys{Origin: "kueue.x-k8s.io/multikueue-origin"},
	})
	if err != nil {
		panic(err)
	}

	fmt.Println(planner.Selector())

	// Output:
	// kueue.x-k8s.io/multikueue-origin=mgmt-1
}

// Jobs of all tenants go to one namespace, under names that cannot meet.
func ExamplePlanner_TargetOf() {
	planner, err := mirror.New(mirror.Policy{
		Controller: "acme.io/dispatcher",
		Origin:     "mgmt-1",
		Target: func(local *batchv1.Job) types.NamespacedName {
			return types.NamespacedName{Namespace: "mirrors", Name: "job-" + string(local.UID)}
		},
	})
	if err != nil {
		panic(err)
	}

	fmt.Println(planner.TargetOf(exampleJob()))

	// Output:
	// mirrors/job-u1
}

// An older worker does not know a field, and a webhook there changes another.
func ExampleLost() {
	planner, err := mirror.New(mirror.Policy{Controller: "acme.io/dispatcher", Origin: "mgmt-1"})
	if err != nil {
		panic(err)
	}
	local := exampleJob()
	local.Spec.MaxFailedIndexes = ptr.To[int32](1)
	sent, err := planner.Build(local)
	if err != nil {
		panic(err)
	}

	stored := sent.DeepCopy() // in place of what the worker answers
	stored.Spec.MaxFailedIndexes = nil
	stored.Spec.Template.Spec.Containers[0].Image = "cache.example.com/train:7"
	for _, loss := range mirror.Lost(sent, stored) {
		fmt.Println(loss.Path, "is", cmpOr(loss.Stored, "missing"))
	}

	// Output:
	// spec.maxFailedIndexes is missing
	// spec.template.spec.containers[0].image is "cache.example.com/train:7"
}

// A loss prints on one line.
func ExampleLoss_String() {
	fmt.Println(mirror.Loss{Path: "spec.suspend", Sent: "false", Stored: "true"})

	// Output:
	// spec.suspend: sent false, stored true
}

// The keys that are left out by default are data, for a document or a rule of one's own.
func ExampleDefaultDropKeys() {
	keys := mirror.DefaultDropKeys()
	i := slices.IndexFunc(keys, func(k mirror.DropKey) bool { return k.Owner == "Argo CD" })
	fmt.Println(keys[i].Key)

	// Output:
	// argocd.argoproj.io/
}
