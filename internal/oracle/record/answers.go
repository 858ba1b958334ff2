// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/managedby-dev/managedby/internal/oracle/ask"
	"github.com/managedby-dev/managedby/internal/oracle/wire"
	"github.com/managedby-dev/managedby/statusvalidate"
)

// answer is how API servers speak of a rule: the cause in a 422, and which servers word it like that.
type answer struct {
	Releases []string            `json:"releases"`
	Cause    *metav1.StatusCause `json:"cause"`
	Rule     statusvalidate.Rule `json:"rule"`
}

// wording is a rule with what all causes of one text have in common.
type wording struct {
	rule statusvalidate.Rule
	text string
}

// wordings collects each wording once, in the order in which they are first seen.
type wordings struct {
	all   []*answer
	known map[wording]*answer
}

// A cause names values and places of the object, which make no new wording.
var particular = regexp.MustCompile(`\{.*\}|"(?:[^"\\]|\\.)*"|-?[0-9]+`)

// add takes what the server of a configuration says of an update. Our violations are in the same places
// as its errors, or there is nothing to record.
func (w *wordings) add(config ask.Config, p pair, errors []wire.Error) error {
	c := statusvalidate.Change{Old: &batchv1.Job{}, New: &batchv1.Job{}}
	if err := json.Unmarshal(p.Old, c.Old); err != nil {
		return err
	}
	if err := json.Unmarshal(p.New, c.New); err != nil {
		return err
	}
	violations := statusvalidate.For(config.APIServer()).Validate(c)
	if len(violations) != len(errors) {
		return fmt.Errorf("%s, pair %d: the server has %d errors, the library %d", config, p.ID, len(errors), len(violations))
	}
	for i, v := range violations {
		said := *v.Err
		said.Detail = errors[i].Detail
		cause := &metav1.StatusCause{Type: metav1.CauseType(said.Type), Field: said.Field, Message: said.ErrorBody()}
		w.cause(config.String(), v.Rule, cause)
	}
	return nil
}

func (w *wordings) cause(server string, rule statusvalidate.Rule, cause *metav1.StatusCause) {
	key := wording{rule, particular.ReplaceAllString(cause.Message, "…")}
	known := w.known[key]
	if known == nil {
		known = &answer{Cause: cause, Rule: rule}
		w.known[key], w.all = known, append(w.all, known)
	}
	if n := len(known.Releases); n == 0 || known.Releases[n-1] != server {
		known.Releases = append(known.Releases, server)
	}
}

// lines is a line of JSON for each answer.
func (w *wordings) lines() (string, error) {
	var b strings.Builder
	lines := json.NewEncoder(&b)
	lines.SetEscapeHTML(false)
	for _, a := range w.all {
		if err := lines.Encode(a); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}
