package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"

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
	docs, err := jobfile.Split(file, text)
	if err != nil {
		return nil, nil, err
	}
	if len(docs) == 0 {
		return nil, nil, fmt.Errorf("%s: there is no Status object in it", file)
	}
	for _, d := range docs {
		status, err := asStatus(d)
		if err != nil {
			return nil, nil, err
		}
		s := subject{Kind: anAnswer, Source: d.At.String(), file: file, About: status.Message, Findings: causes(status, o.releases)}
		if status.Details != nil {
			s.Name = status.Details.Name
		}
		subjects = append(subjects, s)
	}
	return subjects, nil, nil
}

// asStatus decodes the answer of an API server that refused a Job.
func asStatus(d jobfile.Document) (*metav1.Status, error) {
	var status metav1.Status
	if err := json.Unmarshal(d.JSON, &status); err != nil {
		return nil, fmt.Errorf("%v: it is no Status object: %w", d.At, err)
	}
	switch {
	case status.Kind != "Status":
		return nil, d.At.Errorf("kind", "it is %q, and not Status", status.Kind)
	case status.Reason != metav1.StatusReasonInvalid && status.Code != http.StatusUnprocessableEntity:
		return nil, d.At.Errorf("reason", "it is %q with code %d, and not Invalid with 422: no rule about a status was broken", status.Reason, status.Code)
	case status.Details != nil && status.Details.Kind != "" && status.Details.Kind != "Job" && status.Details.Kind != "jobs":
		return nil, d.At.Errorf("details.kind", "it is %q, and not Job", status.Details.Kind)
	case status.Details == nil || len(status.Details.Causes) == 0:
		return nil, d.At.Errorf("details.causes", "there is none: the answer does not say which field was refused")
	}
	return &status, nil
}
