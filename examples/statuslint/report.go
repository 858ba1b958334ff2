// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"io"
	"slices"

	batchv1 "k8s.io/api/batch/v1"

	"github.com/managedby-dev/managedby/internal/cli"
	"github.com/managedby-dev/managedby/mirror"
	"github.com/managedby-dev/managedby/statusvalidate"
)

// report is everything there is to say, and what -o json prints. The package comment is its manual.
type report struct {
	Releases []string  `json:"releases"` // that were asked
	Errors   int       `json:"errors"`
	Warnings int       `json:"warnings"`
	Subjects []subject `json:"subjects"`
}

// subject is something that was looked at.
type subject struct {
	Kind      subjectKind `json:"kind"`
	Source    string      `json:"source"` // the file, and where in it
	Namespace string      `json:"namespace"`
	Name      string      `json:"name"`
	About     string      `json:"about,omitempty"` // of an audit event: who wrote when, and what the answer was
	Findings  []finding   `json:"findings"`
	Mends     []mend      `json:"mends"`

	file   string                // of Source
	status *batchv1.JobStatus    // what the mends change
	alone  bool                  // it is that of a Job by itself, not of a write
	lines  func(path string) int // of a field in the file, 0 if it is not known; nil if no field is
}

// refused reports whether an API server of one of the releases refuses it.
func (s subject) refused() bool {
	return slices.ContainsFunc(s.Findings, func(f finding) bool { return f.Level == isError })
}

type subjectKind string

const (
	aJob     subjectKind = "Job"        // as it is
	anUpdate subjectKind = "Update"     // of a status
	anEvent  subjectKind = "AuditEvent" // of an update of a status
	anAnswer subjectKind = "Answer"     // of an API server that refused one
)

type level string

const (
	isError   level = "error"   // an API server refuses it
	isWarning level = "warning" // it lets it pass
)

// finding is one thing that is wrong.
type finding struct {
	Level level  `json:"level"`
	Rule  string `json:"rule,omitempty"` // empty if it is none about a status, or cannot be told
	// Candidates are the rules it may be, where an API server's answer does not tell.
	Candidates []statusvalidate.Rule `json:"candidates,omitempty"`
	Type       string                `json:"type,omitempty"` // of the API server's error
	Field      string                `json:"field"`
	Value      any                   `json:"value,omitempty"`
	Message    string                `json:"message"`
	Harm       string                `json:"harm,omitempty"` // of a warning: who trips over it
	Remedy     string                `json:"remedy,omitempty"`
	Releases   []string              `json:"releases"`       // of those that were asked
	More       int                   `json:"more,omitempty"` // findings of the same rule that are left out behind it
}

// mend is the status that the planner would write instead.
type mend struct {
	Releases []string             `json:"releases"` // that accept it
	Outcome  mirror.StatusOutcome `json:"outcome"`
	Why      string               `json:"why"`
	Changes  []change             `json:"changes"`
	Status   *batchv1.JobStatus   `json:"status"` // null if there is nothing to write
	// Left are the warnings that remain.
	Left []string `json:"left,omitempty"`
	// TooLate are the rules by which the Job, as it is now, cannot be changed to that any more.
	TooLate []statusvalidate.Rule `json:"tooLate,omitempty"`

	stuck []statusvalidate.Rule // those by which every write to the Job, as it is now, is refused
}

type change struct {
	Field string              `json:"field"`
	Rule  statusvalidate.Rule `json:"rule,omitempty"` // empty: no API server would object
	Why   string              `json:"why"`
}

func newReport(o options, subjects []subject) report {
	r := report{Releases: names(o.releases), Subjects: append([]subject{}, subjects...)}
	for i := range r.Subjects {
		s := &r.Subjects[i]
		if s.Findings == nil {
			s.Findings = []finding{}
		}
		if s.Mends == nil {
			s.Mends = []mend{}
		}
		for _, f := range s.Findings {
			if f.Level == isError {
				r.Errors += 1 + f.More
			} else {
				r.Warnings += 1 + f.More
			}
		}
	}
	return r
}

// write writes the report in the format that was asked for.
func (o options) write(w io.Writer, r report, colours cli.Palette) error {
	switch o.format {
	case "json":
		return writeJSON(w, r)
	case "sarif":
		return writeJSON(w, toSARIF(r))
	}
	return writeText(w, r, &page{cli.Page{Palette: colours, Width: o.width}})
}

func writeJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
