// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"strings"
)

// DropKey is a label or annotation key by which another tool would take the mirror for its own
// object: count it, change it, or delete it because it is not in the tool's inventory.
type DropKey struct {
	// Key is a key, or a domain with its slash for all the keys of that domain.
	Key string
	// Value restricts the row to that value. Empty means any value.
	Value string
	// Owner is the tool that reads the key.
	Owner string
}

// DefaultDropKeys returns the keys that [Planner.Build] leaves out of a mirror's own labels and
// annotations, in a slice of the caller's own. Policy.KeepKeys exempts keys from the list and
// Policy.DropKey adds to it. Rows may be added in a minor version.
//
// Labels and annotations of the pod template are not looked at. Tools that prune look at objects
// without an owner, which pods never are; and labels of pods are what Services, network policies
// and affinities of the worker select by.
func DefaultDropKeys() []DropKey {
	return []DropKey{
		// What a server or client wrote about the local object, and would be believed of the
		// mirror.
		{Key: "kubectl.kubernetes.io/last-applied-configuration", Owner: "kubectl apply"},
		{Key: "batch.kubernetes.io/job-tracking", Owner: "Job controller of old releases"},

		// Deployment tools, which delete what carries their mark and is not in their sources.
		{Key: "applyset.kubernetes.io/", Owner: "kubectl apply --prune"},
		{Key: "config.k8s.io/owning-inventory", Owner: "cli-utils, kpt"},
		{Key: "configsync.gke.io/", Owner: "Config Sync"},
		{Key: "configmanagement.gke.io/", Owner: "Config Sync"},
		{Key: "argocd.argoproj.io/", Owner: "Argo CD"},
		{Key: "applications.argoproj.io/app-name", Owner: "Argo CD, label of old installations"},
		{Key: "app.kubernetes.io/instance", Owner: "Argo CD, tracking by label"},
		{Key: "kustomize.toolkit.fluxcd.io/", Owner: "Flux"},
		{Key: "helm.toolkit.fluxcd.io/", Owner: "Flux"},
		{Key: "resourceset.fluxcd.controlplane.io/", Owner: "Flux Operator"},
		{Key: "fluxcd.io/sync-gc-mark", Owner: "Flux 1"},
		{Key: "meta.helm.sh/", Owner: "Helm"},
		{Key: "app.kubernetes.io/managed-by", Value: "Helm", Owner: "Helm"},
		{Key: "objectset.rio.cattle.io/", Owner: "Rancher Fleet, k3s add-ons"},
		{Key: "kapp.k14s.io/", Owner: "kapp"},

		// Multi-cluster managers, which take what carries their mark for a copy they made.
		{Key: "kueue.x-k8s.io/multikueue-origin", Owner: "MultiKueue"},
		{Key: "kueue.x-k8s.io/prebuilt-workload-name", Owner: "Kueue, names a Workload that the worker does not have"},
		{Key: "karmada.io/", Owner: "Karmada"},
		{Key: "work.karmada.io/", Owner: "Karmada"},
		{Key: "resourcebinding.karmada.io/", Owner: "Karmada"},
		{Key: "clusterresourcebinding.karmada.io/", Owner: "Karmada"},
		{Key: "propagationpolicy.karmada.io/", Owner: "Karmada"},
		{Key: "clusterpropagationpolicy.karmada.io/", Owner: "Karmada"},
		{Key: "resourcetemplate.karmada.io/", Owner: "Karmada"},
		{Key: "kubeadmiral.io/", Owner: "KubeAdmiral"},
		{Key: "kubefed.io/managed", Owner: "KubeFed"},
		{Key: "apps.open-cluster-management.io/", Owner: "Open Cluster Management"},
		{Key: "transport.kubestellar.io/", Owner: "KubeStellar"},
		{Key: "multicluster.x-k8s.io/", Owner: "Work API of SIG Multicluster"},
		{Key: "kubernetes-fleet.io/", Owner: "KubeFleet"},
		{Key: "multicluster.admiralty.io/", Owner: "Admiralty"},
		{Key: "offloading.liqo.io/", Owner: "Liqo"},
	}
}

// dropSet is what DefaultDropKeys and a Policy say, ready for look-ups.
type dropSet struct {
	own   map[string]bool   // our own keys: never copied, only stamped
	drop  map[string]string // key or domain with slash, to the value or ""
	keep  map[string]bool   // key or domain with slash
	extra func(key, value string) bool
}

func newDropSet(p Policy) dropSet {
	d := dropSet{own: map[string]bool{}, drop: map[string]string{}, keep: map[string]bool{}, extra: p.DropKey}
	for _, key := range p.Keys.all() {
		d.own[*key.value] = true
	}
	for _, row := range DefaultDropKeys() {
		d.drop[row.Key] = row.Value
	}
	for _, key := range p.KeepKeys {
		d.keep[key] = true
	}
	return d
}

// has reports whether a label or annotation of the local Job is to be left out.
func (d dropSet) has(key, value string) bool {
	if d.own[key] {
		return true
	}
	domain := key[:strings.IndexByte(key, '/')+1]
	if d.listed(key, value) || domain != "" && d.listed(domain, value) {
		if !d.keep[key] && !d.keep[domain] {
			return true
		}
	}
	return d.extra != nil && d.extra(key, value)
}

func (d dropSet) listed(key, value string) bool {
	want, ok := d.drop[key]
	return ok && (want == "" || want == value)
}
