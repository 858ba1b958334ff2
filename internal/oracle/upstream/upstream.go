// SPDX-License-Identifier: Apache-2.0

// Package upstream answers the requests of package wire with the registry strategies of
// k8s.io/kubernetes, the code that the API server itself runs before it stores a Job.
//
// It compiles against every release listed in ../releases and must not import this project's
// packages, which need newer types than the oldest of them has.
package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/kubernetes/pkg/apis/batch"
	"k8s.io/kubernetes/pkg/registry/batch/job"

	"github.com/managedby-dev/managedby/internal/oracle/wire"
)

// Answer never fails: what is wrong with a request is said in the response.
func Answer(req wire.Request) wire.Response {
	resp, err := ops(req)
	if err != nil {
		resp = wire.Response{Failure: err.Error()}
	}
	resp.ID = req.ID
	if resp.Errors == nil {
		resp.Errors = []wire.Error{}
	}
	return resp
}

func ops(req wire.Request) (wire.Response, error) {
	switch req.Op {
	case wire.Status, "":
		return status(req)
	case wire.Update:
		return update(req)
	case wire.Create:
		return create(req)
	case wire.About:
		return about()
	}
	return wire.Response{}, fmt.Errorf("no such op: %q", req.Op)
}

func status(req wire.Request) (wire.Response, error) {
	newJob, oldJob, err := decodePair(req)
	if err != nil {
		return wire.Response{}, err
	}
	ctx := requestContext(newJob, "status")
	refusal := rest.BeforeUpdate(job.StatusStrategy, ctx, newJob, oldJob)
	resp, err := respond(req, newJob, refusal, func() field.ErrorList {
		return append(metaUpdateErrors(newJob, oldJob), job.StatusStrategy.ValidateUpdate(ctx, newJob, oldJob)...)
	})
	if err != nil {
		return wire.Response{}, err
	}
	if !req.Metadata {
		resp.Errors = withoutMetadata(resp.Errors)
	}
	if req.Rules {
		err = attribute(&resp, newJob, oldJob)
	}
	return resp, err
}

func update(req wire.Request) (wire.Response, error) {
	newJob, oldJob, err := decodePair(req)
	if err != nil {
		return wire.Response{}, err
	}
	ctx := requestContext(newJob, "")
	refusal := rest.BeforeUpdate(job.Strategy, ctx, newJob, oldJob)
	return respond(req, newJob, refusal, func() field.ErrorList {
		return append(metaUpdateErrors(newJob, oldJob), job.Strategy.ValidateUpdate(ctx, newJob, oldJob)...)
	})
}

// create does what the registry's store does before it writes: system fields and the generated name
// first, then the strategy.
func create(req wire.Request) (wire.Response, error) {
	newJob, err := decode(req.New, req.Typed)
	if err != nil {
		return wire.Response{}, err
	}
	fillSystemFields(newJob)
	if newJob.GenerateName != "" && newJob.Name == "" {
		newJob.Name = job.Strategy.GenerateName(newJob.GenerateName)
	}
	ctx := requestContext(newJob, "")
	refusal := rest.BeforeCreate(job.Strategy, ctx, newJob)
	if refusal == nil && newJob.ResourceVersion != "" {
		refusal = storage.ErrResourceVersionSetOnCreate
	}
	return respond(req, newJob, refusal, func() field.ErrorList {
		if errs := job.Strategy.Validate(ctx, newJob); len(errs) != 0 {
			return errs
		}
		return metaErrors(newJob)
	})
}

// fillSystemFields sets what the server chooses, but where the request has chosen for it.
func fillSystemFields(newJob *batch.Job) {
	uid, created := newJob.UID, newJob.CreationTimestamp
	rest.WipeObjectMetaSystemFields(newJob)
	rest.FillObjectMetaSystemFields(newJob)
	if uid != "" {
		newJob.UID = uid
	}
	if !created.IsZero() {
		newJob.CreationTimestamp = created
	}
}

// respond turns what the registry said into a response. detailed runs the validation again, for the
// values that an API error has no room for.
func respond(req wire.Request, stored *batch.Job, refusal error, detailed func() field.ErrorList) (wire.Response, error) {
	if refusal == nil {
		return accepted(req, stored)
	}
	var apiErr *apierrors.StatusError
	if !errors.As(refusal, &apiErr) || apiErr.ErrStatus.Reason != metav1.StatusReasonInvalid {
		return wire.Response{}, refusal
	}
	errs, err := explain(apiErr.ErrStatus.Details.Causes, detailed())
	return wire.Response{Errors: errs}, err
}

func accepted(req wire.Request, stored *batch.Job) (wire.Response, error) {
	if !req.Stored {
		return wire.Response{}, nil
	}
	body, err := encode(stored)
	return wire.Response{Stored: json.RawMessage(body)}, err
}

func decodePair(req wire.Request) (newJob, oldJob *batch.Job, err error) {
	if oldJob, err = decode(req.Old, req.Typed); err != nil {
		return nil, nil, fmt.Errorf("old: %w", err)
	}
	if newJob, err = decode(req.New, req.Typed); err != nil {
		return nil, nil, fmt.Errorf("new: %w", err)
	}
	fillResourceVersions(newJob, oldJob)
	return newJob, oldJob, nil
}

// fillResourceVersions does what the store does: what it reads has a version, and a body without one
// gets that.
func fillResourceVersions(newJob, oldJob *batch.Job) {
	if oldJob.ResourceVersion == "" {
		oldJob.ResourceVersion = "1"
	}
	if newJob.ResourceVersion == "" {
		newJob.ResourceVersion = oldJob.ResourceVersion
	}
}

// requestContext is what the handlers leave for the registry: the namespace of the path, here the
// Job's own, and what the request is about.
func requestContext(newJob *batch.Job, subresource string) context.Context {
	ctx := request.WithNamespace(context.Background(), newJob.Namespace)
	return request.WithRequestInfo(ctx, &request.RequestInfo{
		IsResourceRequest: true,
		APIGroup:          jobKind.Group,
		APIVersion:        jobKind.Version,
		Resource:          "jobs",
		Subresource:       subresource,
		Namespace:         newJob.Namespace,
		Name:              newJob.Name,
	})
}
