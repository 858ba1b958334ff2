// SPDX-License-Identifier: Apache-2.0

package diff_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/internal/oracle/ask"
	"github.com/managedby-dev/managedby/mirror"
)

const (
	buildController = "acme.io/dispatcher"
	buildWorkerName = "acme.io/batch-system"
	buildUIDKey     = "acme.io/mirror-local-uid"
)

// buildServer is an API server with JobManagedBy on.
type buildServer struct {
	ask.Config
	*ask.Oracle
	minor uint // of the release, or alpha
}

// alpha is the minor release that has everything.
const alpha = 1000

func (s buildServer) String() string { return s.Config.String() }

// buildServers starts each release with JobManagedBy on, which lets it store managedBy and makes no
// other difference to a create; and the newest one once more with every alpha feature.
func buildServers(t *testing.T) (servers []buildServer) {
	t.Helper()
	configs, err := ask.Configs()
	if err != nil {
		t.Fatal(err)
	}
	releases, err := ask.Releases()
	if err != nil {
		t.Fatal(err)
	}
	configs = append(configs, ask.Config{Release: releases[len(releases)-1], FeatureGates: "AllAlpha=true,AllBeta=true"})
	for _, config := range configs {
		if !config.APIServer().HonorsManagedBy() {
			continue
		}
		s := buildServer{Config: config, Oracle: ask.For(t, config), minor: version.MustParseSemantic(config.Release).Minor()}
		if s.FeatureGates == "AllAlpha=true,AllBeta=true" {
			s.minor = alpha
		}
		servers = append(servers, s)
	}
	return servers
}

// buildPlanner is a Planner and what checkSpec has to know of its Policy.
type buildPlanner struct {
	*mirror.Planner
	keepTTL   bool
	managedBy *string
	target    func(*batchv1.Job) types.NamespacedName
}

// buildPlanners returns the plain one first.
func buildPlanners(t *testing.T) []buildPlanner {
	t.Helper()
	planners := []buildPlanner{
		{},
		{keepTTL: true, managedBy: ptr.To(buildWorkerName)},
		{target: anyTarget},
	}
	for i := range planners {
		p := &planners[i]
		planner, err := mirror.New(mirror.Policy{
			Controller: buildController, Origin: "mgmt-1",
			KeepTTL: p.keepTTL, WorkerManagedBy: ptr.Deref(p.managedBy, ""), Target: p.target,
		})
		if err != nil {
			t.Fatal(err)
		}
		p.Planner = planner
	}
	return planners
}

// anyTarget returns a name near the border of what is allowed. It goes by the UID alone, so that a
// Job has one target.
func anyTarget(local *batchv1.Job) types.NamespacedName {
	seed := uint64(0)
	for _, c := range local.UID {
		seed = seed*31 + uint64(c)
	}
	r := rand.New(rand.NewPCG(seed, 0))
	return types.NamespacedName{Namespace: anyName(r, 62), Name: anyName(r, 50)}
}

// anyName returns "" too, which is the local Job's own.
func anyName(r *rand.Rand, shortest int) string {
	switch r.IntN(5) {
	case 0:
		return ""
	case 1, 2:
		return fmt.Sprintf("m-%d", r.IntN(1e6))
	case 3:
		b := make([]byte, shortest+r.IntN(15))
		for i := range b {
			b[i] = byte('a' + r.IntN(26))
		}
		if r.IntN(4) == 0 {
			b[r.IntN(len(b))] = "-.A_/"[r.IntN(5)]
		}
		return string(b)
	default:
		return []string{"m", "0", "a.b", "a..b", "-a", "a-", "A", "é", "a_b", "a/b", "a b"}[r.IntN(11)]
	}
}
