// SPDX-License-Identifier: Apache-2.0

// Package wire is the language of the oracle: a request and a response are one line of JSON each.
//
// Both ends of the pipe import it, so it depends on nothing but the standard library.
package wire

import "encoding/json"

// What a request can ask.
const (
	Status = "status" // an update of the status subresource, from Old to New
	Update = "update" // an update of the Job itself, from Old to New
	Create = "create" // a create of New
	About  = "about"  // what answers: its release and its gate
)

// Request is a question. A question that is not asked by hand is what json.Marshal makes of it.
type Request struct {
	// ID comes back with the response, whatever it is.
	ID json.RawMessage `json:"id,omitempty"`

	// Op is one of the constants; without it the question is about the status.
	Op string `json:"op,omitempty"`

	// Old is the Job that is stored and New the body that a client sends, both in batch/v1. The bytes
	// are taken as they are; Typed makes them first what a client with Go types would have sent (whole
	// seconds, no zero times, no unknown fields).
	//
	// An Old without a resourceVersion gets one, and so does a New, as in an update without conditions.
	// In a create, metadata.uid and metadata.creationTimestamp stand for what the server chooses.
	Old   json.RawMessage `json:"old,omitempty"`
	New   json.RawMessage `json:"new,omitempty"`
	Typed bool            `json:"typed,omitempty"`

	// Metadata keeps the errors below metadata in the answer about a status. The other two questions
	// always have them.
	Metadata bool `json:"metadata,omitempty"`

	// Rules asks of a status which options of the validation are on, and which one each error is due to.
	Rules bool `json:"rules,omitempty"`

	// Stored asks for the object that the server would store, where there is no error.
	Stored bool `json:"stored,omitempty"`
}

// Response is the answer to the request in the same place of the stream.
type Response struct {
	ID json.RawMessage `json:"id,omitempty"`

	// Errors is what the server says is wrong, in its order; empty if it accepts.
	Errors []Error `json:"errors"`

	// Failure is why there is no verdict: the request cannot be read, or the server would refuse it
	// with something else than a list of field errors.
	Failure string `json:"failure,omitempty"`

	// Options has the names of the options that the strategy switches on for this update, in the order
	// of upstream's struct. Only with Rules.
	Options []string `json:"options,omitempty"`

	// Stored is in batch/v1.
	Stored json.RawMessage `json:"stored,omitempty"`

	// About answers the question of that name.
	About *Server `json:"about,omitempty"`
}

// Error is one field error of the API server.
type Error struct {
	Type  string `json:"type"` // such as FieldValueInvalid
	Field string `json:"field"`

	// BadValue is what json.Marshal makes of the error's value, which has the types of batch/v1; a
	// value left out by field.OmitValueType is {}. It is missing for errors of the generated
	// (declarative) validation alone; their Detail has the value in it.
	BadValue json.RawMessage `json:"badValue,omitempty"`
	Detail   string          `json:"detail"`

	// Option is the option that the error is due to, or Always. Only with Rules, and not for metadata.
	Option string `json:"option,omitempty"`
}

// Always is the Option of an error that no option brings about.
const Always = "always"

// Server describes the process that answers.
type Server struct {
	Release      string `json:"release"`      // of k8s.io/kubernetes, such as v1.37.2
	JobManagedBy *bool  `json:"jobManagedBy"` // whether the gate is on; null where there is no such gate
}
