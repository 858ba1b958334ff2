// SPDX-License-Identifier: Apache-2.0

package jobspec

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"
)

// podFeatures sets the fields of PodSpec that do not depend on each other. Those of containers and
// volumes are set before.
var podFeatures = []func(*Generator, *corev1.PodSpec){
	func(g *Generator, p *corev1.PodSpec) {
		p.TerminationGracePeriodSeconds = ptr.To(pick(g, 5, 30, 1+g.Int64()))
	},
	func(g *Generator, p *corev1.PodSpec) { p.ActiveDeadlineSeconds = ptr.To(1 + g.Int64N(1<<31-1)) },
	func(g *Generator, p *corev1.PodSpec) {
		p.DNSPolicy = pick(g, corev1.DNSClusterFirst, corev1.DNSClusterFirstWithHostNet, corev1.DNSDefault)
	},
	func(g *Generator, p *corev1.PodSpec) { p.NodeSelector = g.labels() },
	func(g *Generator, p *corev1.PodSpec) { p.ServiceAccountName = g.word() },
	func(g *Generator, p *corev1.PodSpec) {
		p.DeprecatedServiceAccount = pick(g, p.ServiceAccountName, "old")
	},
	func(g *Generator, p *corev1.PodSpec) { p.AutomountServiceAccountToken = maybe(g, true, false) },
	func(g *Generator, p *corev1.PodSpec) {
		p.HostPID = p.ShareProcessNamespace == nil && p.HostUsers == nil
	},
	func(g *Generator, p *corev1.PodSpec) { p.HostIPC = p.HostUsers == nil },
	func(g *Generator, p *corev1.PodSpec) {
		p.ImagePullSecrets = []corev1.LocalObjectReference{g.reference()}
	},
	func(g *Generator, p *corev1.PodSpec) { p.Hostname = g.word() },
	func(g *Generator, p *corev1.PodSpec) { p.Subdomain = g.word() },
	func(g *Generator, p *corev1.PodSpec) { p.SchedulerName = g.word() },
	func(g *Generator, p *corev1.PodSpec) {
		p.HostAliases = []corev1.HostAlias{{IP: pick(g, "10.0.0.1", "fd00::1"), Hostnames: g.words()}}
	},
	func(g *Generator, p *corev1.PodSpec) { p.PriorityClassName = g.word() },
	func(g *Generator, p *corev1.PodSpec) { p.Priority = ptr.To(g.Int32()) },
	func(g *Generator, p *corev1.PodSpec) { p.DNSConfig = g.dnsConfig() },
	func(g *Generator, p *corev1.PodSpec) {
		p.ReadinessGates = []corev1.PodReadinessGate{{ConditionType: "example.com/Ready"}}
	},
	func(g *Generator, p *corev1.PodSpec) { p.RuntimeClassName = ptr.To(g.word()) },
	func(g *Generator, p *corev1.PodSpec) { p.EnableServiceLinks = maybe(g, true, false) },
	func(g *Generator, p *corev1.PodSpec) {
		p.PreemptionPolicy = maybe(g, corev1.PreemptNever, corev1.PreemptLowerPriority)
	},
	func(g *Generator, p *corev1.PodSpec) {
		p.RuntimeClassName = ptr.To(g.word())
		p.Overhead = corev1.ResourceList{corev1.ResourceCPU: g.quantity("m"), corev1.ResourceMemory: g.quantity("Mi")}
	},
	func(g *Generator, p *corev1.PodSpec) { p.SetHostnameAsFQDN = maybe(g, true, false) },
	func(g *Generator, p *corev1.PodSpec) { p.OS = &corev1.PodOS{Name: corev1.Linux} },
	func(g *Generator, p *corev1.PodSpec) {
		p.SchedulingGates = []corev1.PodSchedulingGate{{Name: g.word()}}
	},
	func(g *Generator, p *corev1.PodSpec) { p.Affinity = g.affinity() },
	func(g *Generator, p *corev1.PodSpec) { p.Tolerations = g.tolerations() },
	func(g *Generator, p *corev1.PodSpec) { p.TopologySpreadConstraints = g.spread() },
	func(g *Generator, p *corev1.PodSpec) { p.SecurityContext = g.podSecurity() },
	func(g *Generator, p *corev1.PodSpec) { g.resourceClaims(p) },
}

// rareFeatures go by what other fields are, or stand for a kind of pod that is seldom seen.
var rareFeatures = []func(*Generator, *corev1.PodSpec){
	func(g *Generator, p *corev1.PodSpec) { g.hostNetwork(p) },
	func(g *Generator, p *corev1.PodSpec) { p.NodeName, p.SchedulingGates = g.word(), nil },
	func(g *Generator, p *corev1.PodSpec) {
		if !p.HostPID {
			p.ShareProcessNamespace = maybe(g, true, false)
		}
	},
	func(g *Generator, p *corev1.PodSpec) {
		if !p.HostPID && !p.HostIPC && !p.HostNetwork {
			p.HostUsers = maybe(g, true, false)
		}
	},
	func(g *Generator, p *corev1.PodSpec) {
		p.DNSPolicy, p.DNSConfig = corev1.DNSNone, &corev1.PodDNSConfig{Nameservers: []string{"10.0.0.10"}}
	},
	func(g *Generator, p *corev1.PodSpec) {
		p.HostnameOverride, p.SetHostnameAsFQDN = ptr.To(pick(g, "host.example.com", g.word())), nil
	},
	func(g *Generator, p *corev1.PodSpec) {
		p.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: ptr.To(g.word())}
	},
	func(g *Generator, p *corev1.PodSpec) {
		p.EvictionResponders = []corev1.EvictionResponder{{Name: "example.com/" + g.word(), Priority: ptr.To(1000 + g.Int32N(9000))}}
	},
	func(g *Generator, p *corev1.PodSpec) {
		p.Resources = &corev1.ResourceRequirements{
			Limits:   corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("900"), corev1.ResourceMemory: resource.MustParse("9Ti")},
			Requests: pick(g, nil, corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("800")}),
		}
	},
	func(g *Generator, p *corev1.PodSpec) { g.windows(p) },
	func(g *Generator, p *corev1.PodSpec) { g.envFile(p) },
	func(g *Generator, p *corev1.PodSpec) {
		p.OS = &corev1.PodOS{Name: corev1.Linux} // without it there may be no signal
		p.Containers[0].Lifecycle = &corev1.Lifecycle{StopSignal: ptr.To(corev1.SIGUSR1)}
	},
}

// pod sets the pod template's spec.
func (g *Generator) pod(p *corev1.PodSpec) {
	p.RestartPolicy = pick(g, corev1.RestartPolicyNever, corev1.RestartPolicyOnFailure)
	g.volumes(p)
	for i := range 1 + g.IntN(2) {
		p.Containers = append(p.Containers, g.container(fmt.Sprintf("main-%d", i), p))
	}
	for i := range g.IntN(3) {
		p.InitContainers = append(p.InitContainers, g.initContainer(fmt.Sprintf("init-%d", i), p))
	}
	each(g, 6, podFeatures, p)
	each(g, 30, rareFeatures, p)
}

// hostNetwork makes the ports of all containers ports of the node, as the server would.
func (g *Generator) hostNetwork(p *corev1.PodSpec) {
	p.HostNetwork, p.HostUsers, p.HostnameOverride = true, nil, nil
	if p.SecurityContext != nil {
		p.SecurityContext.Sysctls = nil
	}
	for _, list := range [][]corev1.Container{p.Containers, p.InitContainers} {
		for i := range list {
			for j := range list[i].Ports {
				list[i].Ports[j].HostPort = list[i].Ports[j].ContainerPort
			}
		}
	}
}

func (g *Generator) dnsConfig() *corev1.PodDNSConfig {
	return &corev1.PodDNSConfig{
		Nameservers: []string{"10.0.0.10"},
		Searches:    []string{pick(g, "svc.cluster.local", "example.com.", g.word())},
		Options:     []corev1.PodDNSConfigOption{{Name: "ndots", Value: maybe(g, "2")}},
	}
}

func (g *Generator) resourceClaims(p *corev1.PodSpec) {
	claim := corev1.PodResourceClaim{Name: "claim-" + g.word()}
	if g.oneIn(2) {
		claim.ResourceClaimName = ptr.To(g.word())
	} else {
		claim.ResourceClaimTemplateName = ptr.To(g.word())
	}
	p.ResourceClaims = []corev1.PodResourceClaim{claim}
	main := &p.Containers[0]
	main.Resources.Claims = []corev1.ResourceClaim{{Name: claim.Name, Request: pick(g, "", "gpu")}}
}

// envFile is known since 1.35. The volume has to be an emptyDir.
func (g *Generator) envFile(p *corev1.PodSpec) {
	p.Volumes = append(p.Volumes, corev1.Volume{Name: "env", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}})
	c := &p.Containers[0]
	c.Env = append(c.Env, corev1.EnvVar{Name: "FROM_FILE", ValueFrom: &corev1.EnvVarSource{
		FileKeyRef: &corev1.FileKeySelector{VolumeName: "env", Path: "p", Key: "k", Optional: maybe(g, true)},
	}})
}

// windows makes a pod of that system, which may not have what only Linux has.
func (g *Generator) windows(p *corev1.PodSpec) {
	user := &corev1.WindowsSecurityContextOptions{RunAsUserName: ptr.To("ContainerUser"), GMSACredentialSpecName: ptr.To("spec"), GMSACredentialSpec: ptr.To("{}"), HostProcess: maybe(g, false)}
	p.OS = pick(g, nil, &corev1.PodOS{Name: corev1.Windows})
	p.SecurityContext = &corev1.PodSecurityContext{WindowsOptions: user, RunAsNonRoot: ptr.To(true)}
	p.HostUsers, p.HostPID, p.HostIPC, p.HostNetwork, p.ShareProcessNamespace = nil, false, false, false, nil
	p.Resources, p.SetHostnameAsFQDN = nil, nil
	for _, list := range [][]corev1.Container{p.Containers, p.InitContainers} {
		for i := range list {
			list[i].SecurityContext = &corev1.SecurityContext{WindowsOptions: user, RunAsNonRoot: ptr.To(true)}
		}
	}
}
