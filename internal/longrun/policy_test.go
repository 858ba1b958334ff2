// SPDX-License-Identifier: Apache-2.0

package longrun

import (
	"math/rand/v2"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/mirror"
)

// traits are what a life has beside its Policy.
type traits struct {
	oldWorkers  bool          // of a release before 1.31: no promise of a verdict, terminating frozen once a Job has finished
	indexed     bool          // workers fill in the lists of indexes
	workerSkew  time.Duration // of the workers' clocks
	replicaSkew time.Duration // of the second controller's clock
	bigJobs     bool          // users write annotations up to the limit
}

func randomTraits(r *rand.Rand) traits {
	return traits{
		oldWorkers: oneIn(r, 3), indexed: oneIn(r, 2), bigJobs: oneIn(r, 15),
		workerSkew:  pick(r, 0, 0, 20*time.Second, time.Hour, -time.Hour),
		replicaSkew: pick(r, 0, 0, time.Hour, -time.Hour),
	}
}

func randomPolicy(r *rand.Rand) mirror.Policy {
	p := mirror.Policy{
		Controller: controllerName, Origin: "mgmt-1",
		HoldMirror: oneIn(r, 2), ExclusiveOrigin: !oneIn(r, 4), StampTerminal: oneIn(r, 2), KeepTTL: !oneIn(r, 3),
		Condition:    pick[batchv1.JobConditionType](r, "", "", "acme.io/Mirrored"),
		Suspend:      pick(r, mirror.SuspendFollows, mirror.SuspendFollows, mirror.SuspendAtCreation),
		KeepFinished: pick(r, 0, 0, time.Minute, 2*time.Hour, -1),
		AbandonAfter: pick(r, 0, 0, 10*time.Minute),
		RetryDelay:   pick(r, 0, 0, time.Second, 5*time.Minute),
		Management:   releases(pick(r, nil, nil, []string{"v1.30.4"}, []string{"v1.31.4"}, []string{"v1.32.0"}, []string{"v1.33.5", "v1.34.2"}, []string{"v1.36.1", "v1.37.0"})...),
	}
	if w := releases(pick(r, "v1.37.0", "v1.37.0", "v1.35.0")); p.Suspend == mirror.SuspendFollows {
		p.Worker = w[0]
	}
	switch r.IntN(5) {
	case 0:
		p.OnMirrorLost = mirror.FailJob
	case 1:
		p.MaxAttempts = 2
	}
	if oneIn(r, 3) {
		p.Target = pooled
	}
	return p
}

// pooled puts the mirrors of all namespaces into one.
func pooled(local *batchv1.Job) types.NamespacedName {
	return types.NamespacedName{Namespace: "pool", Name: local.Name + "-" + local.Namespace}
}

func releases(names ...string) (list []jobmanagedby.Release) {
	for _, name := range names {
		r, err := jobmanagedby.ParseRelease(name)
		if err != nil {
			panic(err)
		}
		list = append(list, r)
	}
	return list
}
