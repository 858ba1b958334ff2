// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"cmp"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/jobmanagedby"
)

// gate takes what cannot be sent out of what is to be sent.
func (m *merge) gate() {
	suspend := m.find("spec.suspend")
	if suspend != nil && m.policy.Suspend == SuspendAtCreation && suspend.Kind != SetByWorker {
		suspend.Kind, suspend.Overrides, suspend.Why = OnPurpose, false, "Policy.Suspend"
	}
	m.gateTemplate(suspend)
	m.gateCompletions()
	m.gateIndexLimits()
	m.gateAnnotations()
}

// find returns the difference in a field, or nil.
func (m *merge) find(path string) *difference {
	for _, e := range m.entries {
		if e.Field == path {
			return e
		}
	}
	return nil
}

// block makes of a difference that was to be sent one that is not.
func (e *difference) block(kind DifferenceKind, rule SpecRule) {
	if e != nil && e.Kind == ToSend {
		e.Kind, e.Rule, e.Overrides, e.Why = kind, rule, false, rule.why()
	}
}

func (m *merge) gateTemplate(suspend *difference) {
	suspending := suspend != nil && suspend.Kind == ToSend && suspend.Local == "true"
	kind, rule := templateGate(m.pair.Remote, m.policy.Worker, suspending)
	for _, e := range m.entries {
		switch {
		case e.class == resources && !mutableTemplates(m.policy.Worker):
			e.block(Immutable, ResourcesImmutable)
		case e.class == resources || e.class == directive:
			e.block(kind, rule)
		}
	}
	if kind == NotYet && !suspending && slices.ContainsFunc(m.entries, func(e *difference) bool { return e.Kind == NotYet }) {
		suspend.block(NotYet, rule)
	}
}

// templateGate says what becomes of a change to the pod template of a mirror: ToSend, or what stands
// in the way. Suspending says that the same patch suspends the mirror.
//
// Source: validationOptionsForJob and shouldAllowMutablePodTemplate in
// pkg/registry/batch/job/strategy.go, 1.30 to 1.37. From 1.36 on the gates MutablePodResourcesForSuspendedJobs
// and MutableSchedulingDirectivesForSuspendedJobs are on by default; in 1.36.0 and 1.36.1 a Job that was never
// started has to have Suspended=True as well (kubernetes/kubernetes#139281).
func templateGate(mirror *batchv1.Job, worker jobmanagedby.Release, suspending bool) (DifferenceKind, SpecRule) {
	started, newer := mirror.Status.StartTime != nil, mutableTemplates(worker)
	switch {
	case !newer && started:
		return Immutable, TemplateStarted
	case !suspends(mirror) && suspending:
		return NotYet, TemplateNotSuspended
	case !suspends(mirror):
		return Immutable, TemplateNotSuspended
	case newer && mirror.Status.Active != 0:
		return NotYet, TemplateActivePods
	case newer && !reportsSuspended(mirror) && (started || !worker.AtLeast(1, 36, 2)):
		return NotYet, TemplateNotYetReported
	default:
		return ToSend, ""
	}
}

// mutableTemplates reports whether the gates are on. They go by the emulated version.
func mutableTemplates(worker jobmanagedby.Release) bool {
	emulated := jobmanagedby.Release{Version: worker.Emulation}
	return worker.AtLeast(1, 36, 0) && (worker.Emulation == nil || emulated.AtLeast(1, 36, 0))
}

func reportsSuspended(job *batchv1.Job) bool {
	return slices.ContainsFunc(job.Status.Conditions, func(c batchv1.JobCondition) bool {
		return c.Type == batchv1.JobSuspended && c.Status == corev1.ConditionTrue
	})
}

// gateCompletions sends completions together with an equal parallelism, or not at all.
//
// Source: validateCompletions, 1.30 to 1.37; the gate ElasticIndexedJob is on since 1.27.
func (m *merge) gateCompletions() {
	completions, parallelism := m.find("spec.completions"), m.find("spec.parallelism")
	if completions == nil || completions.Kind != ToSend {
		return
	}
	wanted, has := ptr.Deref(m.want.spec.Completions, -1), ptr.Deref(m.mirror.spec.Parallelism, -1)
	if parallelism != nil {
		has = ptr.Deref(m.want.spec.Parallelism, -1)
	}
	switch {
	case !isIndexed(&m.mirror.spec) || !m.policy.Worker.AtLeast(1, 27, 0) || wanted != has:
		completions.block(Immutable, CompletionsImmutable)
	case !fitsHostName(m.pair.Remote.Name, &m.want.spec):
		completions.block(Immutable, HostNameTooLong)
	case parallelism != nil && parallelism.Kind != ToSend:
		parallelism.Kind, parallelism.Overrides, parallelism.Why = ToSend, true, "goes with completions"
	}
}

func isIndexed(spec *batchv1.JobSpec) bool {
	return ptr.Deref(spec.CompletionMode, batchv1.NonIndexedCompletion) == batchv1.IndexedCompletion
}

// fitsHostName reports whether the host name of the last pod is a DNS label.
func fitsHostName(name string, spec *batchv1.JobSpec) bool {
	suffix := hostSuffix(spec)
	return suffix == "" || isDNSLabel(name+suffix)
}

// gateIndexLimits sends nothing that does not go together with what the worker has set. What the
// local Job says by itself does.
func (m *merge) gateIndexLimits() {
	after := m.mirror.spec
	var limited []*difference
	for _, e := range m.entries {
		if e.Kind == ToSend && (e.Field == "spec.completions" || e.Field == "spec.parallelism" || e.Field == "spec.maxFailedIndexes") {
			limited = append(limited, e)
		}
	}
	for _, f := range scalarFields {
		if slices.ContainsFunc(limited, func(e *difference) bool { return e.Field == "spec."+f.name }) {
			f.copy(&after, &m.want.spec)
		}
	}
	if !keepsIndexLimits(&after) {
		for _, e := range limited {
			e.block(Immutable, IndexLimits)
		}
	}
}

// keepsIndexLimits reports what the API server checks of an Indexed Job across fields.
//
// Source: validateJobSpec, 1.30 to 1.37.
func keepsIndexLimits(spec *batchv1.JobSpec) bool {
	const manyCompletions, limit = 100_000, 10_000
	if !isIndexed(spec) || spec.Completions == nil || spec.BackoffLimitPerIndex == nil {
		return true
	}
	failed := ptr.Deref(spec.MaxFailedIndexes, -1)
	many := *spec.Completions > manyCompletions
	return failed <= *spec.Completions &&
		!(many && (failed < 0 || failed > limit || ptr.Deref(spec.Parallelism, 0) > limit))
}

// gateAnnotations sends none if the mirror had too many then: there has to be room for what we write there, too. An
// annotation is no reason not to know any more what was sent.
func (m *merge) gateAnnotations() {
	keys, remote := &m.policy.Keys, m.pair.Remote
	size := sizeOf(remote.Annotations) - m.recordSize() + pairSize(keys.Generation, m.generation(), true) +
		len(keys.LastSent) + shortRecord + m.markSize(remote)
	for _, e := range m.entries {
		if e.class == annotation && e.Kind == ToSend {
			size += e.size
		}
	}
	if size <= apivalidation.TotalAnnotationSizeLimitB {
		return
	}
	for _, e := range m.entries {
		if e.class == annotation && e.size > 0 {
			e.block(Immutable, AnnotationsTooLarge)
		}
	}
}

// differences returns all of them, by kind.
func (m *merge) differences() []Difference {
	var all []Difference
	for _, e := range m.entries {
		all = append(all, e.Difference)
	}
	all = append(all, m.fixed...)
	order := DifferenceKinds()
	slices.SortStableFunc(all, func(a, b Difference) int {
		return cmp.Compare(slices.Index(order, a.Kind), slices.Index(order, b.Kind))
	})
	return all
}
