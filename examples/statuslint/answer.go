// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/managedby-dev/managedby/internal/jobfile"
)

// answers says which rules an API server meant when it refused writes.
func (o options) answers(stdin io.Reader) (subjects []subject, warnings []string, err error) {
	file, data, err := jobfile.ReadFile(o.answer, stdin)
	if err != nil {
		return nil, nil, err
	}
	text, err := jobfile.ToText(data)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	if docs, isStatus := statusesIn(file, text); isStatus {
		subjects, err = o.statuses(docs)
	} else {
		subjects, err = o.messages(file, string(text))
	}
	return subjects, nil, err
}

// statusesIn returns the documents of a file, and whether they are Status objects. As the responseStatus of
// an audit event, a Status has no kind.
func statusesIn(file string, text []byte) (docs []jobfile.Document, ok bool) {
	docs, err := jobfile.Split(file, text)
	return docs, err == nil && len(docs) > 0 && !slices.ContainsFunc(docs, func(d jobfile.Document) bool {
		var head struct{ Kind, Status string }
		return json.Unmarshal(d.JSON, &head) != nil || head.Kind != "Status" && (head.Kind != "" || head.Status != metav1.StatusFailure)
	})
}

func (o options) statuses(docs []jobfile.Document) (subjects []subject, err error) {
	for _, d := range docs {
		status, err := asStatus(d)
		if err != nil {
			return nil, err
		}
		s := subject{Kind: anAnswer, Source: d.At.String(), file: d.At.File, About: status.Message, Findings: causes(status, o.releases)}
		if status.Details != nil {
			s.Name = status.Details.Name
		}
		subjects = append(subjects, s)
	}
	return subjects, nil
}

// asStatus decodes the answer of an API server that refused a Job.
func asStatus(d jobfile.Document) (*metav1.Status, error) {
	var status metav1.Status
	if err := json.Unmarshal(d.JSON, &status); err != nil {
		return nil, fmt.Errorf("%v: it is no Status object: %w", d.At, err)
	}
	switch {
	case status.Reason != metav1.StatusReasonInvalid && status.Code != http.StatusUnprocessableEntity:
		return nil, d.At.Errorf("reason", "it is %q with code %d, and not Invalid with 422: no rule about a status was broken", status.Reason, status.Code)
	case status.Details != nil && status.Details.Kind != "" && !isJob(status.Details.Kind):
		return nil, d.At.Errorf("details.kind", "it is %q, and not Job", status.Details.Kind)
	}
	complete(&status)
	if len(status.Details.Causes) == 0 {
		return nil, d.At.Errorf("details.causes", "there is none, and the message does not say either which field was refused")
	}
	return &status, nil
}

// complete takes the causes from the message if there are none.
func complete(status *metav1.Status) {
	if status.Details == nil {
		status.Details = &metav1.StatusDetails{}
	}
	if list := refusalsIn(status.Message); len(status.Details.Causes) == 0 && len(list) == 1 {
		status.Details.Name, status.Details.Causes = list[0].name, list[0].causes
	}
}

// isJob reports whether that is how an API server or kubectl names Jobs.
func isJob(kind string) bool {
	return slices.Contains([]string{"Job", "Job.batch", "jobs", "jobs.batch"}, kind)
}

// messages finds what refusals say in a text, such as a log. A refusal that is there several times is one.
func (o options) messages(file, text string) (subjects []subject, err error) {
	var other refusal
	for _, r := range refusalsIn(text) {
		if r.kind != "" && !isJob(r.kind) {
			other = r
			continue
		}
		details := &metav1.StatusDetails{Name: r.name, Causes: r.causes}
		s := subject{
			Kind: anAnswer, Source: fmt.Sprintf("%s: line %d", file, 1+strings.Count(text[:r.at], "\n")), file: file,
			Name: r.name, About: r.message, Findings: causes(&metav1.Status{Details: details}, o.releases),
		}
		if !slices.ContainsFunc(subjects, func(o subject) bool { return o.Name == s.Name && reflect.DeepEqual(o.Findings, s.Findings) }) {
			subjects = append(subjects, s)
		}
	}
	switch {
	case len(subjects) > 0:
		return subjects, nil
	case other.kind != "":
		return nil, fmt.Errorf("%s: it is about %s %q, and not a Job", file, other.kind, other.name)
	}
	return nil, fmt.Errorf("%s: %w", file, errNoAnswer)
}

var errNoAnswer = errors.New("expected the Status object in JSON (audit responseStatus, or kubectl -v=8) or the message " +
	`(Job.batch "NAME" is invalid: FIELD: ...)`)
