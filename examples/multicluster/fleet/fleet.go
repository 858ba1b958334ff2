// SPDX-License-Identifier: Apache-2.0

// Package fleet starts a management cluster and workers, with what the dispatcher needs in them.
package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/managedby-dev/managedby/examples/multicluster/cluster"
	"github.com/managedby-dev/managedby/examples/multicluster/manifests"
)

// Management is the name of the management cluster.
const Management = "management"

// Namespace is where the Jobs are, in all clusters.
const Namespace = "research"

// Fleet is a management cluster and its workers.
type Fleet struct {
	Management *cluster.Cluster
	Workers    []*cluster.Cluster
	remove     func()
}

// Start builds what is missing and starts the clusters, each named with its release. On failure nothing is
// left running.
func Start(ctx context.Context, progress io.Writer, management cluster.Options, workers ...cluster.Options) (*Fleet, error) {
	management.Name = Management
	all := slices.Concat([]cluster.Options{management}, workers)
	if err := cluster.Build(ctx, progress, releases(all)...); err != nil {
		return nil, err
	}
	dir, remove, err := cluster.TempDir()
	if err != nil {
		return nil, err
	}
	clusters, errs := make([]*cluster.Cluster, len(all)), make([]error, len(all))
	var started sync.WaitGroup
	for i, o := range all {
		started.Go(func() {
			o.Dir = filepath.Join(dir, o.Name)
			if errs[i] = os.Mkdir(o.Dir, 0o700); errs[i] == nil {
				clusters[i], errs[i] = start(ctx, o)
			}
		})
	}
	started.Wait()
	f := &Fleet{Management: clusters[0], Workers: clusters[1:], remove: remove}
	if err := errors.Join(errs...); err != nil {
		f.Stop()
		return nil, err
	}
	return f, nil
}

func releases(all []cluster.Options) []string {
	var names []string
	for _, o := range all {
		if o.Release == "" {
			o.Release = cluster.Newest
		}
		names = append(names, o.Release)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// start starts a cluster and puts the manifests in.
func start(ctx context.Context, o cluster.Options) (*cluster.Cluster, error) {
	c, err := cluster.Start(ctx, io.Discard, o)
	if err != nil {
		return nil, err
	}
	manifest := manifests.Worker
	if o.Name == Management {
		manifest = manifests.Management
	}
	admin, err := client.New(c.Config("admin"), client.Options{})
	if err == nil {
		err = manifests.Apply(ctx, admin, manifest)
	}
	if err == nil {
		err = c.EnsureNamespace(ctx, Namespace)
	}
	if err != nil {
		c.Stop()
		return nil, fmt.Errorf("cluster %s: %w", o.Name, err)
	}
	return c, nil
}

// Stop ends all processes and removes their files.
func (f *Fleet) Stop() {
	for _, c := range slices.Concat([]*cluster.Cluster{f.Management}, f.Workers) {
		if c != nil {
			c.Stop()
		}
	}
	f.remove()
}

// DispatcherConfig is for a client that is the dispatcher's service account, and has no other rights.
func DispatcherConfig(ctx context.Context, c *cluster.Cluster) (*rest.Config, error) {
	token, err := c.Token(ctx, manifests.Namespace, manifests.ServiceAccount)
	if err != nil {
		return nil, err
	}
	config := c.Config("")
	config.BearerToken, config.UserAgent = token, "dispatcher"
	return config, nil
}
