// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/managedby-dev/managedby/internal/jobfile"
	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/mirror"
)

// walk asks the three packages about every pair.
func walk(pairs []pair, o options) (report, error) {
	r := report{Now: o.now}
	for _, p := range pairs {
		pr, err := p.walk(o)
		if err != nil {
			return report{}, err
		}
		r.Pairs = append(r.Pairs, pr)
	}
	return r, nil
}

func (p pair) walk(o options) (pairReport, error) {
	local := p.local.Job
	policy := o.policy(p)
	planner, err := mirror.New(policy)
	if err != nil {
		return pairReport{}, p.blame(err, o, policy)
	}
	r := pairReport{
		Namespace: local.Namespace, Name: local.Name, About: p.about, local: local,
		Controller: policy.Controller, Origin: policy.Origin,
		ManagedBy: jobmanagedby.ManagedBy(local), Identity: p.identity(planner, policy),
	}
	if r.Mirror, err = planner.Build(local); err != nil {
		r.MirrorRefused = err.Error()
	} else {
		r.Mirror.APIVersion, r.Mirror.Kind = jobfile.APIVersion, "Job" // so that kubectl takes it
	}
	for _, release := range o.releases {
		policy.Management = []jobmanagedby.Release{release}
		rr, err := p.plan(policy, r.Identity, o.now)
		if err != nil {
			return pairReport{}, err
		}
		r.Releases = append(r.Releases, rr)
	}
	if r.Identity == notChecked {
		return r, nil
	}
	if planner, err = mirror.New(policy); err != nil {
		return pairReport{}, err
	}
	r.Next = p.decideNext(planner, keyPrefix(policy), o.now)
	return r, nil
}
