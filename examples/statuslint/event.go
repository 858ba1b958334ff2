// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// event is what is of interest in an event of audit.k8s.io/v1.
type event struct {
	metav1.TypeMeta
	Level                    string
	Stage                    string
	Verb                     string
	RequestURI               string
	User                     struct{ Username string }
	ObjectRef                *objectRef
	ResponseStatus           *metav1.Status
	RequestObject            json.RawMessage
	ResponseObject           json.RawMessage
	RequestReceivedTimestamp string
}

type objectRef struct{ Resource, Namespace, Name, APIGroup, Subresource string }

func (r objectRef) key() string { return r.Namespace + "/" + r.Name }

// ofJob reports whether the event is the answer to a request about one Job.
func (e event) ofJob() bool {
	return e.Stage == "ResponseComplete" && e.ObjectRef != nil && e.ObjectRef.APIGroup == batchv1.GroupName && e.ObjectRef.Resource == "jobs"
}

// ofStatus reports whether the request was a write to the status.
func (e event) ofStatus() bool {
	return e.ofJob() && e.ObjectRef.Subresource == "status" && (e.Verb == "update" || e.Verb == "patch")
}

func (e event) accepted() bool { return e.ResponseStatus != nil && e.ResponseStatus.Code/100 == 2 }

// asEvents decodes an event, or an EventList.
func asEvents(data []byte) (list []event, isList bool, err error) {
	var e struct {
		event
		Items []event
	}
	switch err := json.Unmarshal(data, &e); {
	case err != nil:
		return nil, false, fmt.Errorf("it is no audit event in JSON: %w", err)
	case e.APIVersion == "audit.k8s.io/v1" && e.Kind == "EventList":
		return e.Items, true, nil
	case e.APIVersion == "audit.k8s.io/v1" && e.Kind == "Event":
		return []event{e.event}, false, nil
	}
	return nil, false, fmt.Errorf("it is %q of %q, and not Event of audit.k8s.io/v1%s", e.Kind, e.APIVersion, hint(e.Kind, e.APIVersion))
}

// about says who wrote when, and what the answer was.
func (e event) about() string {
	who, code := e.User.Username, "nothing"
	if who == "" {
		who = "somebody"
	}
	if e.ResponseStatus != nil {
		code = fmt.Sprint(e.ResponseStatus.Code)
	}
	if e.RequestReceivedTimestamp != "" {
		who += " at " + e.RequestReceivedTimestamp
	}
	return fmt.Sprintf("%s by %s, answered with %s", e.Verb, who, code)
}

// jobIn returns the Job in a request or response; nil if there is none.
func jobIn(object json.RawMessage) *batchv1.Job {
	var job batchv1.Job
	if json.Unmarshal(object, &job) != nil || job.Kind != "Job" {
		return nil
	}
	return &job
}

// sent is the Job that was written, nil if the log does not have it. The answer to a write that was accepted has
// it whole; a patch that is applied has a kind too, and is not the whole Job.
func (e event) sent() *batchv1.Job {
	if job := jobIn(e.ResponseObject); job != nil {
		return job
	}
	if e.Verb == "update" {
		return jobIn(e.RequestObject)
	}
	return nil
}

// basedOn reports whether the request says that it changes that state of the Job.
func (e event) basedOn(stored *batchv1.Job) bool {
	var request struct {
		Metadata struct{ ResourceVersion string }
	}
	_ = json.Unmarshal(e.RequestObject, &request) // a JSON patch says nothing of the kind
	return request.Metadata.ResourceVersion != "" && request.Metadata.ResourceVersion == stored.ResourceVersion
}
