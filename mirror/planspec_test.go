// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/mirror"
)

func elastic(j *batchv1.Job) {
	j.Spec.CompletionMode = ptr.To(batchv1.IndexedCompletion)
	j.Spec.Parallelism, j.Spec.Completions = ptr.To[int32](4), ptr.To[int32](4)
}

func nothing(*batchv1.Job) {}

func suspending(v bool) func(*batchv1.Job) {
	return func(j *batchv1.Job) { j.Spec.Suspend = ptr.To(v) }
}

func tolerate(keys ...string) func(*batchv1.Job) {
	return func(j *batchv1.Job) {
		j.Spec.Template.Spec.Tolerations = nil
		for _, key := range keys {
			j.Spec.Template.Spec.Tolerations = append(j.Spec.Template.Spec.Tolerations, corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists})
		}
	}
}

func limit(cpu string) func(*batchv1.Job) {
	return func(j *batchv1.Job) {
		j.Spec.Template.Spec.Containers[0].Resources.Limits = corev1.ResourceList{"cpu": resource.MustParse(cpu)}
	}
}

func onZone(zone string) func(*batchv1.Job) {
	return func(j *batchv1.Job) {
		j.Spec.Template.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
				MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "zone", Operator: corev1.NodeSelectorOpIn, Values: []string{zone}}},
			}}},
		}}
	}
}

func TestPlanSpec(t *testing.T) {
	for _, tt := range []struct {
		name, why string
		policy    func(*mirror.Policy)
		local     *batchv1.Job
		byWorker  func(*batchv1.Job)
		byUser    func(*batchv1.Job)
		want      []string // differences
		patch     string   // without preconditions and stamps
	}{
		// The user alone.
		{name: "suspends", byUser: suspending(true), why: "a user's change is sent",
			want: []string{"ToSend spec.suspend"}, patch: `{"spec":{"suspend":true}}`},
		{name: "resumes", local: storedJob(suspending(true)), byUser: suspending(false), why: "a user's change is sent",
			want: []string{"ToSend spec.suspend"}, patch: `{"spec":{"suspend":false}}`},
		{name: "changes every scalar", why: "each can change on every release",
			local: storedJob(elastic, func(j *batchv1.Job) { j.Spec.BackoffLimitPerIndex = ptr.To[int32](1) }),
			byUser: func(j *batchv1.Job) {
				j.Spec.Parallelism, j.Spec.BackoffLimit, j.Spec.MaxFailedIndexes = ptr.To[int32](3), ptr.To[int32](9), ptr.To[int32](2)
				j.Spec.ActiveDeadlineSeconds, j.Spec.PodReplacementPolicy = ptr.To[int64](9007199254740993), ptr.To(batchv1.Failed)
			},
			want: []string{"ToSend spec.parallelism", "ToSend spec.activeDeadlineSeconds", "ToSend spec.backoffLimit",
				"ToSend spec.maxFailedIndexes", "ToSend spec.podReplacementPolicy"},
			patch: `{"spec":{"activeDeadlineSeconds":9007199254740993,"backoffLimit":9,"maxFailedIndexes":2,"parallelism":3,"podReplacementPolicy":"Failed"}}`},
		{name: "removes the deadline", local: storedJob(func(j *batchv1.Job) { j.Spec.ActiveDeadlineSeconds = ptr.To[int64](9) }),
			byUser: func(j *batchv1.Job) { j.Spec.ActiveDeadlineSeconds = nil }, why: "null removes a field",
			want: []string{"ToSend spec.activeDeadlineSeconds"}, patch: `{"spec":{"activeDeadlineSeconds":null}}`},
		{name: "changes labels and annotations", why: "key by key, less what Build drops; the worker's keys stay",
			local: storedJob(func(j *batchv1.Job) {
				j.Labels = map[string]string{"team": "a", "old": "x"}
				j.Annotations = map[string]string{"note": strings.Repeat("n", 100)}
			}),
			byWorker: func(j *batchv1.Job) { j.Labels["queue"], j.Annotations["queue"] = "q", "q" },
			byUser: func(j *batchv1.Job) {
				j.Labels = map[string]string{"team": "b", "argocd.argoproj.io/instance": "x"}
				j.Annotations = map[string]string{"note": strings.Repeat("m", 100)}
			},
			want: []string{"ToSend metadata.labels[old]", "ToSend metadata.labels[team]", "ToSend metadata.annotations[note]",
				"SetByWorker metadata.labels[queue]", "SetByWorker metadata.annotations[queue]"},
			patch: `{"metadata":{"annotations":{"note":"` + strings.Repeat("m", 100) + `"},"labels":{"old":null,"team":"b"}}}`},
		{name: "tries to take the identity", why: "a local label of that key is never copied",
			byUser: func(j *batchv1.Job) {
				j.Labels, j.Annotations = map[string]string{originKey: "evil"}, map[string]string{uidKey: "evil", sentKey: "evil"}
			}},
		{name: "ttl", byUser: func(j *batchv1.Job) { j.Spec.TTLSecondsAfterFinished = ptr.To[int32](7) }, why: "the mirror has none"},
		{name: "ttl, kept", byUser: func(j *batchv1.Job) { j.Spec.TTLSecondsAfterFinished = ptr.To[int32](7) }, why: "KeepTTL",
			policy: func(p *mirror.Policy) { p.KeepTTL = true },
			want:   []string{"ToSend spec.ttlSecondsAfterFinished"}, patch: `{"spec":{"ttlSecondsAfterFinished":7}}`},

		// Elastic Indexed Jobs.
		{name: "scales an elastic Job", local: storedJob(elastic), why: "both at once",
			byUser: func(j *batchv1.Job) { j.Spec.Parallelism, j.Spec.Completions = ptr.To[int32](7), ptr.To[int32](7) },
			want:   []string{"ToSend spec.parallelism", "ToSend spec.completions"}, patch: `{"spec":{"completions":7,"parallelism":7}}`},
		{name: "makes completions equal", why: "parallelism has the value already",
			local:  storedJob(elastic, func(j *batchv1.Job) { j.Spec.Completions = ptr.To[int32](9) }),
			byUser: func(j *batchv1.Job) { j.Spec.Completions = ptr.To[int32](4) },
			want:   []string{"ToSend spec.completions"}, patch: `{"spec":{"completions":4}}`},
		{name: "makes completions equal, queue scaled", why: "completions are refused without the parallelism",
			local:    storedJob(elastic, func(j *batchv1.Job) { j.Spec.Completions = ptr.To[int32](9) }),
			byWorker: func(j *batchv1.Job) { j.Spec.Parallelism = ptr.To[int32](2) },
			byUser:   func(j *batchv1.Job) { j.Spec.Completions = ptr.To[int32](4) },
			want:     []string{"ToSend spec.parallelism overrides", "ToSend spec.completions"}, patch: `{"spec":{"completions":4,"parallelism":4}}`},
		{name: "completions alone, parallelism ignored", why: "they would not be equal",
			policy:   func(p *mirror.Policy) { p.IgnoreFields = []string{"spec.parallelism"} },
			local:    storedJob(elastic),
			byWorker: func(j *batchv1.Job) { j.Spec.Parallelism = ptr.To[int32](2) },
			byUser:   func(j *batchv1.Job) { j.Spec.Parallelism, j.Spec.Completions = ptr.To[int32](7), ptr.To[int32](7) },
			want:     []string{"Immutable spec.completions CompletionsImmutable"}},
		{name: "completions of a NonIndexed Job", why: "no management server takes that, but a fake might",
			byUser: func(j *batchv1.Job) { j.Spec.Completions = ptr.To[int32](2) },
			want:   []string{"Immutable spec.completions CompletionsImmutable"}},
		{name: "more failures than the worker's completions", why: "refused across fields",
			local: storedJob(elastic, func(j *batchv1.Job) {
				j.Spec.BackoffLimitPerIndex, j.Spec.MaxFailedIndexes = ptr.To[int32](1), ptr.To[int32](2)
			}),
			byWorker: func(j *batchv1.Job) { j.Spec.Completions, j.Spec.Parallelism = ptr.To[int32](3), ptr.To[int32](3) },
			byUser:   func(j *batchv1.Job) { j.Spec.MaxFailedIndexes = ptr.To[int32](4) },
			want:     []string{"Immutable spec.maxFailedIndexes IndexLimits", "SetByWorker spec.parallelism", "SetByWorker spec.completions"}},

		// The worker alone.
		{name: "queue suspends", byWorker: suspending(true), byUser: nothing, why: "never fought", want: []string{"SetByWorker spec.suspend"}},
		{name: "queue resumes", local: storedJob(suspending(true)), byWorker: suspending(false), byUser: nothing, why: "never fought",
			want: []string{"SetByWorker spec.suspend"}},
		{name: "queue admits in part", byWorker: func(j *batchv1.Job) { j.Spec.Parallelism = ptr.To[int32](1) }, byUser: nothing, why: "never fought",
			want: []string{"SetByWorker spec.parallelism"}},
		{name: "queue injects a node selector", local: templateJob(), why: "never fought",
			byWorker: func(j *batchv1.Job) { j.Spec.Template.Spec.NodeSelector["pool"] = "p" }, byUser: nothing,
			want: []string{"SetByWorker spec.template.spec.nodeSelector[pool]"}},
		{name: "webhook changes the image and adds a sidecar", why: "drift is reported, never fought, never a result",
			byWorker: func(j *batchv1.Job) {
				pod := &j.Spec.Template.Spec
				pod.Containers[0].Image = "mirror.example.com/busybox"
				pod.Containers = append(pod.Containers, corev1.Container{Name: "sidecar", Image: "s"})
			}, byUser: nothing,
			want: []string{"SetByWorker spec.template.spec.containers[main].image", "SetByWorker spec.template.spec.containers[sidecar]"}},
		{name: "webhook adds gates and tolerations, removes one", local: templateJob(), why: "element by element",
			byWorker: func(j *batchv1.Job) {
				tolerate("b", "w")(j)
				j.Spec.Template.Spec.SchedulingGates = append(j.Spec.Template.Spec.SchedulingGates, corev1.PodSchedulingGate{Name: "example.com/w"})
			}, byUser: nothing,
			want: []string{"SetByWorker spec.template.spec.tolerations", "SetByWorker spec.template.spec.tolerations", "SetByWorker spec.template.spec.schedulingGates"}},
		{name: "managedBy on the worker", byWorker: func(j *batchv1.Job) { j.Spec.ManagedBy = ptr.To("example.com/x") }, byUser: nothing, why: "not what Build wrote",
			want: []string{"SetByWorker spec.managedBy"}},

		// Both.
		{name: "both change the same field", why: "local wins, and it is said",
			byWorker: func(j *batchv1.Job) { j.Spec.Parallelism = ptr.To[int32](1) },
			byUser:   func(j *batchv1.Job) { j.Spec.Parallelism = ptr.To[int32](3) },
			want:     []string{"ToSend spec.parallelism overrides"}, patch: `{"spec":{"parallelism":3}}`},
		{name: "both change different fields", why: "each its own",
			byWorker: suspending(true), byUser: func(j *batchv1.Job) { j.Spec.Parallelism = ptr.To[int32](3) },
			want: []string{"ToSend spec.parallelism", "SetByWorker spec.suspend"}, patch: `{"spec":{"parallelism":3}}`},
		{name: "both make the same change", byWorker: suspending(true), byUser: suspending(true), why: "nothing is left to send"},
		{name: "the worker was first to undo", local: storedJob(suspending(true)), byWorker: suspending(false), byUser: suspending(false), why: "a queue has resumed it already"},

		// The template, while suspended.
		{name: "node selector", local: templateJob(), why: "key by key",
			byWorker: func(j *batchv1.Job) { j.Spec.Template.Spec.NodeSelector["pool"] = "p" },
			byUser: func(j *batchv1.Job) {
				j.Spec.Template.Spec.NodeSelector = map[string]string{"gpu": "yes"}
				j.Spec.Template.Labels["app"], j.Spec.Template.Annotations = "y", nil
			},
			want: []string{"ToSend spec.template.metadata.labels[app]", "ToSend spec.template.metadata.annotations[note]",
				"ToSend spec.template.spec.nodeSelector[disk]", "ToSend spec.template.spec.nodeSelector[gpu]", "SetByWorker spec.template.spec.nodeSelector[pool]"},
			patch: `{"spec":{"template":{"metadata":{"annotations":{"note":null},"labels":{"app":"y"}},"spec":{"nodeSelector":{"disk":null,"gpu":"yes"}}}}}`},
		{name: "removes the last labels", why: "key by key: identity and generated labels stay",
			local:  templateJob(func(j *batchv1.Job) { j.Labels = map[string]string{"team": "a"} }),
			byUser: func(j *batchv1.Job) { j.Labels = nil; delete(j.Spec.Template.Labels, "app") },
			want:   []string{"ToSend metadata.labels[team]", "ToSend spec.template.metadata.labels[app]"},
			patch:  `{"metadata":{"labels":{"team":null}},"spec":{"template":{"metadata":{"labels":{"app":null}}}}}`},
		{name: "tolerations", local: templateJob(), why: "a list is sent whole, with the worker's own",
			byWorker: tolerate("b", "w", "a"), byUser: tolerate("c", "b"),
			want:  []string{"ToSend spec.template.spec.tolerations", "ToSend spec.template.spec.tolerations", "SetByWorker spec.template.spec.tolerations"},
			patch: `{"spec":{"template":{"spec":{"tolerations":[{"key":"b","operator":"Exists"},{"key":"w","operator":"Exists"},{"key":"c","operator":"Exists"}]}}}}`},
		{name: "reorders tolerations", local: templateJob(), byUser: tolerate("b", "a"), why: "their order means nothing"},
		{name: "removes the gate", local: templateJob(), byUser: func(j *batchv1.Job) { j.Spec.Template.Spec.SchedulingGates = nil }, why: "the last of a list",
			want: []string{"ToSend spec.template.spec.schedulingGates"}, patch: `{"spec":{"template":{"spec":{"schedulingGates":null}}}}`},
		{name: "node affinity", local: templateJob(), byUser: onZone("a"), why: "as a whole",
			want:  []string{"ToSend spec.template.spec.affinity.nodeAffinity"},
			patch: `{"spec":{"template":{"spec":{"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"zone","operator":"In","values":["a"]}]}]}}}}}}}`},
		{name: "removes the node affinity", local: templateJob(onZone("a")), why: "nothing is left of the affinity",
			byUser: func(j *batchv1.Job) { j.Spec.Template.Spec.Affinity = nil },
			want:   []string{"ToSend spec.template.spec.affinity.nodeAffinity"}, patch: `{"spec":{"template":{"spec":{"affinity":null}}}}`},
		{name: "removes the node affinity, keeps another", why: "only node affinity may change",
			local: templateJob(onZone("a"), func(j *batchv1.Job) { j.Spec.Template.Spec.Affinity.PodAffinity = &corev1.PodAffinity{} }),
			byUser: func(j *batchv1.Job) {
				j.Spec.Template.Spec.Affinity = &corev1.Affinity{PodAffinity: &corev1.PodAffinity{}}
			},
			want: []string{"ToSend spec.template.spec.affinity.nodeAffinity"}, patch: `{"spec":{"template":{"spec":{"affinity":{"nodeAffinity":null}}}}}`},
		{name: "resources", local: templateJob(limit("1")), byUser: limit("2"), why: "a list is sent whole, with the sidecar of a webhook",
			byWorker: func(j *batchv1.Job) {
				j.Spec.Template.Spec.Containers = append([]corev1.Container{{Name: "sidecar"}}, j.Spec.Template.Spec.Containers...)
			},
			want:  []string{"ToSend spec.template.spec.containers[main].resources", "SetByWorker spec.template.spec.containers[sidecar]"},
			patch: `{"spec":{"template":{"spec":{"containers":[{"name":"sidecar","resources":{}},{"image":"busybox","name":"main","resources":{"limits":{"cpu":"2"}}}]}}}}`},
		{name: "the same resources in another form", local: templateJob(limit("1")), byUser: limit("1000m"), why: "compared by what they are"},
		{name: "template change and resume", local: templateJob(), why: "one patch, because the server goes by the old object",
			byUser: func(j *batchv1.Job) { suspending(false)(j); j.Spec.Template.Spec.NodeSelector["gpu"] = "yes" },
			want:   []string{"ToSend spec.suspend", "ToSend spec.template.spec.nodeSelector[gpu]"},
			patch:  `{"spec":{"suspend":false,"template":{"spec":{"nodeSelector":{"gpu":"yes"}}}}}`},
		{name: "template of a manual selector", why: "its four labels are the user's",
			local: templateJob(func(j *batchv1.Job) {
				j.Spec.ManualSelector = ptr.To(true)
				j.Spec.Template.Labels = map[string]string{"job-name": "mine"}
				j.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}}
			}),
			byUser: func(j *batchv1.Job) { j.Spec.Template.Labels["job-name"] = "other" },
			want:   []string{"ToSend spec.template.metadata.labels[job-name]"}, patch: `{"spec":{"template":{"metadata":{"labels":{"job-name":"other"}}}}}`},

		// Knobs.
		{name: "suspended at creation only", policy: func(p *mirror.Policy) { p.Suspend = mirror.SuspendAtCreation }, byUser: suspending(true),
			why: "the worker's queue has the say"},
		{name: "suspended at creation only, other fields", policy: func(p *mirror.Policy) { p.Suspend = mirror.SuspendAtCreation },
			byUser: func(j *batchv1.Job) { suspending(true)(j); j.Spec.Parallelism = ptr.To[int32](3) }, why: "they are sent",
			want: []string{"ToSend spec.parallelism"}, patch: `{"spec":{"parallelism":3}}`},
		{name: "ignored field with a longer neighbour", why: "a path ends with its name",
			policy: func(p *mirror.Policy) { p.IgnoreFields = []string{"spec.backoffLimit"} },
			byWorker: func(j *batchv1.Job) {
				j.Spec.BackoffLimit, j.Spec.BackoffLimitPerIndex = ptr.To[int32](1), ptr.To[int32](1)
			},
			byUser: nothing,
			want:   []string{"SetByWorker spec.backoffLimitPerIndex"}},
		{name: "ignored fields", local: templateJob(), why: "neither sent nor reported",
			policy: func(p *mirror.Policy) {
				p.IgnoreFields = []string{"spec.parallelism", "spec.template.spec.nodeSelector", "metadata.labels[x.io/a]", "spec.template.spec.containers[main].image"}
			},
			byWorker: func(j *batchv1.Job) {
				j.Spec.Template.Spec.NodeSelector["w"] = "w"
				j.Spec.Template.Spec.Containers[0].Image = "other"
			},
			byUser: func(j *batchv1.Job) {
				j.Spec.Parallelism, j.Spec.BackoffLimit = ptr.To[int32](9), ptr.To[int32](9)
				j.Spec.Template.Spec.NodeSelector["u"] = "u"
				j.Labels = map[string]string{"x.io/a": "b", "x.io/ab": "c"}
			},
			want:  []string{"ToSend spec.backoffLimit", "ToSend metadata.labels[x.io/ab]"},
			patch: `{"metadata":{"labels":{"x.io/ab":"c"}},"spec":{"backoffLimit":9}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := planner(t, append([]func(*mirror.Policy){}, orNone(tt.policy))...)
			local := tt.local
			if local == nil {
				local = storedJob()
			}
			remote := storedMirror(build(t, p, local))
			if tt.byWorker != nil {
				tt.byWorker(remote)
			}
			local = byUser(local, tt.byUser)
			localBefore, remoteBefore := local.DeepCopy(), remote.DeepCopy()
			plan := p.PlanSpec(mirror.Pair{Local: local, Remote: remote})
			if d := cmp.Diff(tt.want, told(plan.Differences)); d != "" {
				t.Errorf("%s: differences (-want +got):\n%s", tt.why, d)
			}
			if d := cmp.Diff(tt.patch, changes(t, plan.Patch)); d != "" {
				t.Errorf("%s: patch (-want +got):\n%s", tt.why, d)
			}
			if d := cmp.Diff(localBefore, local) + cmp.Diff(remoteBefore, remote); d != "" {
				t.Errorf("PlanSpec changed an argument:\n%s", d)
			}
			settles(t, p, local, patched(t, remote, plan.Patch), told(plan.Differences))
		})
	}
}

func orNone(f func(*mirror.Policy)) func(*mirror.Policy) {
	if f == nil {
		return func(*mirror.Policy) {}
	}
	return f
}

// settles wants nothing more to be sent, what is pending to be reported again, and the mirror to be
// still ours.
func settles(t *testing.T, p *mirror.Planner, local, remote *batchv1.Job, before []string) {
	t.Helper()
	if r := p.Relate(mirror.Pair{Local: local, Remote: remote}); r != mirror.Ours {
		t.Errorf("the patch made the mirror %s", r)
	}
	if !ptr.Deref(local.Spec.ManualSelector, false) && remote.Spec.Template.Labels["batch.kubernetes.io/controller-uid"] != string(workerUID) {
		t.Errorf("the patch changed the generated labels: %v", remote.Spec.Template.Labels)
	}
	again := p.PlanSpec(mirror.Pair{Local: local, Remote: remote})
	if again.Patch != nil {
		t.Errorf("carried out and planned again: %s", again.Patch)
	}
	isPending := func(list []string) (pending []string) {
		for _, s := range list {
			if strings.HasPrefix(s, "Immutable") || strings.HasPrefix(s, "NotYet") {
				pending = append(pending, s)
			}
		}
		return pending
	}
	if d := cmp.Diff(isPending(before), isPending(told(again.Differences))); d != "" {
		t.Errorf("what is pending (-first plan +next plan):\n%s", d)
	}
}
