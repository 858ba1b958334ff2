// SPDX-License-Identifier: Apache-2.0

package ask_test

import (
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/managedby-dev/managedby/internal/oracle/ask"
	"github.com/managedby-dev/managedby/internal/oracle/wire"
)

const vectors = "../../../statusvalidate/testdata/vectors"

// verdict is a recorded answer: the type and the field of each error, in order.
type verdict struct {
	ID     int
	Errors [][2]string
}

// TestVectors asks again what the recorded verdicts of all releases answer.
func TestVectors(t *testing.T) {
	requests := readLines[wire.Request](t, "pairs.jsonl.gz")
	for i := range requests {
		requests[i].Rules = true
	}
	lines, err := ask.Lines(requests)
	if err != nil {
		t.Fatal(err)
	}
	for _, config := range recorded(t) {
		t.Run(config.String(), func(t *testing.T) {
			want := readLines[verdict](t, "verdicts-"+config.String()+".jsonl.gz")
			answers, err := ask.For(t, config).AskLines(lines)
			if err != nil {
				t.Fatal(err)
			}
			if len(answers) != len(want) {
				t.Fatalf("%d answers, %d recorded", len(answers), len(want))
			}
			for i, answer := range answers {
				if d := cmp.Diff(want[i].Errors, typesAndFields(answer.Errors)); d != "" {
					t.Errorf("pair %d (-recorded +answered):\n%s", i, d)
				}
				checkOptions(t, i, answer)
			}
		})
	}
}

// checkOptions wants each error to be due to an option that is on.
func checkOptions(t *testing.T, i int, answer wire.Response) {
	on := map[string]bool{wire.Always: true}
	for _, option := range answer.Options {
		on[option] = true
	}
	for _, e := range answer.Errors {
		if !on[e.Option] {
			t.Errorf("pair %d: %+v is due to an option that is off", i, e)
		}
	}
}

func typesAndFields(errs []wire.Error) [][2]string {
	pairs := make([][2]string, len(errs))
	for i, e := range errs {
		pairs[i] = [2]string{e.Type, e.Field}
	}
	return pairs
}

// recorded lists the configurations that have verdicts, without those that are not to be asked now.
func recorded(t *testing.T) (found []ask.Config) {
	t.Helper()
	for _, config := range configs(t) {
		if _, err := os.Stat(filepath.Join(vectors, "verdicts-"+config.String()+".jsonl.gz")); err == nil {
			found = append(found, config)
		}
	}
	files, err := filepath.Glob(filepath.Join(vectors, "verdicts-*"))
	if err != nil || len(found) == 0 {
		t.Fatalf("no recorded verdicts (%v)", err)
	}
	if os.Getenv("ORACLE_RELEASES") == "" && len(found) != len(files) {
		t.Errorf("of %d recorded configurations only %v can be asked", len(files), found)
	}
	return found
}

func readLines[T any](t testing.TB, name string) (all []T) {
	t.Helper()
	f, err := os.Open(filepath.Join(vectors, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := json.NewDecoder(z)
	for lines.More() {
		var v T
		if err := lines.Decode(&v); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all = append(all, v)
	}
	return all
}
