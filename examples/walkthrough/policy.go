// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/mirror"
)

const (
	exampleController = "acme.io/dispatcher"
	exampleOrigin     = "management"
)

// policy is what the flags say, and what the Jobs say where the flags do not.
func (o options) policy(p pair) mirror.Policy {
	policy := mirror.Policy{Controller: o.controller, Origin: o.origin}
	if policy.Controller == "" {
		policy.Controller = jobmanagedby.ManagedBy(p.local.Job)
	}
	if policy.Controller == jobmanagedby.JobController && o.controller == "" {
		policy.Controller = exampleController
	}
	if policy.Origin == "" {
		policy.Origin = p.remote.Job.Labels[originKey(policy)]
	}
	if policy.Origin == "" {
		policy.Origin = exampleOrigin
	}
	return policy
}

// blame says where the name that [mirror.New] refused comes from.
func (p pair) blame(err error, o options, policy mirror.Policy) error {
	var bad *mirror.PolicyError
	if !errors.As(err, &bad) {
		return err
	}
	problem := bad.Errs[0].ErrorBody()
	switch isOrigin := bad.Errs[0].Field == "Origin"; {
	case isOrigin && o.origin != "":
		return fmt.Errorf("-origin: %s", problem)
	case isOrigin:
		label := field.NewPath("metadata", "labels").Key(originKey(policy))
		return p.remote.At.Errorf(label.String(), "%s", problem)
	case o.controller != "":
		return fmt.Errorf("-controller: %s", problem)
	}
	return p.local.At.Errorf("spec.managedBy", "%s", problem)
}

// keyPrefix is how the keys of the identity begin; see [mirror.Keys].
func keyPrefix(policy mirror.Policy) string {
	domain, _, _ := strings.Cut(policy.Controller, "/")
	return domain + "/mirror-"
}

func originKey(policy mirror.Policy) string { return keyPrefix(policy) + "origin" }

// identity says what the remote Job is to the local one, if it carries an identity of ours at all.
func (p pair) identity(planner *mirror.Planner, policy mirror.Policy) mirror.Relation {
	remote := p.remote.Job
	for _, keys := range []map[string]string{remote.Labels, remote.Annotations} {
		for key := range keys {
			if strings.HasPrefix(key, keyPrefix(policy)) {
				return planner.Relate(mirror.Pair{Local: p.local.Job, Remote: remote})
			}
		}
	}
	return notChecked
}
