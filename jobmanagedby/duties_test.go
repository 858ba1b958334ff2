// SPDX-License-Identifier: Apache-2.0

package jobmanagedby_test

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"

	"github.com/managedby-dev/managedby/jobmanagedby"
)

func TestOwnDutiesIsComplete(t *testing.T) {
	id := regexp.MustCompile(`^[A-Z][A-Za-z]+$`)
	source := regexp.MustCompile(`^[A-Za-z, ]+ (of [a-z0-9./]+ )?in pkg/[a-z0-9_/]+\.go(; [A-Za-z, ]+ in pkg/[a-z0-9_/]+\.go)*$`)
	seen := map[string]bool{}
	theirs := false
	for _, d := range jobmanagedby.OwnDuties() {
		if seen[d.ID] || !id.MatchString(d.ID) {
			t.Errorf("%q: wants an ID of its own", d.ID)
		}
		seen[d.ID] = true
		if !source.MatchString(d.Source) {
			t.Errorf("%s: source %q is not functions in a file", d.ID, d.Source)
		}
		if d.Actor == "" || !strings.HasSuffix(d.Summary, ".") {
			t.Errorf("%s: actor %q, summary %q", d.ID, d.Actor, d.Summary)
		}
		if d.Yours && d.Actor != jobmanagedby.JobController {
			t.Errorf("%s: %s does not skip delegated Jobs, so the duty is not yours", d.ID, d.Actor)
		}
		if d.Yours && theirs {
			t.Errorf("%s: your own duties come first", d.ID)
		}
		theirs = !d.Yours
	}
	for _, want := range []string{"SuspendedCondition", "StartTime", "ActiveDeadline", "BackoffLimit",
		"TTLAfterFinished", "CronJobConcurrency", "GarbageCollection"} {
		if !seen[want] {
			t.Errorf("%s is missing", want)
		}
	}
}

// Every field of the Job status is somebody's duty, and every path in the table is a field of a Job.
func TestOwnDutiesNameRealFields(t *testing.T) {
	known := map[string]bool{"status": true, "metadata.ownerReferences": true, "metadata.finalizers": true,
		"spec.scheduling": true} // in 1.37; older Go types have no such field
	var status []string
	for prefix, typ := range map[string]reflect.Type{
		"spec.":   reflect.TypeFor[batchv1.JobSpec](),
		"status.": reflect.TypeFor[batchv1.JobStatus](),
	} {
		for i := range typ.NumField() {
			name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			known[prefix+name] = true
			if prefix == "status." {
				status = append(status, prefix+name)
			}
		}
	}
	named := map[string]bool{}
	for _, d := range jobmanagedby.OwnDuties() {
		for _, f := range d.Fields {
			named[f] = named[f] || d.Yours
			if !known[f] {
				t.Errorf("%s: a Job has no field %s", d.ID, f)
			}
		}
	}
	for _, f := range status {
		if !named[f] {
			t.Errorf("%s is nobody's duty", f)
		}
	}
}

func TestOwnDutiesIsFresh(t *testing.T) {
	first := jobmanagedby.OwnDuties()
	first[0].ID, first[0].Fields[0] = "Changed", "changed"
	second := jobmanagedby.OwnDuties()
	if second[0].ID == "Changed" || second[0].Fields[0] == "changed" {
		t.Error("OwnDuties returns shared memory")
	}
}
