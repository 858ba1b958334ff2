// SPDX-License-Identifier: Apache-2.0

package jobspec

import (
	"fmt"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	"k8s.io/utils/ptr"
)

// spec sets the fields of JobSpec but for template, selector and managedBy.
func (g *Generator) spec(spec *batchv1.JobSpec) {
	spec.Parallelism = maybe(g, 0, 1, int32(g.IntN(100)), 10_000)
	spec.BackoffLimit = maybe(g, 0, 6, g.Int32())
	spec.ActiveDeadlineSeconds = maybe(g, 0, 1, g.Int64())
	spec.TTLSecondsAfterFinished = maybe(g, 0, 3600, g.Int32())
	spec.Suspend = maybe(g, true, false)
	if g.oneIn(2) {
		g.indexed(spec)
	} else {
		spec.CompletionMode = maybe(g, batchv1.NonIndexedCompletion)
		spec.Completions = maybe(g, 0, 1, int32(g.IntN(100)), g.Int32())
	}
	if g.oneIn(3) {
		spec.PodFailurePolicy = g.failurePolicy(spec)
		spec.Template.Spec.RestartPolicy = corev1.RestartPolicyNever
		spec.PodReplacementPolicy = maybe(g, batchv1.Failed)
	} else {
		spec.PodReplacementPolicy = maybe(g, batchv1.Failed, batchv1.TerminatingOrFailed)
	}
	if g.oneIn(10) {
		spec.Scheduling = g.scheduling(spec)
	}
}

// indexed sets what only an Indexed Job has; one in two is elastic.
func (g *Generator) indexed(spec *batchv1.JobSpec) {
	spec.CompletionMode = ptr.To(batchv1.IndexedCompletion)
	completions := pick(g, 0, 1, int32(1+g.IntN(200)), 100_000, 100_001, g.Int32())
	spec.Completions = &completions
	if completions <= 10_000 && g.oneIn(2) {
		spec.Parallelism = ptr.To(completions)
	}
	if g.oneIn(3) {
		spec.BackoffLimitPerIndex = ptr.To(pick(g, 0, 1, g.Int32()))
		most := min(completions, 10_000)
		spec.MaxFailedIndexes = ptr.To(pick(g, 0, most, g.Int32N(most+1)))
		if completions <= 100_000 && g.oneIn(2) {
			spec.MaxFailedIndexes = nil
		}
	}
	if completions > 0 && g.oneIn(3) {
		spec.SuccessPolicy = &batchv1.SuccessPolicy{}
		for range 1 + g.IntN(3) {
			spec.SuccessPolicy.Rules = append(spec.SuccessPolicy.Rules, g.successRule(completions))
		}
	}
}

func (g *Generator) successRule(completions int32) batchv1.SuccessPolicyRule {
	if g.oneIn(2) {
		return batchv1.SuccessPolicyRule{SucceededCount: ptr.To(g.Int32N(completions + 1 - completions>>30))}
	}
	var parts []string
	total := int32(0)
	for next := g.Int32N(min(completions, 5)); next < completions && len(parts) < 5; {
		last := min(next+g.Int32N(3), completions-1)
		if last == next {
			parts = append(parts, fmt.Sprint(next))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", next, last))
		}
		total += last - next + 1
		next = last + 2
	}
	indexes := strings.Join(parts, ",")
	return batchv1.SuccessPolicyRule{SucceededIndexes: &indexes, SucceededCount: maybe(g, 0, total)}
}

func (g *Generator) failurePolicy(spec *batchv1.JobSpec) *batchv1.PodFailurePolicy {
	actions := []batchv1.PodFailurePolicyAction{batchv1.PodFailurePolicyActionCount, batchv1.PodFailurePolicyActionFailJob, batchv1.PodFailurePolicyActionIgnore}
	if spec.BackoffLimitPerIndex != nil {
		actions = append(actions, batchv1.PodFailurePolicyActionFailIndex)
	}
	policy := &batchv1.PodFailurePolicy{}
	for range 1 + g.IntN(4) {
		rule := batchv1.PodFailurePolicyRule{Action: pick(g, actions...)}
		if g.oneIn(2) {
			rule.OnExitCodes = g.onExitCodes(&spec.Template.Spec)
		} else {
			rule.OnPodConditions = []batchv1.PodFailurePolicyOnPodConditionsPattern{{
				Type:   pick(g, corev1.DisruptionTarget, "example.com/Condition"),
				Status: pick(g, "", corev1.ConditionTrue, corev1.ConditionFalse, corev1.ConditionUnknown),
			}}
		}
		policy.Rules = append(policy.Rules, rule)
	}
	return policy
}

func (g *Generator) onExitCodes(pod *corev1.PodSpec) *batchv1.PodFailurePolicyOnExitCodesRequirement {
	on := &batchv1.PodFailurePolicyOnExitCodesRequirement{
		Operator: pick(g, batchv1.PodFailurePolicyOnExitCodesOpIn, batchv1.PodFailurePolicyOnExitCodesOpNotIn),
		Values:   g.exitCodes(),
	}
	if g.oneIn(2) {
		on.ContainerName = ptr.To(pick(g, append(slices.Clone(pod.InitContainers), pod.Containers...)...).Name)
	}
	return on
}

// exitCodes are ordered, different and not zero.
func (g *Generator) exitCodes() []int32 {
	var codes []int32
	for range 1 + g.IntN(5) {
		codes = append(codes, 1+g.Int32N(255))
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// scheduling is alpha in 1.37: only a server with the gate WorkloadWithJob keeps it.
func (g *Generator) scheduling(spec *batchv1.JobSpec) *batchv1.JobSchedulingConfiguration {
	s := &batchv1.JobSchedulingConfiguration{}
	if g.oneIn(2) {
		s.SchedulingPolicy = &schedulingv1alpha3.WorkloadPodGroupSchedulingPolicy{Basic: &schedulingv1alpha3.WorkloadPodGroupBasicSchedulingPolicy{}}
	} else {
		s.SchedulingPolicy = &schedulingv1alpha3.WorkloadPodGroupSchedulingPolicy{Gang: &schedulingv1alpha3.WorkloadPodGroupGangSchedulingPolicy{}}
		if atMost := ptr.Deref(spec.Parallelism, 1); atMost > 0 && g.oneIn(2) {
			s.SchedulingPolicy.Gang.MinCount = ptr.To(1 + g.Int32N(atMost))
		}
		switch g.IntN(3) {
		case 0:
			s.DisruptionMode = &schedulingv1alpha3.WorkloadPodGroupDisruptionMode{Single: &schedulingv1alpha3.WorkloadPodGroupSingleDisruptionMode{}}
		case 1:
			s.DisruptionMode = &schedulingv1alpha3.WorkloadPodGroupDisruptionMode{All: &schedulingv1alpha3.WorkloadPodGroupAllDisruptionMode{}}
		}
	}
	if g.oneIn(2) {
		s.SchedulingConstraints = &schedulingv1alpha3.WorkloadPodGroupSchedulingConstraints{
			Topology: []schedulingv1alpha3.TopologyConstraint{{Key: "topology.kubernetes.io/zone"}},
		}
	}
	if g.oneIn(3) {
		s.ResourceClaims = []schedulingv1alpha3.WorkloadPodGroupResourceClaim{
			{Name: "a", ResourceClaimName: ptr.To(g.word())},
			{Name: "b", ResourceClaimTemplateName: ptr.To(g.word())},
		}
	}
	return s
}
