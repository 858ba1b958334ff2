// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/statusvalidate"
)

// recordedCause is how API servers of some releases, +gate for those with the gate on, speak of a rule. What
// they answered to the updates of statusvalidate's corpus, each wording once; internal/oracle/record writes it.
type recordedCause struct {
	Releases []string
	Cause    metav1.StatusCause
	Rule     statusvalidate.Rule
}

func recordedCauses(t *testing.T) (list []recordedCause) {
	t.Helper()
	file, err := os.Open("testdata/answers.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for scanner := bufio.NewScanner(file); scanner.Scan(); {
		var r recordedCause
		if err := json.Unmarshal(scanner.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		list = append(list, r)
	}
	return list
}

// TestRulesOf holds the signatures against what API servers answered: every rule is told, in all its wordings.
func TestRulesOf(t *testing.T) {
	seen := map[statusvalidate.Rule]bool{}
	for _, r := range recordedCauses(t) {
		if got := rulesOf(r.Cause); !slices.Equal(got, []statusvalidate.Rule{r.Rule}) {
			t.Errorf("%v: %s: %q: %v, want %s", r.Releases, r.Cause.Field, r.Cause.Message, got, r.Rule)
		}
		seen[r.Rule] = true
	}
	for _, info := range statusvalidate.Rules() {
		if !seen[info.Rule] {
			t.Errorf("there is no answer about %s", info.Rule)
		}
	}
}

// TestSignatures looks for one that says nothing, and for two that cannot be told apart.
func TestSignatures(t *testing.T) {
	for i, s := range signatures {
		for _, word := range s.words {
			if !slices.Equal(keyWords.FindAllString(word, -1), []string{word}) {
				t.Errorf("%s: %q is no key word", s.rule, word)
			}
		}
		for _, other := range signatures[:i] {
			if other.field == s.field && other.kind == s.kind && slices.Equal(other.words, s.words) {
				t.Errorf("%s and %s are the same", s.rule, other.rule)
			}
		}
	}
}

func TestRulesOfOddCauses(t *testing.T) {
	const invalid = metav1.CauseTypeFieldValueInvalid
	tests := []struct {
		name  string
		cause metav1.StatusCause
		want  []statusvalidate.Rule
	}{
		{"a sentence of another release", metav1.StatusCause{Type: invalid, Field: "status.ready", Message: "Invalid value: 2: is too high"},
			[]statusvalidate.Rule{statusvalidate.NegativeReady, statusvalidate.MoreReadyThanActive}},
		{"key words in the value", metav1.StatusCause{Type: invalid, Field: "status.completedIndexes", Message: `Invalid value: "overlap before: \" finished": error parsing completedIndexes: index: "without more"`},
			[]statusvalidate.Rule{statusvalidate.CompletedIndexesMalformed}},
		{"no colon", metav1.StatusCause{Type: invalid, Field: "status.active", Message: "must be greater"}, []statusvalidate.Rule{statusvalidate.NegativeActive}},
		{"an item", metav1.StatusCause{Type: metav1.CauseTypeFieldValueDuplicate, Field: "status.uncountedTerminatedPods.failed[12]", Message: `Duplicate value: "u"`},
			[]statusvalidate.Rule{statusvalidate.UncountedFailedMalformed}},
		{"metadata", metav1.StatusCause{Type: invalid, Field: "metadata.annotations", Message: "Invalid value: finished"}, nil},
		{"of another type", metav1.StatusCause{Type: metav1.CauseTypeFieldValueNotSupported, Field: "status.active", Message: "finished"}, nil},
		{"nothing", metav1.StatusCause{}, nil},
	}
	for _, tt := range tests {
		if got := rulesOf(tt.cause); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestCausesNameReleases says where a rule holds, also if not where was asked.
func TestCausesNameReleases(t *testing.T) {
	var releases []jobmanagedby.Release
	for _, name := range []string{"1.30.14", "1.36.3"} {
		r, err := jobmanagedby.ParseRelease(name)
		if err != nil {
			t.Fatal(err)
		}
		releases = append(releases, r)
	}
	for _, r := range recordedCauses(t) {
		got := causes(&metav1.Status{Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{r.Cause}}}, releases)[0]
		want := []string{}
		for i, info := range statusvalidate.Rules() {
			for _, release := range releases {
				if info.Rule == r.Rule && statusvalidate.Rules()[i].HoldsIn(release) {
					want = append(want, release.String())
				}
			}
		}
		if !slices.Equal(got.Releases, want) || got.Rule != string(r.Rule) || got.Remedy == "" || got.Level != isError {
			t.Errorf("%s: %+v, want releases %v", r.Rule, got, want)
		}
	}
}

// A rule that none of the releases has is that of others.
func TestAnswerOfAnotherRelease(t *testing.T) {
	answer := `{"kind":"Status","reason":"Invalid","details":{"causes":[{"reason":"FieldValueInvalid","field":"status.conditions",` +
		`"message":"Invalid value: cannot set SuccessCriteriaMet to NonIndexed Job"}]}}`
	for args, want := range map[string]string{
		"-error -":                  "In none of the releases that were asked. It is a rule of these: from 1.30,\n  before 1.31.",
		"-error - -release all":     "Refused by 1.30.14.",
		"-error - -release 1.30.14": "Refused by 1.30.14.",
	} {
		got := runWith(t, answer, strings.Fields(args)...)
		if got.code != exitFindings || !strings.Contains(got.stdout, want) {
			t.Errorf("%s: exit %d, no %q in\n%s%s", args, got.code, want, got.stdout, got.stderr)
		}
	}
}
