// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"log"
	_ "unsafe" // for go:linkname

	batchv1 "k8s.io/api/batch/v1"
	genericvalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/api/validation/path"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/batch"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	"k8s.io/kubernetes/pkg/apis/batch/validation"
	"k8s.io/kubernetes/pkg/registry/batch/job"

	"github.com/managedby-dev/managedby/statusvalidate"
)

// statusOptions is what the status strategy computes for an update; upstream does not export it.
//
//go:linkname statusOptions k8s.io/kubernetes/pkg/registry/batch/job.getStatusValidationOptions
func statusOptions(newJob, oldJob *batch.Job) validation.JobStatusValidationOptions

// internal is an update in the types that the API server validates.
type internal struct{ old, new *batch.Job }

func internalOf(c statusvalidate.Change) internal {
	return internal{old: convert(c.Old), new: convert(c.New)}
}

func convert(in *batchv1.Job) *batch.Job {
	out := &batch.Job{}
	if err := legacyscheme.Scheme.Convert(in, out, nil); err != nil {
		log.Fatal(err)
	}
	return out
}

// strategy is the status strategy's ValidateUpdate, which checks the update of the metadata as well.
func (i internal) strategy() field.ErrorList {
	return job.StatusStrategy.ValidateUpdate(context.Background(), i.new, i.old)
}

// statusOnly is the part of it that is about the status.
func (i internal) statusOnly() field.ErrorList {
	return validation.ValidateJobStatusUpdate(i.new, i.old, statusOptions(i.new, i.old))
}

// everything is what the registry checks: the metadata of any object, and the strategy.
func (i internal) everything() field.ErrorList {
	root := field.NewPath("metadata")
	//lint:ignore SA1019 it is what rest.BeforeUpdate calls
	errs := genericvalidation.ValidateObjectMetaAccessor(i.new, true, path.ValidatePathSegmentName, root)
	errs = append(errs, genericvalidation.ValidateObjectMetaAccessorUpdate(i.new, i.old, root)...)
	return append(errs, i.strategy()...)
}
