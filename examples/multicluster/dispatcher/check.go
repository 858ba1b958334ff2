// SPDX-License-Identifier: Apache-2.0

package dispatcher

import (
	"context"
	"errors"
	"fmt"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/managedby-dev/managedby/jobmanagedby"
)

// ErrTooOld is that of a management cluster that ignores spec.managedBy.
var ErrTooOld = errors.New("its release ignores spec.managedBy, so the built-in controller would run the Jobs too")

// ErrRights is that of a cluster in which the program lacks rights.
var ErrRights = errors.New("rights are missing")

// right is something that the program does.
type right struct{ group, resource, subresource, verb, namespace, name string }

func (r right) String() string {
	resource := r.resource
	if r.subresource != "" {
		resource += "/" + r.subresource
	}
	if r.group != "" {
		resource += "." + r.group
	}
	return r.verb + " " + resource
}

func rights(group, resource, subresource string, verbs ...string) []right {
	all := make([]right, len(verbs))
	for i, verb := range verbs {
		all[i] = right{group: group, resource: resource, subresource: subresource, verb: verb}
	}
	return all
}

var (
	managementRights = append(append(rights("batch", "jobs", "", "get", "list", "watch", "patch"), rights("batch", "jobs", "status", "patch")...),
		rights("events.k8s.io", "events", "", "create", "patch")...)
	workerRights = rights("batch", "jobs", "", "get", "list", "watch", "create", "patch", "delete")
)

// checkRights asks the API server about each, and changes nothing.
func checkRights(ctx context.Context, client kubernetes.Interface, needed []right) error {
	var missing []string
	for _, r := range needed {
		review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
			ResourceAttributes: &authorizationv1.ResourceAttributes{
				Group: r.group, Resource: r.resource, Subresource: r.subresource, Verb: r.verb, Namespace: r.namespace, Name: r.name,
			},
		}}
		answer, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		if !answer.Status.Allowed {
			missing = append(missing, r.String())
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("%w: %s", ErrRights, strings.Join(missing, ", "))
	}
	return nil
}

func releaseOf(client discovery.ServerVersionInterface) (jobmanagedby.Release, error) {
	info, err := client.ServerVersion()
	if err != nil {
		return jobmanagedby.Release{}, err
	}
	return jobmanagedby.FromVersionInfo(*info)
}

// management is what has to be known of the management cluster before anything starts.
type management struct {
	release jobmanagedby.Release
	uid     string // of the namespace kube-system, which names the cluster
}

// checkManagement refuses a cluster that cannot be served.
func checkManagement(ctx context.Context, config *rest.Config, gate *bool, needed []right) (m management, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("management cluster at %s: %w", config.Host, err)
		}
	}()
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return m, err
	}
	if m.release, err = releaseOf(client.Discovery()); err != nil {
		return m, err
	}
	m.release.Gate = gate
	if !m.release.HonorsManagedBy() {
		return m, fmt.Errorf("%v: %w", m.release.Version, ErrTooOld)
	}
	if err := checkRights(ctx, client, needed); err != nil {
		return m, err
	}
	namespace, err := client.CoreV1().Namespaces().Get(ctx, metav1.NamespaceSystem, metav1.GetOptions{})
	if err != nil {
		return m, err
	}
	m.uid = string(namespace.UID)
	return m, nil
}

// checkWorker refuses a worker that answers and gives too few rights. One that does not answer may do later.
func checkWorker(ctx context.Context, name string, config *rest.Config) error {
	if name == Nowhere {
		return fmt.Errorf("worker %s: the name is taken, as a value of the annotation %s", name, WorkerAnnotation)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("worker %s: %w", name, err)
	}
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	if err := checkRights(ctx, client, workerRights); errors.Is(err, ErrRights) {
		return fmt.Errorf("worker %s at %s: %w", name, config.Host, err)
	}
	return nil
}
