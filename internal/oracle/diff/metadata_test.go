// SPDX-License-Identifier: Apache-2.0

package diff_test

import (
	"cmp"
	"flag"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/internal/jobgen"
	"github.com/managedby-dev/managedby/internal/oracle/ask"
	"github.com/managedby-dev/managedby/internal/oracle/wire"
	"github.com/managedby-dev/managedby/statusvalidate"
)

var numMetadata = flag.Int("metadata", 5_000, "how many updates of metadata each API server is asked about")

// TestMetadata compares ValidateMetadata. A server says some things twice, and says what is wrong with
// several labels in the order of a map: errors are compared each once, field by field in the server's
// order. The wording is that of the apimachinery of each server.
func TestMetadata(t *testing.T) {
	g, random := jobgen.New(*seed), rand.New(rand.NewPCG(*seed, 3))
	generate := func(n int) (u updates) {
		for i := range n {
			stored, written := g.Change()
			editMetadata(random, &stored.ObjectMeta, &written.ObjectMeta)
			u.changes = append(u.changes, statusvalidate.Change{Old: stored, New: written})
			u.lines = append(u.lines, line(slim(stored, i), slim(written, i), `,"metadata":true`))
		}
		return u
	}
	servers := stream(t, *numMetadata, generate, func(s *server, u updates) {
		for i, answer := range s.answers(u.lines) {
			ours, err := ask.Errors(statusvalidate.ValidateMetadata(u.changes[i]))
			if err != nil {
				s.fault("%v", err)
			}
			theirs := eachOnce(onlyMetadata(answer.Errors))
			if want, got := comparable(s, theirs), comparable(s, ours); !reflect.DeepEqual(want, got) {
				s.fault("(-server +ours)\n%s\n%s", gocmp.Diff(want, got), u.lines[i])
			}
			if len(theirs) > 0 {
				s.counts["refused"]++
			}
		}
	})
	for _, s := range servers {
		if refused := s.counts["refused"]; refused*4 < s.asked || refused*4 > s.asked*3 {
			t.Errorf("%v: %d of %d refused: that shows little", s.Config, refused, s.asked)
		}
	}
}

func onlyMetadata(errs []wire.Error) (some []wire.Error) {
	for _, err := range errs {
		if strings.HasPrefix(err.Field, "metadata") {
			some = append(some, err)
		}
	}
	return some
}

func eachOnce(errs []wire.Error) (once []wire.Error) {
	for _, err := range errs {
		if !slices.ContainsFunc(once, func(e wire.Error) bool { return reflect.DeepEqual(e, err) }) {
			once = append(once, err)
		}
	}
	return once
}

// comparable leaves out what depends on the apimachinery that a program is built with: the details, and in
// other releases than the newest all but the fields that are wrong. What is said of owner references and
// of finalizers has changed.
func comparable(s *server, errs []wire.Error) (all []wire.Error) {
	if s.Release == newest() {
		return byValue(errs)
	}
	for _, err := range errs {
		parts := strings.FieldsFunc(err.Field, func(r rune) bool { return r == '.' || r == '[' })
		all = append(all, wire.Error{Field: parts[min(1, len(parts)-1)]})
	}
	return eachOnce(byValue(all))
}

// newest is the release whose apimachinery this test is built with.
var newest = sync.OnceValue(func() string {
	releases, err := ask.Releases()
	if err != nil {
		panic(err)
	}
	return releases[len(releases)-1]
})

// byValue sorts the errors of each field, and leaves the details out.
func byValue(errs []wire.Error) []wire.Error {
	var fields []string
	for _, err := range errs {
		fields = append(fields, err.Field)
	}
	sorted := ask.WithoutDetails(errs)
	slices.SortStableFunc(sorted, func(a, b wire.Error) int {
		return cmp.Or(cmp.Compare(slices.Index(fields, a.Field), slices.Index(fields, b.Field)),
			cmp.Compare(a.Type, b.Type), cmp.Compare(string(a.BadValue), string(b.BadValue)))
	})
	return sorted
}

// editMetadata changes a few things in what is written, and sometimes before that in what is stored.
func editMetadata(random *rand.Rand, stored, written *metav1.ObjectMeta) {
	if random.IntN(4) == 0 {
		now := metav1.NewTime(time.Unix(1_760_000_000, 0).UTC())
		stored.DeletionTimestamp, stored.DeletionGracePeriodSeconds = &now, ptr.To[int64](0)
		stored.Finalizers = []string{"acme.io/hold", "foregroundDeletion"}
		*written = *stored.DeepCopy()
	}
	for range random.IntN(4) {
		metadataEdits[random.IntN(len(metadataEdits))](random, written)
	}
}

func one[T any](random *rand.Rand, values ...T) T { return values[random.IntN(len(values))] }

var (
	someKeys = []string{
		"app", "acme.io/x", "", "/", "a/", "/a", "a/b/c", "-a", "A.io/x", "a b", "é", strings.Repeat("k", 64),
		strings.Repeat("p", 254) + "/k", "kubernetes.io/job", "UPPER",
	}
	someValues = []string{"", "v", "-", "a b", "é", strings.Repeat("v", 64), "V_1.x", "a/b"}
)

var metadataEdits = []func(*rand.Rand, *metav1.ObjectMeta){
	func(r *rand.Rand, m *metav1.ObjectMeta) { setIn(&m.Labels, one(r, someKeys...), one(r, someValues...)) },
	func(r *rand.Rand, m *metav1.ObjectMeta) { setIn(&m.Labels, one(r, someKeys...), one(r, someValues...)) },
	func(r *rand.Rand, m *metav1.ObjectMeta) {
		setIn(&m.Annotations, one(r, someKeys...), one(r, someValues...))
	},
	func(r *rand.Rand, m *metav1.ObjectMeta) {
		if r.IntN(50) == 0 {
			setIn(&m.Annotations, "acme.io/large", strings.Repeat("x", 1<<18))
		}
	},
	func(r *rand.Rand, m *metav1.ObjectMeta) { m.Labels = nil },
	func(r *rand.Rand, m *metav1.ObjectMeta) {
		m.Finalizers = append(m.Finalizers, one(r, "acme.io/hold", "orphan", "foregroundDeletion", "x", "", "a b/c", "acme.io/"+strings.Repeat("f", 64)))
	},
	func(r *rand.Rand, m *metav1.ObjectMeta) { m.Finalizers = nil },
	func(r *rand.Rand, m *metav1.ObjectMeta) { m.OwnerReferences = append(m.OwnerReferences, owner(r)) },
	func(r *rand.Rand, m *metav1.ObjectMeta) {
		m.OwnerReferences = append(m.OwnerReferences, owner(r), owner(r))
	},
	func(r *rand.Rand, m *metav1.ObjectMeta) { m.Name = one(r, "", "other", "Other", "a/b", "..") },
	func(r *rand.Rand, m *metav1.ObjectMeta) { m.GenerateName = one(r, "", "other-", "Other/", "a/b") },
	func(r *rand.Rand, m *metav1.ObjectMeta) { m.Namespace = one(r, "other", "Other", "a/b") },
	func(r *rand.Rand, m *metav1.ObjectMeta) { m.UID = one[types.UID](r, "", "other") },
	func(r *rand.Rand, m *metav1.ObjectMeta) { m.ResourceVersion = one(r, "", "1", "2") },
	func(r *rand.Rand, m *metav1.ObjectMeta) { m.Generation = one[int64](r, 0, -1, 1, 2) },
	//lint:ignore SA1019 a client may still send it
	func(r *rand.Rand, m *metav1.ObjectMeta) { m.SelfLink = "/self" },
	func(r *rand.Rand, m *metav1.ObjectMeta) {
		m.CreationTimestamp = one(r, metav1.Time{}, metav1.Unix(1, 5), m.CreationTimestamp)
	},
	func(r *rand.Rand, m *metav1.ObjectMeta) {
		m.DeletionTimestamp = one(r, nil, &metav1.Time{}, ptr.To(metav1.Unix(1_760_000_000, 5)), ptr.To(metav1.Unix(1, 0)))
	},
	func(r *rand.Rand, m *metav1.ObjectMeta) {
		m.DeletionGracePeriodSeconds = one(r, nil, ptr.To[int64](0), ptr.To[int64](-1), ptr.To[int64](30))
	},
}

func setIn(m *map[string]string, key, value string) {
	if *m == nil {
		*m = map[string]string{}
	}
	(*m)[key] = value
}

func owner(r *rand.Rand) metav1.OwnerReference {
	return metav1.OwnerReference{
		APIVersion: one(r, "v1", "batch/v1", "batch/v1", "", "a/b/c"), Kind: one(r, "CronJob", "CronJob", "", "Event"),
		Name: one(r, "o", "o", ""), UID: one[types.UID](r, "u", "u2", ""), Controller: one(r, nil, ptr.To(true), ptr.To(false)),
	}
}
