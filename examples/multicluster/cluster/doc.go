// SPDX-License-Identifier: Apache-2.0

// Package cluster starts real Kubernetes control planes on loopback: etcd, kube-apiserver and
// kube-controller-manager of a release, built from their Go modules. There is no node: [Cluster] has a
// kubelet of its own making, which moves pods through their phases and runs nothing.
package cluster
