// SPDX-License-Identifier: Apache-2.0

package jobmanagedby_test

import (
	"errors"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	apimachineryversion "k8s.io/apimachinery/pkg/version"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/jobmanagedby"
)

// A user hands a Job to a dispatcher, and asks what the cluster will make of it.
func Example() {
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "pi"}}
	if err := jobmanagedby.Delegate(job, "acme.io/dispatcher"); err != nil {
		fmt.Println(err)
	}
	for _, v := range []string{"v1.29.14", "v1.31.14", "v1.35.4"} {
		release, err := jobmanagedby.ParseRelease(v)
		if err != nil {
			fmt.Println(err)
		}
		d := jobmanagedby.Decide(job, release)
		fmt.Printf("%-8s skipped: %-5v  hazard: %-5v  %s\n", release, d.Skip, d.Reason.Hazard(), d.Reason)
	}
	// Output:
	// 1.29.14  skipped: false  hazard: true   ReleaseTooOld
	// 1.31.14  skipped: false  hazard: true   GateOff
	// 1.35.4   skipped: true   hazard: false  Delegated
}

func ExampleManagedBy() {
	job := &batchv1.Job{}
	fmt.Println(jobmanagedby.ManagedBy(job))
	job.Spec.ManagedBy = ptr.To("acme.io/dispatcher")
	fmt.Println(jobmanagedby.ManagedBy(job))
	// Output:
	// kubernetes.io/job-controller
	// acme.io/dispatcher
}

// Who will run the Jobs of a CronJob?
func ExampleTemplateManagedBy() {
	var nightly batchv1.CronJob
	nightly.Spec.JobTemplate.Spec.ManagedBy = ptr.To("acme.io/dispatcher")
	fmt.Println(jobmanagedby.TemplateManagedBy(&nightly.Spec.JobTemplate))
	// Output: acme.io/dispatcher
}

// The first line of every reconcile, also where a watch filter has looked already.
func ExampleIsManagedBy() {
	reconcile := func(job *batchv1.Job) {
		if !jobmanagedby.IsManagedBy(job, "acme.io/dispatcher") {
			fmt.Println("not ours")
			return
		}
		fmt.Println("ours")
	}
	reconcile(&batchv1.Job{})
	reconcile(&batchv1.Job{Spec: batchv1.JobSpec{ManagedBy: ptr.To("acme.io/dispatcher")}})
	// Output:
	// not ours
	// ours
}

func ExampleBuiltInSkips() {
	for _, name := range []*string{nil, ptr.To(jobmanagedby.JobController), ptr.To("acme.io/dispatcher")} {
		job := &batchv1.Job{Spec: batchv1.JobSpec{ManagedBy: name}}
		fmt.Printf("%s: %v\n", jobmanagedby.ManagedBy(job), jobmanagedby.BuiltInSkips(job))
	}
	// Output:
	// kubernetes.io/job-controller: false
	// kubernetes.io/job-controller: false
	// acme.io/dispatcher: true
}

// The kube-controller-manager was not upgraded yet: the Job is run twice.
func ExampleDecide() {
	job := &batchv1.Job{Spec: batchv1.JobSpec{ManagedBy: ptr.To("acme.io/dispatcher")}}
	controllerManager, err := jobmanagedby.ParseRelease("v1.31.14")
	if err != nil {
		fmt.Println(err)
	}
	d := jobmanagedby.Decide(job, controllerManager)
	fmt.Println(d.Skip, d.Reason)
	fmt.Println(d.Message)
	// Output:
	// false GateOff
	// spec.managedBy is "acme.io/dispatcher", but JobManagedBy is off in kube-controller-manager 1.31.14: the built-in controller runs the Job too; turn the gate on there and in every kube-apiserver or upgrade to 1.32 or later, and keep the other controller away from the Job until then
}

func ExampleReasons() {
	for _, info := range jobmanagedby.Reasons() {
		fmt.Printf("%-13s  skipped: %-5v  hazard: %v\n", info.Reason, info.Skip, info.Hazard)
	}
	// Output:
	// Unset          skipped: false  hazard: false
	// ReservedName   skipped: false  hazard: false
	// Delegated      skipped: true   hazard: false
	// EmptyName      skipped: true   hazard: true
	// GateOff        skipped: false  hazard: true
	// ReleaseTooOld  skipped: false  hazard: true
}

func ExampleReason_Hazard() {
	fmt.Println(jobmanagedby.ReasonDelegated.Hazard(), jobmanagedby.ReasonGateOff.Hazard())
	// Output: false true
}

func ExampleParseRelease() {
	for _, v := range []string{"v1.35.4", "v1.33.5-gke.1162000", "v1.34.2+k3s1", "1.32", "v0.34.0"} {
		release, err := jobmanagedby.ParseRelease(v)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(release)
	}
	// Output:
	// 1.35.4
	// 1.33.5-gke.1162000
	// 1.34.2+k3s1
	// 1.32
	// gitVersion "v0.34.0" names no Kubernetes release: major version 0 is that of a Go module or of a build without a version
}

// What a discovery client's ServerVersion returned.
func ExampleFromVersionInfo() {
	release, err := jobmanagedby.FromVersionInfo(apimachineryversion.Info{
		Major: "1", Minor: "37", EmulationMajor: "1", EmulationMinor: "34", GitVersion: "v1.37.2",
	})
	fmt.Println(release, err)
	release.Gate = ptr.To(false) // known from the component's flags only
	fmt.Println(release, release.HonorsManagedBy())
	// Output:
	// 1.37.2 (emulating 1.34) <nil>
	// 1.37.2 (emulating 1.34, JobManagedBy off) false
}

func ExampleRelease_HonorsManagedBy() {
	for _, v := range []string{"1.29", "1.31", "1.34", "1.37"} {
		release, err := jobmanagedby.ParseRelease(v)
		if err != nil {
			fmt.Println(err)
		}
		byDefault := release.HonorsManagedBy()
		release.Gate = ptr.To(true)
		on := release.HonorsManagedBy()
		release.Gate = ptr.To(false)
		off := release.HonorsManagedBy()
		fmt.Printf("%s  default %-5v  on %-5v  off %v\n", v, byDefault, on, off)
	}
	// Output:
	// 1.29  default false  on false  off false
	// 1.31  default false  on true   off false
	// 1.34  default true   on true   off false
	// 1.37  default true   on true   off true
}

func ExampleRelease_AtLeast() {
	release, err := jobmanagedby.ParseRelease("v1.33.5-gke.1162000")
	fmt.Println(release.AtLeast(1, 33, 5), release.AtLeast(1, 33, 6), err)
	// Output: true false <nil>
}

func ExampleRelease_String() {
	release, err := jobmanagedby.ParseRelease("v1.31.14")
	release.Gate = ptr.To(true)
	fmt.Println(release, err)
	// Output: 1.31.14 (JobManagedBy on) <nil>
}

func ExampleNewest() {
	fmt.Println(jobmanagedby.Newest(), jobmanagedby.Release{})
	// Output: 1.37 1.37
}

func ExampleOldest() {
	fmt.Println(jobmanagedby.Oldest())
	// Output: 1.30
}

func ExampleParseError() {
	_, err := jobmanagedby.FromVersionInfo(apimachineryversion.Info{Major: "1"})
	var parse *jobmanagedby.ParseError
	if errors.As(err, &parse) {
		fmt.Printf("%s: %q\n", parse.Field, parse.Value)
	}
	// Output: major and minor: "1."
}

// A name can break several rules. Fields and types of the errors are stable, their sentences are not.
func ExampleValidateName() {
	for _, name := range []string{"acme.io/dispatcher", "dispatcher", "Acme.io/the dispatcher"} {
		errs := jobmanagedby.ValidateName(name, field.NewPath("spec", "managedBy"))
		fmt.Printf("%s: %d\n", name, len(errs))
		for _, err := range errs {
			fmt.Printf("  %s: %s: %v\n", err.Field, err.Type, err.BadValue)
		}
	}
	// Output:
	// acme.io/dispatcher: 0
	// dispatcher: 1
	//   spec.managedBy: Invalid value: dispatcher
	// Acme.io/the dispatcher: 2
	//   spec.managedBy: Invalid value: Acme.io
	//   spec.managedBy: Invalid value: the dispatcher
}

// Not even what means the same may be spelt out later.
func ExampleValidateUpdate() {
	oldJob := &batchv1.Job{}
	newJob := oldJob.DeepCopy()
	newJob.Spec.ManagedBy = ptr.To(jobmanagedby.JobController)
	for _, err := range jobmanagedby.ValidateUpdate(newJob, oldJob) {
		fmt.Println(err)
	}
	// Output: spec.managedBy: Invalid value: "kubernetes.io/job-controller": field is immutable
}

// After the create: an API server with the gate off answers without the field.
func ExampleDropped() {
	sent := &batchv1.Job{Spec: batchv1.JobSpec{ManagedBy: ptr.To("acme.io/dispatcher")}}
	stored := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{UID: "0a1b", ResourceVersion: "12"}}
	if jobmanagedby.Dropped(sent, stored) {
		fmt.Println("this cluster runs the Job itself: delete it")
	}
	// Output: this cluster runs the Job itself: delete it
}

func ExampleDelegate() {
	stored := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "pi", UID: "0a1b", ResourceVersion: "12"}}
	err := jobmanagedby.Delegate(stored, "acme.io/dispatcher")
	fmt.Println(err)
	var exists *jobmanagedby.ExistsError
	if errors.As(err, &exists) {
		again := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "pi"}, Spec: stored.Spec}
		fmt.Println(jobmanagedby.Delegate(again, "acme.io/dispatcher"), jobmanagedby.ManagedBy(again))
	}
	// Output:
	// Job team/pi exists (UID "0a1b", resourceVersion "12") and spec.managedBy is immutable; create a new Job with the field
	// <nil> acme.io/dispatcher
}

// In a CronJob the field may still be changed; Jobs that exist keep theirs.
func ExampleDelegateTemplate() {
	nightly := &batchv1.CronJob{ObjectMeta: metav1.ObjectMeta{Name: "nightly", UID: "2c3d", ResourceVersion: "40"}}
	err := jobmanagedby.DelegateTemplate(&nightly.Spec.JobTemplate, "acme.io/dispatcher")
	fmt.Println(err, *nightly.Spec.JobTemplate.Spec.ManagedBy)
	// Output: <nil> acme.io/dispatcher
}

// A mutating webhook for CREATE of Jobs.
func ExampleDefault() {
	for _, name := range []*string{nil, ptr.To(jobmanagedby.JobController), ptr.To("acme.io/other")} {
		job := &batchv1.Job{Spec: batchv1.JobSpec{ManagedBy: name}}
		fmt.Println(jobmanagedby.Default(job, "acme.io/dispatcher"), jobmanagedby.ManagedBy(job))
	}
	// Output:
	// true acme.io/dispatcher
	// true acme.io/dispatcher
	// false acme.io/other
}

func ExampleDefaultTemplate() {
	nightly := &batchv1.CronJob{}
	changed := jobmanagedby.DefaultTemplate(&nightly.Spec.JobTemplate, "acme.io/dispatcher")
	fmt.Println(changed, jobmanagedby.TemplateManagedBy(&nightly.Spec.JobTemplate))
	// Output: true acme.io/dispatcher
}

// What a controller has to reckon with, besides what it does itself.
func ExampleOwnDuties() {
	for _, duty := range jobmanagedby.OwnDuties() {
		if !duty.Yours {
			fmt.Printf("%-18s  %s\n", duty.ID, duty.Actor)
		}
	}
	// Output:
	// TTLAfterFinished    ttl-after-finished-controller
	// CronJobConcurrency  cronjob-controller
	// CronJobHistory      cronjob-controller
	// GarbageCollection   garbage-collector-controller
	// NamespaceDeletion   namespace-controller
	// Quota               resourcequota-controller
	// StatusValidation    kube-apiserver
	// Metric              kubernetes.io/job-controller
}

// A misspelt controller: the API server takes the Job, and nobody ever runs it.
func ExampleCheckKnown() {
	job := &batchv1.Job{Spec: batchv1.JobSpec{ManagedBy: ptr.To("kueue.x-k8s.io/multikeue")}}
	fmt.Println(jobmanagedby.CheckKnown(job, "acme.io/dispatcher", "kueue.x-k8s.io/multikueue"))
	// Output: spec.managedBy is "kueue.x-k8s.io/multikeue", which is no controller known here: nobody runs the Job; did you mean "kueue.x-k8s.io/multikueue"?
}
