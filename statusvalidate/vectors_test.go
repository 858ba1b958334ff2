// SPDX-License-Identifier: Apache-2.0

package statusvalidate_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/statusvalidate"
)

// pair is a recorded update.
type pair struct {
	ID       int
	Old, New *batchv1.Job
}

func (p pair) change() statusvalidate.Change { return statusvalidate.Change{Old: p.Old, New: p.New} }

// verdict is what the status strategy of one API server answered to a pair: type and field of
// each error, in order.
type verdict struct {
	ID     int
	Errors [][2]string
}

// readLines decodes a gzipped file of JSON lines.
func readLines[T any](t testing.TB, name string) (all []T) {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "vectors", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<22)
	for lines.Scan() {
		var v T
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all = append(all, v)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

func readPairs(t testing.TB) []pair { return readLines[pair](t, "pairs.jsonl.gz") }

// config is a release configuration whose verdicts are recorded.
type config struct {
	name    string
	release jobmanagedby.Release
	file    string
}

// configs lists what is recorded. A file name has the release, and "+gate" or "-gate" where
// JobManagedBy is not at its default.
func configs(t testing.TB) (all []config) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "vectors", "verdicts-*.jsonl.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recorded verdicts (%v)", err)
	}
	for _, f := range files {
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(f), "verdicts-"), ".jsonl.gz")
		all = append(all, config{name: name, release: release(t, name), file: filepath.Base(f)})
	}
	return all
}

// release parses "1.35.4", "1.31.14+gate" or "1.34.4-gate".
func release(t testing.TB, name string) jobmanagedby.Release {
	t.Helper()
	number, gate := name, (*bool)(nil)
	if n, ok := strings.CutSuffix(name, "+gate"); ok {
		number, gate = n, ptr.To(true)
	} else if n, ok := strings.CutSuffix(name, "-gate"); ok {
		number, gate = n, ptr.To(false)
	}
	r, err := jobmanagedby.ParseRelease(number)
	if err != nil {
		t.Fatal(err)
	}
	r.Gate = gate
	return r
}

// outcome is what Validate answers in the form of a recorded verdict.
func outcome(vs statusvalidate.Violations) [][2]string {
	errs := [][2]string{}
	for _, v := range vs {
		errs = append(errs, [2]string{string(v.Err.Type), v.Err.Field})
	}
	return errs
}

// TestRecordedVerdicts compares with what real API-server code answered: type, field, order, count.
func TestRecordedVerdicts(t *testing.T) {
	pairs := readPairs(t)
	for _, c := range configs(t) {
		t.Run(c.name, func(t *testing.T) {
			v := statusvalidate.For(c.release)
			verdicts := readLines[verdict](t, c.file)
			if len(verdicts) != len(pairs) {
				t.Fatalf("%d verdicts for %d pairs", len(verdicts), len(pairs))
			}
			differ, rejected := 0, 0
			for i, want := range verdicts {
				change := pairs[i].change()
				got := outcome(v.Validate(change))
				if len(want.Errors) > 0 {
					rejected++
				}
				if diff := cmp.Diff(want.Errors, got); diff != "" {
					if differ++; differ <= 5 {
						t.Errorf("pair %d (-API server +Validate):\n%s", want.ID, diff)
					}
				}
				if allowed := v.Allows(change); allowed != (len(want.Errors) == 0) {
					t.Errorf("pair %d: Allows = %v", want.ID, allowed)
				}
			}
			if differ > 0 {
				t.Errorf("%d of %d verdicts differ", differ, len(verdicts))
			}
			if rejected == 0 || rejected == len(verdicts) {
				t.Errorf("%d of %d recorded verdicts are rejections: they show nothing", rejected, len(verdicts))
			}
			t.Logf("%d pairs, %d rejected, %d differ", len(verdicts), rejected, differ)
		})
	}
}
