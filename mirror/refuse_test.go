// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/mirror"
)

var trainKey = types.NamespacedName{Namespace: "research", Name: "train"}

func withCondition(c batchv1.JobConditionType, status corev1.ConditionStatus) func(*batchv1.Job) {
	return func(j *batchv1.Job) {
		j.Status.Conditions = append(j.Status.Conditions, batchv1.JobCondition{Type: c, Status: status})
	}
}

func TestBuildRefuses(t *testing.T) {
	no := errors.New("no such tenant")
	deleted := func(j *batchv1.Job) { j.DeletionTimestamp = &metav1.Time{} }
	tests := []struct {
		name  string
		local func(*batchv1.Job)
		admit error
		want  error // compared by type and fields; nil: not refused
		why   string
	}{{
		name:  "not delegated",
		local: func(j *batchv1.Job) { j.Spec.ManagedBy = nil },
		want:  &mirror.NotManagedError{Job: trainKey, Controller: dispatcher, ManagedBy: "kubernetes.io/job-controller"},
		why:   "the built-in controller runs it here",
	}, {
		name:  "delegated to another",
		local: func(j *batchv1.Job) { j.Spec.ManagedBy = ptr.To("acme.io/dispatcher2") },
		want:  &mirror.NotManagedError{Job: trainKey, Controller: dispatcher, ManagedBy: "acme.io/dispatcher2"},
	}, {
		name:  "being deleted",
		local: deleted,
		want:  &mirror.BeingDeletedError{Job: trainKey},
		why:   "a deletionTimestamp counts even if it is the zero time",
	}, {
		name:  "complete",
		local: withCondition(batchv1.JobComplete, corev1.ConditionTrue),
		want:  &mirror.FinishedError{Job: trainKey, Condition: batchv1.JobComplete},
	}, {
		name: "failed in a second entry",
		local: func(j *batchv1.Job) {
			withCondition(batchv1.JobFailed, corev1.ConditionFalse)(j)
			withCondition(batchv1.JobFailed, corev1.ConditionTrue)(j)
		},
		want: &mirror.FinishedError{Job: trainKey, Condition: batchv1.JobFailed},
		why:  "any entry of the type counts, not the first",
	}, {
		name:  "complete is false",
		local: withCondition(batchv1.JobComplete, corev1.ConditionFalse),
	}, {
		name:  "fate written but not finished",
		local: withCondition(batchv1.JobFailureTarget, corev1.ConditionTrue),
		why:   "a fate is not a result yet",
	}, {
		name:  "no UID",
		local: func(j *batchv1.Job) { j.UID = "" },
		want:  &mirror.NoIdentityError{Job: trainKey, Field: "metadata.uid"},
	}, {
		name:  "no namespace",
		local: func(j *batchv1.Job) { j.Namespace = "" },
		want:  &mirror.NoIdentityError{Job: types.NamespacedName{Name: "train"}, Field: "metadata.namespace"},
		why:   "its identity could not be read back",
	}, {
		name:  "a slash in the name",
		local: func(j *batchv1.Job) { j.Name = "a/b" },
		want:  &mirror.NoIdentityError{Job: types.NamespacedName{Namespace: "research", Name: "a/b"}, Field: "metadata.name"},
		why:   "its identity would be read back as that of another",
	}, {
		name:  "not admitted",
		local: func(*batchv1.Job) {},
		admit: no,
		want:  &mirror.NotAdmittedError{Job: trainKey, Target: trainKey, Err: no},
	}, {
		name:  "everything at once: management",
		local: func(j *batchv1.Job) { *j = batchv1.Job{}; deleted(j) },
		admit: no,
		want:  &mirror.NotManagedError{Controller: dispatcher, ManagedBy: "kubernetes.io/job-controller"},
		why:   "whose Job it is comes first",
	}, {
		name: "everything at once: deletion",
		local: func(j *batchv1.Job) {
			deleted(j)
			j.UID = ""
			withCondition(batchv1.JobComplete, corev1.ConditionTrue)(j)
		},
		admit: no,
		want:  &mirror.BeingDeletedError{Job: trainKey},
	}, {
		name: "everything at once: result",
		local: func(j *batchv1.Job) {
			j.UID = ""
			withCondition(batchv1.JobComplete, corev1.ConditionTrue)(j)
		},
		admit: no,
		want:  &mirror.FinishedError{Job: trainKey, Condition: batchv1.JobComplete},
	}, {
		name:  "everything at once: admission",
		local: func(j *batchv1.Job) { j.Name = strings.Repeat("n", 64) },
		admit: no,
		want: &mirror.NotAdmittedError{Job: types.NamespacedName{Namespace: "research", Name: strings.Repeat("n", 64)},
			Target: types.NamespacedName{Namespace: "research", Name: strings.Repeat("n", 64)}, Err: no},
		why: "a tenant that is refused is not told what the worker would think of the name",
	}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			local := storedJob(tt.local)
			before := local.DeepCopy()
			p := planner(t, func(p *mirror.Policy) {
				if tt.admit != nil {
					p.Admit = func(*batchv1.Job, types.NamespacedName) error { return tt.admit }
				}
			})
			got, err := p.Build(local)
			if !reflect.DeepEqual(tt.want, err) {
				t.Errorf("Build: %#v, want %#v: %s", err, tt.want, tt.why)
			}
			if (got == nil) != (err != nil) {
				t.Errorf("Build returned %v and %v", got, err)
			}
			if err != nil && !strings.HasPrefix(err.Error(), "mirror: ") {
				t.Errorf("message %q", err)
			}
			if local.DeletionTimestamp == nil || !local.DeletionTimestamp.IsZero() { // which is null in an object
				if _, errObject := p.BuildObject(jobKind(t), asObject(t, local)); !reflect.DeepEqual(err, errObject) {
					t.Errorf("BuildObject: %v, want %v", errObject, err)
				}
			}
			if tt.admit != nil && errors.As(err, new(*mirror.NotAdmittedError)) && !errors.Is(err, no) {
				t.Error("the cause cannot be found with errors.Is")
			}
			if diff := cmp.Diff(before, local); diff != "" {
				t.Errorf("Build changed the local Job (-before +after):\n%s", diff)
			}
		})
	}
}

func TestBuildRefusesNames(t *testing.T) {
	name := func(n int) string { return strings.Repeat("n", n) }
	indexed := func(completions *int32) func(*batchv1.Job) {
		return func(j *batchv1.Job) {
			j.Spec.CompletionMode, j.Spec.Completions = ptr.To(batchv1.IndexedCompletion), completions
		}
	}
	manual := func(j *batchv1.Job) { j.Spec.ManualSelector = ptr.To(true) }
	any := func(*batchv1.Job) {}
	tests := []struct {
		name      string
		local     func(*batchv1.Job)
		target    types.NamespacedName
		wantField string // "" is accepted
		why       string
	}{
		{"label value", any, types.NamespacedName{Name: name(63)}, "", "the longest label value"},
		{"longer than a label value", any, types.NamespacedName{Name: name(64)}, "metadata.name", "the job-name label cannot hold it"},
		{"dots", any, types.NamespacedName{Name: "a.b"}, "", "a subdomain is a name and a label value"},
		{"longest with dots", any, types.NamespacedName{Name: name(31) + "." + name(31)}, "", "63 bytes in all"},
		{"too long with dots", any, types.NamespacedName{Name: name(32) + "." + name(31)}, "metadata.name", "64 bytes in all"},
		{"upper case", any, types.NamespacedName{Name: "Train"}, "metadata.name", "a label value but no name"},
		{"leading dash", any, types.NamespacedName{Name: "-train"}, "metadata.name", ""},
		{"trailing dash", any, types.NamespacedName{Name: "train-"}, "metadata.name", ""},
		{"trailing dot", any, types.NamespacedName{Name: "train."}, "metadata.name", ""},
		{"underscore", any, types.NamespacedName{Name: "tr_ain"}, "metadata.name", ""},
		{"not ASCII", any, types.NamespacedName{Name: "zürich"}, "metadata.name", ""},
		{"manual selector, long", manual, types.NamespacedName{Name: name(253)}, "", "no label holds the name"},
		{"manual selector, too long", manual, types.NamespacedName{Name: name(254)}, "metadata.name", "no object has such a name"},
		{"namespace", any, types.NamespacedName{Namespace: name(63)}, "", ""},
		{"long namespace", any, types.NamespacedName{Namespace: name(64)}, "metadata.namespace", ""},
		{"namespace with a dot", any, types.NamespacedName{Namespace: "a.b"}, "metadata.namespace", "namespaces are labels"},
		{"indexed, last host fits", indexed(ptr.To[int32](10)), types.NamespacedName{Name: name(61)}, "", "n-9 has 63 bytes"},
		{"indexed, last host does not fit", indexed(ptr.To[int32](11)), types.NamespacedName{Name: name(61)}, "metadata.name", "n-10 has 64 bytes"},
		{"indexed, one pod", indexed(ptr.To[int32](1)), types.NamespacedName{Name: name(61)}, "", "n-0"},
		{"indexed, no pods", indexed(ptr.To[int32](0)), types.NamespacedName{Name: name(63)}, "", "no host, no host name"},
		{"indexed, dots", indexed(ptr.To[int32](2)), types.NamespacedName{Name: "a.b"}, "metadata.name", "a host name has no dots"},
		{"indexed, no pods, dots", indexed(ptr.To[int32](0)), types.NamespacedName{Name: "a.b"}, "", ""},
		{"indexed, malformed", indexed(nil), types.NamespacedName{Name: name(63)}, "", "no server stores it; the check is the same"},
		{"indexed, negative", indexed(ptr.To[int32](-5)), types.NamespacedName{Name: name(63)}, "", "likewise"},
		{"indexed, most pods", indexed(ptr.To[int32](1<<31 - 1)), types.NamespacedName{Name: name(52)}, "", "ten digits and a dash"},
		{"indexed, most pods, too long", indexed(ptr.To[int32](1<<31 - 1)), types.NamespacedName{Name: name(53)}, "metadata.name", ""},
		{"indexed and manual", func(j *batchv1.Job) { manual(j); indexed(ptr.To[int32](2))(j) }, types.NamespacedName{Name: name(62)}, "metadata.name", "the host name counts with any selector"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := planner(t, func(p *mirror.Policy) {
				p.Target = func(*batchv1.Job) types.NamespacedName { return tt.target }
			})
			local := storedJob(tt.local)
			_, err := p.Build(local)
			var bad *mirror.NameError
			if !errors.As(err, &bad) {
				if err != nil || tt.wantField != "" {
					t.Errorf("Build: %v, want an error of %q: %s", err, tt.wantField, tt.why)
				}
				return
			}
			for _, e := range bad.Errs {
				if e.Field != tt.wantField {
					t.Errorf("Build: %v, want %q: %s", e, tt.wantField, tt.why)
				}
			}
			if bad.Job != trainKey || bad.Target != p.TargetOf(local) {
				t.Errorf("Job %s, Target %s", bad.Job, bad.Target)
			}
		})
	}
}

// TestBuildRefusesOwnName checks that the name is looked at without a Target too: an elastic Job
// may have grown since a server accepted its name.
func TestBuildRefusesOwnName(t *testing.T) {
	local := storedJob(func(j *batchv1.Job) {
		j.Name = strings.Repeat("n", 61)
		j.Spec.CompletionMode = ptr.To(batchv1.IndexedCompletion)
		j.Spec.Completions, j.Spec.Parallelism = ptr.To[int32](11), ptr.To[int32](11)
	})
	_, err := planner(t).Build(local)
	if !errors.As(err, new(*mirror.NameError)) {
		t.Errorf("Build: %v, want a NameError", err)
	}
}

func TestBuildRefusesLargeAnnotations(t *testing.T) {
	const limit = 256 << 10
	p := planner(t)
	identity := len(localKey) + len("research/train") + len(uidKey) + len(storedJob().UID) + len(genKey) + len("3")
	for _, tt := range []struct {
		name     string
		size     int // of the local Job's annotations
		recorded bool
		refused  bool
	}{
		{"room for the record", limit - identity - 1000, true, false},
		{"room for the identity only", limit - identity, false, false},
		{"no room", limit - identity + 1, false, true},
		{"full", limit, false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			local := storedJob(func(j *batchv1.Job) {
				j.Annotations = map[string]string{"big": strings.Repeat("x", tt.size-len("big"))}
			})
			got, err := p.Build(local)
			var bad *mirror.TooLargeError
			if errors.As(err, &bad) != tt.refused {
				t.Fatalf("Build: %v", err)
			}
			if tt.refused {
				if bad.Size != tt.size+identity || bad.Limit != limit {
					t.Errorf("Size %d, Limit %d; want %d, %d", bad.Size, bad.Limit, tt.size+identity, limit)
				}
				return
			}
			if _, ok := got.Annotations[sentKey]; ok != tt.recorded {
				t.Errorf("last-sent recorded: %v, want %v", ok, tt.recorded)
			}
			size := 0
			for k, v := range got.Annotations {
				size += len(k) + len(v)
			}
			if size > limit {
				t.Errorf("annotations of %d bytes", size)
			}
			if p.Relate(mirror.Pair{Local: local, Remote: got}) != mirror.Ours {
				t.Error("the mirror is not ours")
			}
		})
	}
}

// TestAnnotationsNeverTooLarge tries every size for which the record only just fits, in full or in
// short.
func TestAnnotationsNeverTooLarge(t *testing.T) {
	const limit = 256 << 10
	p, fits := planner(t), 0
	for size := limit - 600; size < limit-150; size++ {
		local := storedJob(func(j *batchv1.Job) {
			j.Annotations = map[string]string{"big": strings.Repeat("x", size-len("big"))}
		})
		total := 0
		for k, v := range build(t, p, local).Annotations {
			total += len(k) + len(v)
		}
		if total > limit {
			t.Fatalf("local annotations of %d bytes make %d", size, total)
		}
		if total == limit {
			fits++
		}
	}
	if fits == 0 {
		t.Error("no size filled the room: the test tests nothing")
	}
}

// TestHooksSeeOnlyOurs checks that a Policy's functions are asked about Jobs that could be
// mirrored.
func TestHooksSeeOnlyOurs(t *testing.T) {
	var asked int
	p := planner(t, func(p *mirror.Policy) {
		p.Target = func(*batchv1.Job) types.NamespacedName { asked++; return types.NamespacedName{Namespace: "tenant-a"} }
		p.Admit = func(_ *batchv1.Job, target types.NamespacedName) error {
			asked++
			if want := (types.NamespacedName{Namespace: "tenant-a", Name: "train"}); target != want {
				t.Errorf("Admit was asked about %v, want %v", target, want)
			}
			return nil
		}
		p.DropKey = func(string, string) bool { asked++; return false }
	})
	if _, err := p.Build(storedJob(func(j *batchv1.Job) { j.Spec.ManagedBy = nil })); err == nil || asked > 0 {
		t.Errorf("err %v, hooks asked %d times about a Job that is not ours", err, asked)
	}
	if build(t, p, storedJob()); asked == 0 {
		t.Error("hooks were not asked")
	}
}
