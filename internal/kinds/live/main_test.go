// SPDX-License-Identifier: Apache-2.0

package live_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/managedby-dev/managedby/examples/multicluster/cluster"
	"github.com/managedby-dev/managedby/internal/kinds/published"
)

// The namespaces of local objects and of mirrors, on both servers.
const (
	localNamespace  = "research"
	mirrorNamespace = "workers"
)

// fixture is a kind, and where it runs.
type fixture struct {
	object        string // of the testdata of jobmanagedby
	source        string // of the CRD
	resource      schema.GroupVersionResource
	local, remote dynamic.Interface
}

// fixtures are all kinds with the field.
var fixtures []fixture

var release = flag.String("release", cluster.Newest, "of the API servers")

func TestMain(m *testing.M) {
	flag.Parse()
	started := time.Now()
	stop, err := start()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Fprintf(os.Stderr, "two API servers %s answer, with %d kinds, after %v\n", *release, len(fixtures), time.Since(started).Round(100*time.Millisecond))
	code := m.Run()
	stop()
	os.Exit(code)
}

// start starts the servers and fills in the fixtures.
func start() (stop func(), err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Minute)
	defer cancel()
	dir, remove, err := cluster.TempDir()
	if err != nil {
		return nil, err
	}
	management, worker, err := startServers(ctx, dir)
	stop = func() {
		for _, c := range []*cluster.Cluster{management, worker} {
			if c != nil {
				c.Stop()
			}
		}
		remove()
	}
	if err == nil {
		fmt.Fprintln(os.Stderr, "installing the CRDs ...")
		err = fill(ctx, management, worker)
	}
	if err != nil {
		stop()
	}
	return stop, err
}

// startServers starts them without controllers: the garbage collector is quick to find the CRDs that are there
// before it.
func startServers(ctx context.Context, dir string) (management, worker *cluster.Cluster, err error) {
	back, err := enterSources()
	if err != nil {
		return nil, nil, err
	}
	defer back()
	if err := cluster.Build(ctx, os.Stderr, *release); err != nil {
		return nil, nil, err
	}
	var errs [2]error
	var clusters [2]*cluster.Cluster
	var started sync.WaitGroup
	for i, name := range []string{"management", "worker"} {
		started.Go(func() {
			o := cluster.Options{Name: name, Dir: filepath.Join(dir, name), NoControllers: true, Release: *release}
			if errs[i] = os.Mkdir(o.Dir, 0o700); errs[i] == nil {
				clusters[i], errs[i] = cluster.Start(ctx, os.Stderr, o)
			}
		})
	}
	started.Wait()
	for _, err := range errs {
		if err != nil {
			return clusters[0], clusters[1], err
		}
	}
	return clusters[0], clusters[1], nil
}

// enterSources changes to the module of the servers' sources, where they are built.
func enterSources() (back func(), err error) {
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/managedby-dev/managedby/examples/multicluster").Output()
	if err != nil {
		return nil, err
	}
	return func() { _ = os.Chdir(here) }, os.Chdir(strings.TrimSpace(string(out)))
}

// custom is a CRD with its manifest.
type custom struct {
	published.CRD
	definition *apiextensionsv1.CustomResourceDefinition
}

func (c custom) resource() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: c.definition.Spec.Group, Version: c.Version, Resource: c.definition.Spec.Names.Plural}
}

// fill installs the CRDs, starts the controllers and lists the fixtures. There are two kinds of the name MPIJob, of which
// one server can have one: v2beta1 is on the management server, and v1 on the worker.
func fill(ctx context.Context, management, worker *cluster.Cluster) error {
	var customs []custom
	for _, crd := range published.Newest() {
		definition, err := crd.Read()
		if err != nil {
			return err
		}
		definition.Spec.Conversion = nil // the business of a webhook of the operator, which is not there
		customs = append(customs, custom{crd, definition})
	}
	var errs [2]error
	var filled sync.WaitGroup
	filled.Go(func() { errs[0] = equip(ctx, management, customs, "mpijob-v1") })
	filled.Go(func() { errs[1] = equip(ctx, worker, customs, "mpijob-v2beta1") })
	filled.Wait()

	here, there := dynamic.NewForConfigOrDie(management.Config("admin")), dynamic.NewForConfigOrDie(worker.Config("admin"))
	for _, plural := range []string{"jobs", "cronjobs"} {
		resource := schema.GroupVersionResource{Group: "batch", Version: "v1", Resource: plural}
		fixtures = append(fixtures, fixture{strings.TrimSuffix(plural, "s"), "built in", resource, here, there})
	}
	for _, c := range customs {
		f := fixture{c.Object, c.Module, c.resource(), here, there}
		switch c.Object {
		case "mpijob-v2beta1":
			f.remote = here
		case "mpijob-v1":
			f.local = there
		}
		fixtures = append(fixtures, f)
	}
	return errors.Join(errs[:]...)
}

// equip installs the CRDs but one, makes the namespaces, and starts the controllers.
func equip(ctx context.Context, c *cluster.Cluster, customs []custom, without string) error {
	customs = slices.DeleteFunc(slices.Clone(customs), func(crd custom) bool { return crd.Object == without })
	for _, do := range []func(context.Context, *cluster.Cluster, custom) error{install, waitServed} {
		for _, crd := range customs {
			if err := do(ctx, c, crd); err != nil {
				return fmt.Errorf("%s: %w", crd, err)
			}
		}
	}
	for _, namespace := range []string{localNamespace, mirrorNamespace} {
		if err := c.EnsureNamespace(ctx, namespace); err != nil {
			return err
		}
	}
	return c.Restart(cluster.ControllerManager)
}

func install(ctx context.Context, c *cluster.Cluster, crd custom) error {
	client := apiextensions.NewForConfigOrDie(c.Config("admin")).ApiextensionsV1().CustomResourceDefinitions()
	_, err := client.Create(ctx, crd.definition, metav1.CreateOptions{FieldValidation: strict})
	return err
}

func waitServed(ctx context.Context, c *cluster.Cluster, crd custom) error {
	client := apiextensions.NewForConfigOrDie(c.Config("admin")).ApiextensionsV1().CustomResourceDefinitions()
	objects := dynamic.NewForConfigOrDie(c.Config("admin")).Resource(crd.resource())
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		stored, err := client.Get(ctx, crd.definition.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if _, err = objects.List(ctx, metav1.ListOptions{}); err == nil && established(stored) {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("not served: %v, %v", err, stored.Status.Conditions)
		}
	}
}

func established(definition *apiextensionsv1.CustomResourceDefinition) bool {
	for _, c := range definition.Status.Conditions {
		if c.Type == apiextensionsv1.Established {
			return c.Status == apiextensionsv1.ConditionTrue
		}
	}
	return false
}
