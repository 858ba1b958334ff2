// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"fmt"
	"reflect"
	"strings"
	_ "unsafe" // for go:linkname

	"k8s.io/kubernetes/pkg/apis/batch"
	"k8s.io/kubernetes/pkg/apis/batch/validation"

	"github.com/managedby-dev/managedby/internal/oracle/wire"
)

// statusOptions is what the status strategy computes for an update; upstream does not export it.
//
//go:linkname statusOptions k8s.io/kubernetes/pkg/registry/batch/job.getStatusValidationOptions
func statusOptions(newJob, oldJob *batch.Job) validation.JobStatusValidationOptions

// attribute says which options the strategy switches on for an update, and gives each error of the
// status the one that it is due to.
func attribute(resp *wire.Response, newJob, oldJob *batch.Job) error {
	shipped := statusOptions(newJob, oldJob)
	resp.Options = optionsOn(shipped)
	if len(resp.Errors) == 0 {
		return nil
	}
	a := attribution{newJob: newJob, oldJob: oldJob, owners: map[string]string{}}
	base := withoutRejections(shipped)
	a.add(wire.Always, base)
	for _, name := range resp.Options {
		if rejects(name) {
			a.add(name, with(base, name))
		}
	}
	return a.give(resp.Errors)
}

// attribution tries the options one at a time and remembers which error came with which.
type attribution struct {
	newJob, oldJob *batch.Job
	owners         map[string]string // by errorKey
	always, total  int               // errors without any option; and in all
}

func (a *attribution) add(name string, opts validation.JobStatusValidationOptions) {
	errs := validation.ValidateJobStatusUpdate(a.newJob, a.oldJob, opts)
	for _, err := range errs {
		key := errorKey(string(err.Type), err.Field, err.Detail)
		if _, known := a.owners[key]; !known {
			a.owners[key] = name
		}
	}
	if name == wire.Always {
		a.always = len(errs)
	}
	a.total += len(errs) - a.always
}

// give fails if the options taken one at a time do not add up to the errors of all together.
func (a *attribution) give(errs []wire.Error) error {
	given := 0
	for i := range errs {
		if isMetadata(errs[i]) {
			continue
		}
		errs[i].Option = a.owners[errorKey(errs[i].Type, errs[i].Field, errs[i].Detail)]
		if errs[i].Option == "" {
			return fmt.Errorf("no option brings about %v", errs[i])
		}
		given++
	}
	if sum := a.always + a.total; given != sum {
		return fmt.Errorf("%d errors, but one option at a time there are %d", given, sum)
	}
	return nil
}

func errorKey(kind, field, detail string) string {
	return kind + "\n" + field + "\n" + detail
}

// Upstream names an option that adds errors Reject…; the others take errors away.
func rejects(option string) bool { return strings.HasPrefix(option, "Reject") }

func optionsOn(opts validation.JobStatusValidationOptions) []string {
	var names []string
	v := reflect.ValueOf(opts)
	for i := range v.NumField() {
		if v.Field(i).Bool() {
			names = append(names, v.Type().Field(i).Name)
		}
	}
	return names
}

func withoutRejections(opts validation.JobStatusValidationOptions) validation.JobStatusValidationOptions {
	v := reflect.ValueOf(&opts).Elem()
	for i := range v.NumField() {
		if rejects(v.Type().Field(i).Name) {
			v.Field(i).SetBool(false)
		}
	}
	return opts
}

func with(opts validation.JobStatusValidationOptions, name string) validation.JobStatusValidationOptions {
	reflect.ValueOf(&opts).Elem().FieldByName(name).SetBool(true)
	return opts
}
