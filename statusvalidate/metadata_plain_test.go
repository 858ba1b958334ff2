// SPDX-License-Identifier: Apache-2.0

package statusvalidate_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/statusvalidate"
)

// storedMetadata is that of a Job of a CronJob.
func storedMetadata() metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name: "sample-x7", GenerateName: "sample-", Namespace: "team-a", UID: "u1", ResourceVersion: "7", Generation: 2,
		CreationTimestamp: metav1.Unix(1_760_000_000, 0),
		Labels:            map[string]string{"app": "Sample_1.0", "batch.kubernetes.io/job-name": "sample-x7", "empty": ""},
		Annotations:       map[string]string{"acme.io/note": "any text, é and so on"},
		OwnerReferences: []metav1.OwnerReference{
			{APIVersion: "batch/v1", Kind: "CronJob", Name: "sample", UID: "u0", Controller: ptr.To(true)},
			{APIVersion: "v1", Kind: "ConfigMap", Name: "other", UID: "u9", Controller: ptr.To(false)},
		},
		Finalizers:    []string{"acme.io/mirror", "batch.kubernetes.io/job-tracking"},
		ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "controller", Operation: metav1.ManagedFieldsOperationUpdate}},
	}
}

func deletedMetadata() metav1.ObjectMeta {
	m := storedMetadata()
	m.DeletionTimestamp, m.DeletionGracePeriodSeconds = at(0), ptr.To[int64](0)
	return m
}

// TestPlainMetadata pins which updates go the short way, so that it does not become longer unseen.
func TestPlainMetadata(t *testing.T) {
	for _, tt := range []struct {
		name   string
		stored metav1.ObjectMeta
		send   func(*metav1.ObjectMeta)
	}{
		{"as it is", storedMetadata(), func(*metav1.ObjectMeta) {}},
		{"without anything optional", metav1.ObjectMeta{Name: "j", Namespace: "n"}, func(*metav1.ObjectMeta) {}},
		{"a label and an annotation more", storedMetadata(), func(m *metav1.ObjectMeta) {
			m.Labels["acme.io/worker"], m.Annotations["note"] = "east", ""
		}},
		{"the largest annotations", storedMetadata(), func(m *metav1.ObjectMeta) {
			m.Annotations = map[string]string{"k": strings.Repeat("v", 256<<10-1)}
		}},
		{"a finalizer more", storedMetadata(), func(m *metav1.ObjectMeta) { m.Finalizers = append(m.Finalizers, "acme.io/more") }},
		{"identity is left out", storedMetadata(), func(m *metav1.ObjectMeta) { m.UID, m.ResourceVersion = "", "" }},
		{"what the server fills in is left out", deletedMetadata(), func(m *metav1.ObjectMeta) {
			m.Generation, m.CreationTimestamp, m.ManagedFields = 0, metav1.Time{}, nil
			m.DeletionTimestamp, m.DeletionGracePeriodSeconds = nil, nil
		}},
		{"being deleted", deletedMetadata(), func(*metav1.ObjectMeta) {}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := statusvalidate.Change{Old: &batchv1.Job{ObjectMeta: tt.stored}, New: &batchv1.Job{ObjectMeta: *tt.stored.DeepCopy()}}
			tt.send(&c.New.ObjectMeta)
			if !statusvalidate.PlainMetadata(c) {
				t.Error("it goes the long way")
			}
			if errs := statusvalidate.MetadataErrors(c); len(errs) > 0 {
				t.Errorf("the long way finds %v", errs)
			}
			if n := testing.AllocsPerRun(5, func() { statusvalidate.ValidateMetadata(c) }); n != 0 {
				t.Errorf("ValidateMetadata makes %v allocations", n)
			}
		})
	}
}

// TestPlainMetadataBothWays sends random updates both ways.
func TestPlainMetadataBothWays(t *testing.T) {
	const updates = 20_000
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	plain, accepted := 0, 0
	for range updates {
		c := randomMetadata(random)
		checkBothWays(t, c)
		if statusvalidate.PlainMetadata(c) {
			plain++
		}
		if len(statusvalidate.MetadataErrors(c)) == 0 {
			accepted++
		}
	}
	t.Logf("%d of %d accepted, %d of them the short way", accepted, updates, plain)
	if accepted*4 < updates || accepted*4 > updates*3 || plain*2 < accepted {
		t.Error("that shows little")
	}
}

// checkBothWays fails if the short way accepts what the long way does not.
func checkBothWays(t *testing.T, c statusvalidate.Change) {
	t.Helper()
	if errs := statusvalidate.MetadataErrors(c); len(errs) > 0 && statusvalidate.PlainMetadata(c) {
		t.Errorf("accepted the short way: %v\nold %s\nnew %s", errs, encode(t, c.Old), encode(t, c.New))
	}
	long, short := fmt.Sprint(statusvalidate.MetadataErrors(c)), fmt.Sprint(statusvalidate.ValidateMetadata(c))
	if diff := cmp.Diff(long, short); diff != "" {
		t.Errorf("(-the long way +ValidateMetadata):\n%s", diff)
	}
}

// FuzzPlainMetadata does the same with any metadata that decodes.
func FuzzPlainMetadata(f *testing.F) {
	random := rand.New(rand.NewPCG(seed, 1))
	for range 50 {
		c := randomMetadata(random)
		f.Add(encode(f, c.Old), encode(f, c.New))
	}
	f.Fuzz(func(t *testing.T, old, changed []byte) {
		c := statusvalidate.Change{Old: &batchv1.Job{}, New: &batchv1.Job{}}
		if json.Unmarshal(old, c.Old) == nil && json.Unmarshal(changed, c.New) == nil {
			checkBothWays(t, c)
		}
	})
}

// randomMetadata is an update with a few edits, at times in what is stored too.
func randomMetadata(random *rand.Rand) statusvalidate.Change {
	edit := func(m *metav1.ObjectMeta) { metadataEdits[random.IntN(len(metadataEdits))](random, m) }
	old := storedMetadata()
	if random.IntN(3) == 0 {
		old = deletedMetadata()
	}
	if random.IntN(3) == 0 {
		edit(&old)
	}
	changed := *old.DeepCopy()
	for range random.IntN(3) {
		edit(&changed)
	}
	return statusvalidate.Change{Old: &batchv1.Job{ObjectMeta: old}, New: &batchv1.Job{ObjectMeta: changed}}
}

func oneOf[T any](random *rand.Rand, values ...T) T { return values[random.IntN(len(values))] }

// someKeys, someValues and someNames are what an API server takes, what it does not, and what is rare.
var (
	someKeys = []string{
		"app", "acme.io/x", "A.b_c-9", "Acme.io/x", "", "/", "a/", "/a", "a/b/c", "-a", "a b", "é", "a/-", "a./b", "a..b/c", "a_b/c",
		strings.Repeat("k", 63), strings.Repeat("k", 64), strings.Repeat("p", 253) + "/k", strings.Repeat("p", 254) + "/k",
	}
	someValues = []string{"", "v", "V_1.x", "-", "a b", "é", "a/b", strings.Repeat("v", 63), strings.Repeat("v", 64)}
	someNames  = []string{"", "sample-x7", "other", "a.b", "Other", "with_underscore", ".", "..", "a/b", "a%b", strings.Repeat("n", 63), strings.Repeat("n", 64)}
)

var metadataEdits = []func(*rand.Rand, *metav1.ObjectMeta){
	func(r *rand.Rand, m *metav1.ObjectMeta) {
		setIn(&m.Labels, oneOf(r, someKeys...), oneOf(r, someValues...))
	},
	func(r *rand.Rand, m *metav1.ObjectMeta) { setIn(&m.Labels, "app", oneOf(r, someValues...)) },
	func(r *rand.Rand, m *metav1.ObjectMeta) { setIn(&m.Annotations, oneOf(r, someKeys...), "any text") },
	func(r *rand.Rand, m *metav1.ObjectMeta) {
		m.Annotations = map[string]string{"k": strings.Repeat("v", 256<<10-1+oneOf(r, 0, 1))}
	},
	func(r *rand.Rand, m *metav1.ObjectMeta) { m.Labels, m.Annotations = nil, nil },
	func(r *rand.Rand, m *metav1.ObjectMeta) {
		m.Finalizers = append(m.Finalizers, oneOf(r, append(someKeys, "kubernetes", "orphan", "foregroundDeletion")...))
	},
	func(r *rand.Rand, m *metav1.ObjectMeta) {
		m.Finalizers = oneOf(r, nil, m.Finalizers[:len(m.Finalizers)/2])
	},
	func(r *rand.Rand, m *metav1.ObjectMeta) {
		m.OwnerReferences = append(m.OwnerReferences, randomOwner(r))
	},
	func(r *rand.Rand, m *metav1.ObjectMeta) { m.OwnerReferences = nil },
	func(r *rand.Rand, m *metav1.ObjectMeta) { m.Name = oneOf(r, someNames...) },
	func(r *rand.Rand, m *metav1.ObjectMeta) { m.GenerateName = oneOf(r, someNames...) },
	func(r *rand.Rand, m *metav1.ObjectMeta) { m.Namespace = oneOf(r, someNames...) },
	func(r *rand.Rand, m *metav1.ObjectMeta) { m.UID = oneOf[types.UID](r, "", "u1", "u2") },
	func(r *rand.Rand, m *metav1.ObjectMeta) { m.ResourceVersion = oneOf(r, "", "8") },
	func(r *rand.Rand, m *metav1.ObjectMeta) { m.Generation = oneOf[int64](r, -1, 0, 1, 9) },
	func(r *rand.Rand, m *metav1.ObjectMeta) {
		m.CreationTimestamp = oneOf(r, metav1.Time{}, metav1.Unix(1, 0))
	},
	func(r *rand.Rand, m *metav1.ObjectMeta) {
		m.DeletionTimestamp = oneOf(r, nil, &metav1.Time{}, ptr.To(metav1.Unix(1, 0)))
	},
	func(r *rand.Rand, m *metav1.ObjectMeta) {
		m.DeletionGracePeriodSeconds = oneOf(r, nil, ptr.To[int64](0), ptr.To[int64](30))
	},
	func(r *rand.Rand, m *metav1.ObjectMeta) {
		m.ManagedFields = []metav1.ManagedFieldsEntry{{Operation: "Nonsense"}}
	},
}

func setIn(m *map[string]string, key, value string) {
	if *m == nil {
		*m = map[string]string{}
	}
	(*m)[key] = value
}

// randomOwner is a plain one but for one field, and often the second controller.
func randomOwner(r *rand.Rand) metav1.OwnerReference {
	owner := metav1.OwnerReference{APIVersion: "v1", Kind: "Pod", Name: "o", UID: "u"}
	switch r.IntN(6) {
	case 0:
		owner.APIVersion = oneOf(r, "batch/v1", "", "/", "/v1", "a/", "a/b/c")
	case 1:
		owner.Kind = oneOf(r, "", "Event")
	case 2:
		owner.Name = ""
	case 3:
		owner.UID = ""
	case 4:
		owner.Controller = ptr.To(true)
	}
	return owner
}

// TestPlainKeys compares the loops over bytes with the expressions of apimachinery, in all strings of up
// to four of these pieces and in long ones.
func TestPlainKeys(t *testing.T) {
	pieces := []string{"a", "z", "A", "Z", "0", "9", "-", ".", "_", "/", "é", " ", "\n"}
	all, last := []string{""}, []string{""}
	for range 4 {
		var next []string
		for _, s := range last {
			for _, piece := range pieces {
				next = append(next, s+piece)
			}
		}
		all, last = append(all, next...), next
	}
	for _, n := range []int{62, 63, 64, 251, 252, 253, 254} {
		word := strings.Repeat("w", n)
		all = append(all, word, "p/"+word, word+"/w", "p."+word+"/w", word+".p", "-"+word, word+"-")
	}
	for b := range 256 { // every byte in every place
		c := string([]byte{byte(b)})
		all = append(all, c, c+"a", "a"+c, "a"+c+"a", c+"/a", "a"+c+"a/a")
	}
	for _, s := range all {
		for name, tt := range map[string]struct{ got, want bool }{
			"a qualified name": {statusvalidate.PlainKey(s), validation.IsQualifiedName(s) == nil},
			"a label's value":  {statusvalidate.PlainWord(s) || s == "", validation.IsValidLabelValue(s) == nil},
			"a DNS subdomain":  {statusvalidate.PlainSubdomain(s), validation.IsDNS1123Subdomain(s) == nil},
			"a DNS label":      {statusvalidate.PlainLabel(s) && len(s) <= 63, validation.IsDNS1123Label(s) == nil},
		} {
			if tt.got != tt.want {
				t.Errorf("%q is %s: %v, and apimachinery says %v", s, name, tt.got, tt.want)
			}
		}
	}
}
