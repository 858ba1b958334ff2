// SPDX-License-Identifier: Apache-2.0

package main

import (
	"embed"
	"fmt"

	"github.com/managedby-dev/managedby/internal/jobfile"
)

// manifests are Jobs as "kubectl get job -o yaml" prints them: what API servers stored, with their
// defaults, generated labels and selectors. The local ones come from a management cluster of 1.37, the
// remote ones from workers of 1.30 (finished), 1.33 and 1.37 (suspended).
//
//go:embed manifests
var manifests embed.FS

// builtInTime is when the manifests were read.
const builtInTime = "2026-03-02T10:30:00Z"

// story is a pair that is built in: manifests/NAME-local.yaml and manifests/NAME-remote.yaml.
type story struct{ name, about string }

var stories = []story{
	{"running", "Running. A CronJob created the Job, and its mirror is half-way through. Nothing is wrong: the remote status is copied field for field."},
	{"finished", "Finished, on an old worker. Kubernetes 1.30 marked the mirror as Failed without FailureTarget, and left one pod counted as terminating for ever. Strict API servers refuse both."},
	{"suspended", "Suspended here, running there. The local Job was suspended a moment ago, before anything of the run was copied, and the worker has not been told yet. Every API server would take a copy, and would then not let the pod template change any more, because of the startTime."},
	{"redispatched", "Re-dispatched. The first worker was lost after two pods succeeded and one failed; the second one started from zero and finished without a failure. Copied as it is, the result is refused for ever by every strict API server."},
}

const introduction = `A controller such as acme.io/dispatcher takes over Jobs through spec.managedBy, runs a
mirror of each on a worker cluster, and writes the mirror's status back to the local Job. These are four
such pairs on ` + builtInTime + `. To see your own: -local FILE -remote FILE; -h says more.`

func (o options) introduction() string {
	if o.builtIn() {
		return introduction
	}
	return ""
}

func builtInPairs() ([]pair, error) {
	var pairs []pair
	for _, s := range stories {
		local, err := s.read("local")
		if err != nil {
			return nil, err
		}
		remote, err := s.read("remote")
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, pair{about: s.about, local: local, remote: remote})
	}
	return pairs, nil
}

func (s story) read(side string) (jobfile.Sourced, error) {
	name := fmt.Sprintf("manifests/%s-%s.yaml", s.name, side)
	data, err := manifests.ReadFile(name)
	if err != nil {
		return jobfile.Sourced{}, err
	}
	jobs, _, err := jobfile.Parse(name, data)
	if err != nil {
		return jobfile.Sourced{}, err
	}
	return jobs[0], nil
}
