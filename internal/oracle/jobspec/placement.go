// SPDX-License-Identifier: Apache-2.0

package jobspec

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

func (g *Generator) affinity() *corev1.Affinity {
	a := &corev1.Affinity{}
	if g.oneIn(2) {
		a.NodeAffinity = &corev1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution:  &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{g.nodeTerm(), g.nodeTerm()}},
			PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{{Weight: 1 + g.Int32N(100), Preference: g.nodeTerm()}},
		}
	}
	if g.oneIn(2) {
		a.PodAffinity = &corev1.PodAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution:  []corev1.PodAffinityTerm{g.podTerm()},
			PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{{Weight: 1 + g.Int32N(100), PodAffinityTerm: g.podTerm()}},
		}
	}
	if g.oneIn(2) {
		a.PodAntiAffinity = &corev1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution:  []corev1.PodAffinityTerm{g.podTerm()},
			PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{{Weight: 1 + g.Int32N(100), PodAffinityTerm: g.podTerm()}},
		}
	}
	return a
}

func (g *Generator) nodeTerm() corev1.NodeSelectorTerm {
	return corev1.NodeSelectorTerm{
		MatchExpressions: []corev1.NodeSelectorRequirement{
			pick(g,
				corev1.NodeSelectorRequirement{Key: "zone", Operator: pick(g, corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn), Values: g.words()},
				corev1.NodeSelectorRequirement{Key: "gpu", Operator: pick(g, corev1.NodeSelectorOpExists, corev1.NodeSelectorOpDoesNotExist)},
				corev1.NodeSelectorRequirement{Key: "cores", Operator: pick(g, corev1.NodeSelectorOpGt, corev1.NodeSelectorOpLt), Values: []string{"8"}}),
		},
		MatchFields: pick(g, nil, []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{g.word()}}}),
	}
}

func (g *Generator) podTerm() corev1.PodAffinityTerm {
	term := corev1.PodAffinityTerm{TopologyKey: "kubernetes.io/hostname", Namespaces: pick(g, nil, g.words()), LabelSelector: g.podSelector()}
	if g.oneIn(2) {
		term.NamespaceSelector = g.podSelector()
	}
	if g.oneIn(3) {
		term.MatchLabelKeys, term.MismatchLabelKeys = []string{"example.com/match"}, []string{"example.com/mismatch"}
	}
	return term
}

func (g *Generator) podSelector() *metav1.LabelSelector {
	return &metav1.LabelSelector{
		MatchLabels:      pick(g, nil, g.labels()),
		MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "tier", Operator: metav1.LabelSelectorOpNotIn, Values: g.words()}},
	}
}

func (g *Generator) tolerations() []corev1.Toleration {
	list := []corev1.Toleration{
		{Operator: corev1.TolerationOpExists},
		{Key: g.word(), Operator: pick(g, "", corev1.TolerationOpEqual), Value: g.word(), Effect: pick(g, "", corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule)},
		{Key: "node.kubernetes.io/not-ready", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: maybe(g, -1, 0, int64(300))},
	}
	if g.oneIn(20) {
		list = append(list, corev1.Toleration{Key: "example.com/sla", Operator: pick(g, corev1.TolerationOpLt, corev1.TolerationOpGt), Value: "950"})
	}
	return list[g.IntN(len(list)):]
}

func (g *Generator) spread() []corev1.TopologySpreadConstraint {
	c := corev1.TopologySpreadConstraint{
		MaxSkew: 1 + g.Int32N(5), TopologyKey: "topology.kubernetes.io/zone", WhenUnsatisfiable: corev1.DoNotSchedule,
		LabelSelector:      g.podSelector(),
		MinDomains:         maybe(g, int32(3)),
		NodeAffinityPolicy: maybe(g, corev1.NodeInclusionPolicyHonor, corev1.NodeInclusionPolicyIgnore),
		NodeTaintsPolicy:   maybe(g, corev1.NodeInclusionPolicyHonor, corev1.NodeInclusionPolicyIgnore),
		MatchLabelKeys:     pick(g, nil, []string{"example.com/match"}),
	}
	return []corev1.TopologySpreadConstraint{c, {MaxSkew: 2, TopologyKey: "kubernetes.io/hostname", WhenUnsatisfiable: corev1.ScheduleAnyway}}
}

func (g *Generator) podSecurity() *corev1.PodSecurityContext {
	return &corev1.PodSecurityContext{
		SELinuxOptions:           g.seLinux(),
		RunAsUser:                maybe(g, 0, 1000, g.Int64N(1<<31)),
		RunAsGroup:               maybe(g, 0, 1000, g.Int64N(1<<31)),
		RunAsNonRoot:             maybe(g, true, false),
		SupplementalGroups:       pick(g, nil, []int64{1, 2}),
		SupplementalGroupsPolicy: maybe(g, corev1.SupplementalGroupsPolicyMerge, corev1.SupplementalGroupsPolicyStrict),
		FSGroup:                  maybe(g, g.Int64N(1<<31)),
		FSGroupChangePolicy:      maybe(g, corev1.FSGroupChangeOnRootMismatch, corev1.FSGroupChangeAlways),
		Sysctls:                  pick(g, nil, []corev1.Sysctl{{Name: "net.ipv4.tcp_syncookies", Value: "1"}}),
		SeccompProfile:           g.seccomp(),
		AppArmorProfile:          g.appArmor(),
		SELinuxChangePolicy:      g.seLinuxChange(),
	}
}

func (g *Generator) seLinux() *corev1.SELinuxOptions {
	return pick(g, nil, &corev1.SELinuxOptions{User: "u", Role: "r", Type: "t", Level: "s0:c1,c2"})
}

// seLinuxChange seldom returns the policy that needs the alpha gate SELinuxMount.
func (g *Generator) seLinuxChange() *corev1.PodSELinuxChangePolicy {
	if g.oneIn(10) {
		return ptr.To(corev1.SELinuxChangePolicyMountOption)
	}
	return maybe(g, corev1.SELinuxChangePolicyRecursive)
}

func (g *Generator) seccomp() *corev1.SeccompProfile {
	return pick(g, nil,
		&corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
		&corev1.SeccompProfile{Type: corev1.SeccompProfileTypeLocalhost, LocalhostProfile: ptr.To("profiles/p.json")})
}

func (g *Generator) appArmor() *corev1.AppArmorProfile {
	return pick(g, nil,
		&corev1.AppArmorProfile{Type: corev1.AppArmorProfileTypeUnconfined},
		&corev1.AppArmorProfile{Type: corev1.AppArmorProfileTypeLocalhost, LocalhostProfile: ptr.To("profile")})
}
