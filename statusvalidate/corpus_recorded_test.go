// SPDX-License-Identifier: Apache-2.0

package statusvalidate_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/managedby-dev/managedby/statusvalidate"
)

// The corpus is recorded by internal/oracle/record from the real API-server code, with the bad value of
// each error, and the option of upstream's validation that it is due to.
const corpus = "../corpus" // seen from the given vectors

// corpusAbout says what the corpus is made of.
type corpusAbout struct {
	Seed    uint64
	Pairs   int
	Servers []string
	Options map[statusvalidate.Rule]string // of upstream's, behind each rule
}

type corpusVerdict struct {
	ID     int
	Errors []struct {
		Type, Field, Option string
		BadValue            json.RawMessage
	}
}

func readAbout(t testing.TB) (a corpusAbout) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "corpus", "about.json"))
	if err == nil {
		err = json.Unmarshal(text, &a)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("seed %d, %d pairs, %d API servers", a.Seed, a.Pairs, len(a.Servers))
	return a
}

// TestRecordedCorpus compares everything but the wording: order, count, type, field, bad value, and the
// option that the error is due to.
func TestRecordedCorpus(t *testing.T) {
	about := readAbout(t)
	pairs := readLines[pair](t, filepath.Join(corpus, "pairs.jsonl.gz"))
	if len(pairs) != about.Pairs || len(about.Servers) == 0 {
		t.Fatalf("%d pairs, want %d", len(pairs), about.Pairs)
	}
	for _, name := range about.Servers {
		t.Run(name, func(t *testing.T) {
			v, differ := statusvalidate.For(release(t, name)), 0
			verdicts := readLines[corpusVerdict](t, filepath.Join(corpus, "verdicts-"+name+".jsonl.gz"))
			if len(verdicts) != len(pairs) {
				t.Fatalf("%d verdicts", len(verdicts))
			}
			for i, want := range verdicts {
				got := v.Validate(pairs[i].change())
				if !about.equal(got, want) || v.Allows(pairs[i].change()) != (len(want.Errors) == 0) {
					if differ++; differ <= 5 {
						t.Errorf("pair %d:\nAPI server %s\nValidate   %v", i, show(want.Errors), got)
					}
				}
			}
			if differ > 0 {
				t.Errorf("%d of %d verdicts differ", differ, len(verdicts))
			}
		})
	}
}

func (a corpusAbout) equal(got statusvalidate.Violations, want corpusVerdict) bool {
	if len(got) != len(want.Errors) {
		return false
	}
	for i, w := range want.Errors {
		value, err := json.Marshal(got[i].Err.BadValue)
		same := err == nil && w.Type == string(got[i].Err.Type) && w.Field == got[i].Err.Field && w.Option != "" &&
			w.Option == a.Options[got[i].Rule] && equalJSON(w.BadValue, value)
		if !same {
			return false
		}
	}
	return true
}

func equalJSON(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

func show(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// TestRecordedCorpusShowsEveryRule wants each rule from both sides in each release: an error that is due
// to it where the release has the rule, and else an update that another release refuses for it.
// Each update is sorted by the server's own answer.
func TestRecordedCorpusShowsEveryRule(t *testing.T) {
	about := readAbout(t)
	pairs := readLines[pair](t, filepath.Join(corpus, "pairs.jsonl.gz"))
	refused, anywhere := map[string]map[statusvalidate.Rule][]bool{}, map[statusvalidate.Rule][]bool{}
	for _, name := range about.Servers {
		refused[name] = map[statusvalidate.Rule][]bool{}
		for i, want := range readLines[corpusVerdict](t, filepath.Join(corpus, "verdicts-"+name+".jsonl.gz")) {
			for _, v := range statusvalidate.For(release(t, name)).Validate(pairs[i].change()) {
				if len(want.Errors) > 0 {
					mark(refused[name], v.Rule, i, len(pairs))
					mark(anywhere, v.Rule, i, len(pairs))
				}
			}
		}
	}
	for _, info := range statusvalidate.Rules() {
		for _, name := range about.Servers {
			holds, yes, no := info.HoldsIn(release(t, name)), 0, 0
			for i := range pairs {
				switch {
				case marked(refused[name][info.Rule], i):
					yes++
				case holds || marked(anywhere[info.Rule], i):
					no++
				}
			}
			if no == 0 || (yes >= 3) != holds {
				t.Errorf("%s: %d pairs break %s, %d do not", name, yes, info.Rule, no)
			}
		}
	}
}

func mark(m map[statusvalidate.Rule][]bool, rule statusvalidate.Rule, i, n int) {
	if m[rule] == nil {
		m[rule] = make([]bool, n)
	}
	m[rule][i] = true
}

func marked(all []bool, i int) bool { return all != nil && all[i] }

// TestRecordIsSmall adds up both records.
func TestRecordIsSmall(t *testing.T) {
	var size int64
	for _, pattern := range []string{"testdata/vectors/*", "testdata/corpus/*"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files (%v)", pattern, len(files), err)
		}
		for _, name := range files {
			info, err := os.Stat(name)
			if err != nil {
				t.Fatal(err)
			}
			size += info.Size()
		}
	}
	if size > 2<<20 {
		t.Errorf("%d bytes", size)
	}
}
