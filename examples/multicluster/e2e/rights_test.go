// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/managedby-dev/managedby/examples/multicluster/cluster"
	"github.com/managedby-dev/managedby/examples/multicluster/fleet"
	"github.com/managedby-dev/managedby/examples/multicluster/jobs"
)

const keyDomain = "dispatcher.example.com/mirror-"

// attempt is something that somebody tries.
type attempt struct {
	name    string
	does    func(client.Client) error
	allowed bool
}

func try(t *testing.T, c client.Client, attempts []attempt) {
	t.Helper()
	for _, a := range attempts {
		t.Run(a.name, func(t *testing.T) {
			err := a.does(c)
			switch {
			case a.allowed && err != nil:
				t.Errorf("refused: %v", err)
			case !a.allowed && !apierrors.IsForbidden(err):
				t.Errorf("the answer is %v, want Forbidden", err)
			}
		})
	}
}

// merge is an attempt to patch a Job.
func merge(t *testing.T, name, patch string, subresource ...string) func(client.Client) error {
	return func(c client.Client) error {
		job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: fleet.Namespace, Name: name}}
		p := client.RawPatch(types.MergePatchType, []byte(patch))
		if len(subresource) > 0 {
			return c.SubResource(subresource[0]).Patch(t.Context(), job, p)
		}
		return c.Patch(t.Context(), job, p)
	}
}

// The dispatcher's service account can do what the dispatcher does, as all other tests show, and nothing else.
func TestDispatcherRights(t *testing.T) {
	f := sharedFleet(t, cluster.Newest, cluster.Newest)
	ctx := t.Context()
	other := jobs.New("rights-not-ours", jobs.Unmanaged, jobs.Forever)
	common := []attempt{
		{"read secrets", func(c client.Client) error { return c.List(ctx, &corev1.SecretList{}) }, false},
		{"read pods", func(c client.Client) error { return c.List(ctx, &corev1.PodList{}) }, false},
		{"delete pods", func(c client.Client) error {
			return c.DeleteAllOf(ctx, &corev1.Pod{}, client.InNamespace(fleet.Namespace))
		}, false},
		{"delete all Jobs", func(c client.Client) error {
			return c.DeleteAllOf(ctx, &batchv1.Job{}, client.InNamespace(fleet.Namespace))
		}, false},
		{"change a Job of others", merge(t, other.Name, `{"metadata":{"labels":{"a":"b"}}}`), false},
		{"delete a Job of others", func(c client.Client) error { return c.Delete(ctx, other.DeepCopy()) }, false},
	}
	management := append(common[:len(common):len(common)],
		attempt{"create a Job", func(c client.Client) error { return c.Create(ctx, jobs.New("rights-created")) }, false},
		attempt{"write the status of a Job of others", merge(t, other.Name, `{"status":{"active":3}}`, "status"), false},
	)
	worker := append(common[:len(common):len(common)],
		attempt{"create a Job that is no mirror", func(c client.Client) error { return c.Create(ctx, jobs.New("rights-created")) }, false},
		attempt{"write a status", merge(t, other.Name, `{"status":{"active":3}}`, "status"), false},
	)
	for _, test := range []struct {
		cluster  *cluster.Cluster
		attempts []attempt
	}{{f.Management, management}, {f.Workers[0], worker}} {
		t.Run(test.cluster.Name, func(t *testing.T) {
			createAll(t, admin(t, test.cluster), other.DeepCopy())
			config, err := fleet.DispatcherConfig(ctx, test.cluster)
			must(t, err)
			c, err := client.New(config, client.Options{})
			must(t, err)
			try(t, c, test.attempts)
		})
	}
}

// Who may write Jobs and their status can nevertheless not write what is the dispatcher's.
func TestKeysAreProtected(t *testing.T) {
	f := sharedFleet(t, cluster.Newest, cluster.Newest)
	annotation := func(key string) string { return `{"metadata":{"annotations":{"` + keyDomain + key + `":"forged"}}}` }
	create := func(name string, change func(*batchv1.Job)) func(client.Client) error {
		return func(c client.Client) error { return c.Create(t.Context(), jobs.New(name, change)) }
	}
	with := func(key string) func(*batchv1.Job) {
		return func(job *batchv1.Job) { job.Annotations[keyDomain+key] = "forged" }
	}
	harmless := []attempt{
		{"create", create("keys-harmless", func(*batchv1.Job) {}), true},
		{"label", merge(t, "keys", `{"metadata":{"labels":{"a":"b"}}}`), true},
		{"status", merge(t, "keys", `{"status":{"active":1}}`, "status"), true},
		{"suspend", merge(t, "keys", `{"spec":{"suspend":true}}`), true},
		{"another finalizer", merge(t, "keys", `{"metadata":{"finalizers":["`+keyDomain+`cleanup","`+keyDomain+`hold","example.com/f"]}}`), true},
	}
	management := append(harmless[:len(harmless):len(harmless)],
		attempt{"change the record", merge(t, "keys", annotation("dispatch")), false},
		attempt{"remove the record", merge(t, "keys", `{"metadata":{"annotations":null}}`), false},
		attempt{"change the record with the status", merge(t, "keys", annotation("dispatch"), "status"), false},
		attempt{"remove the finalizer", merge(t, "keys", `{"metadata":{"finalizers":null}}`), false},
		attempt{"remove the finalizer with the status", merge(t, "keys", `{"metadata":{"finalizers":null}}`, "status"), false},
		attempt{"create with a record", create("keys-forged", with("dispatch")), false},
	)
	worker := harmless[:len(harmless):len(harmless)]
	for _, key := range []string{"local", "local-uid", "local-generation", "last-sent", "hold"} {
		worker = append(worker,
			attempt{"change " + key, merge(t, "keys", annotation(key)), false},
			attempt{"change " + key + " with the status", merge(t, "keys", annotation(key), "status"), false},
			attempt{"create with " + key, create("keys-forged", with(key)), false})
	}
	worker = append(worker,
		attempt{"change the origin", merge(t, "keys", `{"metadata":{"labels":{"`+keyDomain+`origin":"forged"}}}`), false},
		attempt{"remove the origin", merge(t, "keys", `{"metadata":{"labels":null}}`), false},
		attempt{"create with an origin", create("keys-forged", func(job *batchv1.Job) { job.Labels = map[string]string{keyDomain + "origin": "forged"} }), false},
		attempt{"release", merge(t, "keys", `{"metadata":{"finalizers":null}}`), false},
		attempt{"remove the identity", merge(t, "keys", `{"metadata":{"annotations":null}}`), false},
	)
	for _, test := range []struct {
		cluster  *cluster.Cluster
		attempts []attempt
	}{{f.Management, management}, {f.Workers[0], worker}} {
		t.Run(test.cluster.Name, func(t *testing.T) {
			createAll(t, admin(t, test.cluster), jobs.New("keys", func(job *batchv1.Job) {
				job.Labels = map[string]string{keyDomain + "origin": "o"}
				for _, key := range []string{"dispatch", "local", "local-uid", "local-generation", "last-sent", "hold"} {
					job.Annotations[keyDomain+key] = "v"
				}
				job.Finalizers = []string{keyDomain + "cleanup", keyDomain + "hold"}
			}, jobs.Suspend(true)))
			t.Cleanup(func() { (&hand{t: t}).purge(admin(t, test.cluster), "keys-harmless") })
			try(t, alice(t, test.cluster), test.attempts)
		})
	}
}

// alice may write everything about Jobs in the namespace.
func alice(t *testing.T, c *cluster.Cluster) client.Client {
	t.Helper()
	role := &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Namespace: fleet.Namespace, Name: "alice"},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{"batch"}, Resources: []string{"jobs", "jobs/status"}, Verbs: []string{"*"}}},
	}
	binding := &rbacv1.RoleBinding{
		ObjectMeta: role.ObjectMeta,
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "alice"},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: "alice"}},
	}
	for _, object := range []client.Object{role, binding} {
		if err := admin(t, c).Create(t.Context(), object); err != nil && !apierrors.IsAlreadyExists(err) {
			t.Fatal(err)
		}
	}
	config := c.Config("admin")
	config.Impersonate.UserName = "alice"
	cl, err := client.New(config, client.Options{})
	must(t, err)
	return cl
}
