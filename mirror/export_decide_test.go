// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/managedby-dev/managedby/jobmanagedby"
)

// RowOf returns the name of the row by which p decides about s.
func RowOf(p *Planner, s State) string {
	t := p.look(s, jobWorkload{})
	return t.row().name
}

// RowNames returns the names of all rows, in order.
func RowNames() []string {
	var names []string
	for _, r := range table {
		names = append(names, r.name)
	}
	return names
}

// RecordForms parses a dispatch record by the scanner of our own form, and by encoding/json.
func RecordForms(text string) (own string, ok bool, any string, err error) {
	o, ok := parseOwnForm(text)
	a, err := parseAnyForm(text)
	return o.String(), ok, a.String(), err
}

// Rewrite reads a dispatch record and writes it.
func Rewrite(text string) (string, error) {
	r, err := parseRecord(text, "job")
	return r.String(), err
}

// Rows returns the table as text: name, the four columns, what is done.
func Rows() [][]string {
	var rows [][]string
	for _, r := range table {
		rows = append(rows, []string{
			r.name,
			names(uint16(r.local), "unknown", "gone", "not managed by Controller", "managed, State incomplete", "being deleted", "finished", "dispatch record unusable", "promises a verdict", "unfinished"),
			names(uint16(r.mirror), "unknown", "gone", "foreign", "of an earlier Job", "ours", "ours, finished", "ours, being deleted"),
			names(uint16(r.elsewhere), "unknown", "gone", "present"),
			names(uint16(r.wanted), "yes", "no"),
			r.does,
		})
	}
	return rows
}

func names(set uint16, all ...string) string {
	var in []string
	for i, name := range all {
		if set&(1<<i) != 0 {
			in = append(in, name)
		}
	}
	return strings.Join(in, "; ")
}

// RowOfObject is RowOf for a State of objects.
func RowOfObject(p *Planner, kind jobmanagedby.Kind, s State) (string, error) {
	typed, err := p.typedState(kind, s)
	return RowOf(p, typed), err
}

// AsObjects is a State of Jobs with what f makes of each.
func AsObjects(s State, f func(*batchv1.Job) *unstructured.Unstructured) State {
	convert := func(o Observation) Observation {
		if o.of == ofJob {
			o.of = ofObject
		}
		if o.job != nil {
			o.object, o.job = f(o.job), nil
		}
		return o
	}
	s.Local, s.Mirror = convert(s.Local), convert(s.Mirror)
	var others []Observation
	for _, o := range s.Elsewhere.seen {
		others = append(others, convert(o))
	}
	s.Elsewhere.seen = others
	return s
}
