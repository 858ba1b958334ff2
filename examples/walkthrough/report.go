// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"io"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/mirror"
	"github.com/managedby-dev/managedby/statusvalidate"
)

// report is everything there is to say, and what -o json prints. The package comment is its manual.
type report struct {
	Now   metav1.Time  `json:"now"`
	Pairs []pairReport `json:"pairs"`
}

type pairReport struct {
	Namespace     string          `json:"namespace"`
	Name          string          `json:"name"`
	About         string          `json:"about"`
	Controller    string          `json:"controller"`
	Origin        string          `json:"origin"`
	ManagedBy     string          `json:"managedBy"`
	Identity      mirror.Relation `json:"identity"`
	Mirror        *batchv1.Job    `json:"mirror"`
	MirrorRefused string          `json:"mirrorRefused,omitempty"`
	Releases      []releaseReport `json:"releases"`
	Next          *nextStep       `json:"next,omitempty"` // nil if the identity was not checked

	local *batchv1.Job
}

// notChecked is the identity of a remote Job that carries none of ours.
const notChecked mirror.Relation = "NotChecked"

// releaseReport is about a management cluster of one release.
type releaseReport struct {
	Release   string            `json:"release"`
	BuiltIn   builtInController `json:"builtInController"`
	BlindCopy answer            `json:"blindCopy"`
	Plan      plan              `json:"plan"`
}

type builtInController struct {
	Skips   bool                `json:"skips"`
	Hazard  bool                `json:"hazard"`
	Reason  jobmanagedby.Reason `json:"reason"`
	Message string              `json:"message"`
}

// verdict is what an API server makes of a status.
type verdict string

const (
	accepted       verdict = "accepted"
	refused        verdict = "refused"
	nothingToWrite verdict = "nothing to write"
)

type answer struct {
	Verdict    verdict     `json:"verdict"`
	Violations []violation `json:"violations"`
}

type violation struct {
	Rule    statusvalidate.Rule `json:"rule"`
	Type    string              `json:"type"`
	Field   string              `json:"field"`
	Message string              `json:"message"`
	Remedy  string              `json:"remedy"`
}

type plan struct {
	answer
	Outcome             mirror.StatusOutcome `json:"outcome"`
	Status              *batchv1.JobStatus   `json:"status"`
	Adjustments         []adjustment         `json:"adjustments"`
	RequeueAfterSeconds float64              `json:"requeueAfterSeconds"`
}

type adjustment struct {
	Field string              `json:"field"`
	Rule  statusvalidate.Rule `json:"rule,omitempty"`
	Why   string              `json:"why"`
}

// refuses reports whether the plan is that nothing acceptable can be written.
func (p plan) refuses() bool {
	return p.Outcome == mirror.Conflict || p.Outcome == mirror.Invalid
}

func (r report) refused() bool {
	return slices.ContainsFunc(r.Pairs, func(p pairReport) bool {
		return slices.ContainsFunc(p.Releases, func(r releaseReport) bool { return r.Plan.refuses() })
	})
}

// last is the release that is shown in detail.
func (p pairReport) last() releaseReport { return p.Releases[len(p.Releases)-1] }

func writeJSON(w io.Writer, r report) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}
