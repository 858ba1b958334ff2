// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/mirror"
)

// fate is what Build does with a field of the local Job.
type fate string

const (
	kept      fate = "copied as it is"
	cleared   fate = "never on the mirror"
	generated fate = "cleared unless manualSelector"
	edited    fate = "copied without what is not for the mirror"
)

// jobSpecFields classifies every field of JobSpec that any release up to 1.37 has. When a newer one
// adds a field, decide here what a mirror should do with it: copied, as any field is by default, is
// right where the field says how to run the Job, and wrong where it names objects of the management
// cluster or tells the worker to act on the mirror itself. A field that can change after creation
// belongs in the last-sent record too.
var jobSpecFields = map[string]struct {
	fate     fate
	recorded bool // in the last-sent annotation
	newer    bool // not in the Go types of the oldest release we build with
}{
	"parallelism":             {fate: kept, recorded: true},
	"completions":             {fate: kept, recorded: true},
	"activeDeadlineSeconds":   {fate: kept, recorded: true},
	"podFailurePolicy":        {fate: kept},
	"successPolicy":           {fate: kept},
	"backoffLimit":            {fate: kept, recorded: true},
	"backoffLimitPerIndex":    {fate: kept},
	"maxFailedIndexes":        {fate: kept, recorded: true},
	"selector":                {fate: generated},
	"manualSelector":          {fate: kept},
	"template":                {fate: edited},
	"ttlSecondsAfterFinished": {fate: cleared},
	"completionMode":          {fate: kept},
	"suspend":                 {fate: kept, recorded: true},
	"podReplacementPolicy":    {fate: kept, recorded: true},
	"managedBy":               {fate: cleared},
	// 1.37, alpha. Only scheduling.schedulingPolicy.gang.minCount may change; it is not recorded,
	// because the types of the oldest release cannot say it.
	"scheduling": {fate: kept, newer: true},
}

// objectMetaFields classifies every field of ObjectMeta.
var objectMetaFields = map[string]fate{
	"name":                       kept,
	"namespace":                  kept,
	"labels":                     edited,
	"annotations":                edited,
	"generateName":               cleared,
	"selfLink":                   cleared,
	"uid":                        cleared,
	"resourceVersion":            cleared,
	"generation":                 cleared,
	"creationTimestamp":          cleared,
	"deletionTimestamp":          cleared,
	"deletionGracePeriodSeconds": cleared,
	"ownerReferences":            cleared,
	"finalizers":                 cleared,
	"managedFields":              cleared,
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

func TestEveryFieldIsClassified(t *testing.T) {
	known := map[string]bool{}
	for i := range reflect.TypeFor[batchv1.JobSpec]().NumField() {
		name := jsonName(reflect.TypeFor[batchv1.JobSpec]().Field(i))
		known[name] = true
		if _, ok := jobSpecFields[name]; !ok {
			t.Errorf("spec.%s is new: classify it in jobSpecFields", name)
		}
	}
	for name, field := range jobSpecFields {
		if !known[name] && !field.newer {
			t.Errorf("spec.%s is classified but does not exist", name)
		}
	}
	for i := range reflect.TypeFor[metav1.ObjectMeta]().NumField() {
		if name := jsonName(reflect.TypeFor[metav1.ObjectMeta]().Field(i)); objectMetaFields[name] == "" {
			t.Errorf("metadata.%s is new: classify it in objectMetaFields", name)
		}
	}
}

// fullJob returns a Job with every field set that exists, which Build does not refuse.
func fullJob(t testing.TB, manual bool) *batchv1.Job {
	job := &batchv1.Job{}
	r := seeded(t, 1)
	fill(reflect.ValueOf(job).Elem(), r)
	job.DeletionTimestamp = nil
	job.Status.Conditions = nil
	job.Spec.ManagedBy = ptr.To(dispatcher)
	job.Spec.ManualSelector = ptr.To(manual)
	return job
}

func TestBuildTreatsEveryFieldAsClassified(t *testing.T) {
	for _, manual := range []bool{false, true} {
		local := fullJob(t, manual)
		local.DeletionGracePeriodSeconds = ptr.To[int64](30)
		got := build(t, planner(t), local)

		checkFields(t, "spec.", local.Spec, got.Spec, func(name string) fate {
			if f := jobSpecFields[name].fate; f != generated {
				return f
			} else if manual {
				return kept
			}
			return cleared
		})
		checkFields(t, "metadata.", local.ObjectMeta, got.ObjectMeta, func(name string) fate { return objectMetaFields[name] })
		if !reflect.DeepEqual(got.Status, batchv1.JobStatus{}) || got.TypeMeta != (metav1.TypeMeta{}) {
			t.Errorf("the mirror has a status or a type: %s", toJSON(t, got))
		}
	}
}

func checkFields(t *testing.T, at string, local, got any, fateOf func(string) fate) {
	t.Helper()
	l, g := reflect.ValueOf(local), reflect.ValueOf(got)
	for i := range l.NumField() {
		name := jsonName(l.Type().Field(i))
		switch fateOf(name) {
		case kept:
			if diff := cmp.Diff(l.Field(i).Interface(), g.Field(i).Interface()); diff != "" {
				t.Errorf("%s%s was not copied as it is (-local +mirror):\n%s", at, name, diff)
			}
			if l.Field(i).IsZero() {
				t.Errorf("%s%s is zero in the local Job: the test tests nothing", at, name)
			}
		case cleared:
			if !g.Field(i).IsZero() {
				t.Errorf("%s%s is on the mirror: %s", at, name, toJSON(t, g.Field(i).Interface()))
			}
		}
	}
}

// TestBuildCopiesTheTemplateWhole checks that nothing of the template is lost but the generated
// labels.
func TestBuildCopiesTheTemplateWhole(t *testing.T) {
	for _, manual := range []bool{false, true} {
		local := fullJob(t, manual)
		want := local.Spec.Template.DeepCopy()
		for _, label := range []string{"controller-uid", "job-name", "batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name"} {
			local.Spec.Template.Labels[label] = "any"
			if manual {
				want.Labels[label] = "any"
			}
		}
		got := build(t, planner(t), local)
		if diff := cmp.Diff(want, &got.Spec.Template); diff != "" {
			t.Errorf("manualSelector %v: template (-want +got):\n%s", manual, diff)
		}
	}
}

// TestKeepTTL and the WorkerManagedBy cases of TestBuildSpec are the exceptions to the table above.
func TestKeepTTL(t *testing.T) {
	local := storedJob()
	got := build(t, planner(t, func(p *mirror.Policy) { p.KeepTTL = true }), local)
	if ptr.Deref(got.Spec.TTLSecondsAfterFinished, -1) != 60 {
		t.Errorf("TTL = %v, want 60", got.Spec.TTLSecondsAfterFinished)
	}
	if got.Spec.TTLSecondsAfterFinished == local.Spec.TTLSecondsAfterFinished {
		t.Error("the TTL is shared with the local Job")
	}
}
