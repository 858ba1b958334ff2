// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/statusvalidate"
)

func names(releases []jobmanagedby.Release) []string {
	list := make([]string, len(releases))
	for i, r := range releases {
		list[i] = r.String()
	}
	return list
}

// question is what to ask an API server.
type question func(statusvalidate.Validator) statusvalidate.Violations

// judge asks an API server of every release about a status that is sent, and what else is odd about it.
func judge(sent *batchv1.Job, releases []jobmanagedby.Release, ask question) []finding {
	list := findings{at: map[string]int{}}
	for _, r := range releases {
		v := statusvalidate.For(r)
		for _, violation := range ask(v) {
			list.add(fromViolation(violation), r)
		}
		for _, f := range v.Lint(sent) {
			list.add(fromLint(f), r)
		}
	}
	return list.sorted()
}

// findings are what several releases have found, each thing once.
type findings struct {
	list []finding
	at   map[string]int // by level, rule and field
}

// add keeps the form of the newest release: the type of an error differs between releases.
func (l *findings) add(f finding, r jobmanagedby.Release) {
	key := fmt.Sprintf("%s %s %s", f.Level, f.Rule, f.Field)
	i, known := l.at[key]
	if !known {
		i = len(l.list)
		l.at[key], l.list = i, append(l.list, finding{})
	}
	f.Releases = append(l.list[i].Releases, r.String())
	l.list[i] = f
}

// sorted puts errors first, in the order of the rules. Where some API servers refuse what others let pass,
// the error says it all.
func (l *findings) sorted() []finding {
	refused := map[string]bool{}
	for _, f := range l.list {
		refused[f.Rule] = refused[f.Rule] || f.Level == isError
	}
	list := slices.DeleteFunc(l.list, func(f finding) bool { return f.Level == isWarning && refused[f.Rule] })
	slices.SortStableFunc(list, func(a, b finding) int {
		return cmp.Or(cmp.Compare(a.Level, b.Level), cmp.Compare(ranks[a.Rule], ranks[b.Rule]))
	})
	return capped(list)
}

// enough findings of one rule are shown of a status.
const enough = 10

// capped leaves enough findings of each rule, and notes with the last one how many more there are. Those of a
// rule stand together.
func capped(list []finding) (short []finding) {
	same := 0
	for i, f := range list {
		if same++; i == 0 || f.Rule == "" || f.Rule != list[i-1].Rule {
			same = 1
		}
		if same <= enough {
			short = append(short, f)
		} else {
			short[len(short)-1].More++
		}
	}
	return short
}

// ranks is the place of each rule, and harms what each warning is about.
var ranks, harms = func() (map[string]int, map[string]string) {
	ranks, harms := map[string]int{}, map[string]string{}
	for _, info := range statusvalidate.Rules() {
		ranks[string(info.Rule)] = len(ranks)
	}
	for _, info := range statusvalidate.LintRules() {
		if _, known := ranks[string(info.Rule)]; !known {
			ranks[string(info.Rule)] = len(ranks)
		}
		harms[string(info.Rule)] = info.Harm
	}
	return ranks, harms
}()

func fromLint(f statusvalidate.Finding) finding {
	return finding{
		Level: isWarning, Rule: string(f.Rule), Field: f.Field, Value: f.Value,
		Message: f.Detail, Harm: harms[string(f.Rule)], Remedy: f.Remedy(),
	}
}

func fromViolation(v *statusvalidate.Violation) finding {
	f := finding{
		Level: isError, Rule: string(v.Rule), Type: string(v.Err.Type), Field: v.Err.Field,
		Message: v.Err.Detail, Remedy: v.Remedy(),
	}
	if v.Err.BadValue != (field.OmitValueType{}) && v.Err.Type != field.ErrorTypeRequired {
		f.Value = v.Err.BadValue
	}
	if f.Message == "" { // of a duplicate
		f.Message = summaries[v.Rule]
	}
	return f
}

var summaries = func() map[statusvalidate.Rule]string {
	m := map[statusvalidate.Rule]string{}
	for _, info := range statusvalidate.Rules() {
		m[info.Rule] = info.Summary
	}
	return m
}()
