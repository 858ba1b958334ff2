// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// recordVersion is the version of the form of the dispatch record that is written and read.
const recordVersion = 1

// record is the dispatch record, an annotation of the local Job (Keys.Dispatch) that says where the
// Job was sent. It is written before every create of a mirror, so that it survives a crash between
// the two, and with the resourceVersion of the Job that the plan was made for, so that two
// controllers, or one with a cache that is behind, cannot both create. It is a JSON object:
//
//	v        the version of this form, 1
//	job      the UID of the local Job; a record that was copied along with a manifest has another
//	worker   State.Worker; absent when the Job was taken off its worker
//	attempt  how many times it was sent, from 1
//	lost     how many mirrors have disappeared on their own; absent if none
//	at       when, in RFC 3339, whole seconds, UTC
//	mirror   the UID of the mirror, once it is known
//	evicting true when the mirror is deleted to free the worker: then it is not lost; absent otherwise
//
// Members of other names are kept when the record is rewritten, and otherwise ignored: a later
// version may add some without a new v. The zero record is that of a Job which was never sent.
type record struct {
	Version int         `json:"v"`
	Job     types.UID   `json:"job"`
	Worker  string      `json:"worker,omitempty"`
	Attempt int32       `json:"attempt"`
	Lost    int32       `json:"lost,omitempty"`
	At      metav1.Time `json:"at"`
	Mirror  types.UID   `json:"mirror,omitempty"`

	Evicting bool `json:"evicting,omitempty"`

	text string // as it was read
}

// Dispatch says where a Job was sent, as its dispatch record has it. The zero Dispatch is that of a Job
// which never was.
type Dispatch struct {
	Worker   string      // empty if the Job was taken off its worker, or never sent
	Attempt  int32       // how many times it was sent
	Lost     int32       // how many mirrors have disappeared on their own
	At       metav1.Time // when it was sent last
	Mirror   types.UID   // of the mirror, once it is known
	Evicting bool        // the mirror is being deleted to free the worker
}

// DispatchOf returns where a Job was sent, for those who decide where it is wanted: moving a Job that runs
// starts it anew. The error is a [*RecordError] where [Planner.Decide] would say [BadRecord]. It panics if local is nil.
func (p *Planner) DispatchOf(local *batchv1.Job) (Dispatch, error) {
	r, err := parseRecord(local.Annotations[p.policy.Keys.Dispatch], local.UID)
	return Dispatch{r.Worker, r.Attempt, r.Lost, r.At, r.Mirror, r.Evicting}, err
}

// RecordError says why the dispatch record of a Job cannot be used. [Planner.Decide] returns it in
// Plan.Err with the outcome [BadRecord], and [Planner.DispatchOf] as its error. Nothing is guessed: a person has to remove the
// annotation, when no worker has a mirror of the Job.
type RecordError struct {
	Value string // of the annotation
	Err   error  // what is wrong with it
}

// shown is how much of a record is in an error's text.
const shown = 256

func (e *RecordError) Error() string {
	value := e.Value
	if len(value) > shown {
		value = value[:shown] + "…"
	}
	return fmt.Sprintf("mirror: dispatch record %q: %v", value, e.Err)
}

// Unwrap returns e.Err.
func (e *RecordError) Unwrap() error { return e.Err }

// parseRecord reads the annotation of the Job that has the given UID. None is the zero record.
func parseRecord(text string, job types.UID) (record, error) {
	if text == "" {
		return record{}, nil
	}
	r, ok := parseOwnForm(text)
	var err error
	if !ok {
		r, err = parseAnyForm(text)
	}
	if err == nil {
		err = r.validate(job)
	}
	if err != nil {
		return record{}, &RecordError{Value: text, Err: err}
	}
	r.text = text
	return r, nil
}

func parseAnyForm(text string) (record, error) {
	var r record
	err := json.Unmarshal([]byte(text), &r)
	return r, err
}

func (r *record) validate(job types.UID) error {
	switch {
	case r.Version != recordVersion:
		return fmt.Errorf("its version is %d, and only %d is known", r.Version, recordVersion)
	case r.Job != job:
		return fmt.Errorf("it belongs to the Job with UID %q", r.Job)
	case r.Attempt < 1 || r.Lost < 0:
		return errors.New("attempt or lost is out of range")
	case r.At.IsZero():
		return errors.New("it does not say when")
	case !onTheWire(&r.At):
		return errors.New("its time could not be written again")
	case r.Worker == "" && r.Mirror != "":
		return errors.New("it names a mirror and no worker")
	default:
		return nil
	}
}

// sent reports whether the Job was sent to a worker and not taken off it since.
func (r *record) sent() bool { return r.Worker != "" }

// claim is the record of the next attempt.
func (t *situation) claim() record {
	r := t.record
	if t.hasLost() {
		r.Lost = min(r.Lost, maxAttempt) + 1
	}
	r.Version, r.Job, r.Worker, r.At, r.Mirror, r.Evicting = recordVersion, t.local.UID, t.Worker, t.Now, "", false
	r.Attempt = min(r.Attempt, maxAttempt) + 1
	return r
}

// atItsLongest is the record as it may become while the mirror of this attempt is there.
func (r record) atItsLongest() record {
	r.Mirror, r.Evicting = "00000000-0000-0000-0000-000000000000", true
	return r
}

// hasLost reports, of a Job whose mirror is not there, whether it has disappeared. One that was deleted by
// us, or on another worker where the Job is not wanted any more, has not.
func (t *situation) hasLost() bool {
	return t.record.Worker == t.Worker && t.record.Mirror != "" && !t.record.Evicting
}

// maxAttempt keeps the counters from overflowing.
const maxAttempt = 1 << 30

// adopt is the record with the UID of the mirror that was found.
func (t *situation) adopt() record {
	r := t.record
	if !r.sent() {
		r = t.claim()
	}
	r.Worker, r.Mirror, r.Evicting = t.Worker, t.mirror.UID, false
	return r
}

// released is the record of a Job that is on no worker.
func (t *situation) released() record {
	r := t.record
	r.Worker, r.Mirror, r.Evicting = "", "", false
	return r
}

// String returns the record as it is stored, with the members that it was read with and does not
// know.
func (r record) String() string {
	known, _ := json.Marshal(r) // nothing in it can fail
	members := map[string]json.RawMessage{}
	if json.Unmarshal([]byte(r.text), &members) != nil || len(members) == 0 {
		return string(known)
	}
	for name := range members { // as encoding/json matches names: in any case
		if slices.ContainsFunc(recordMembers, func(known string) bool { return strings.EqualFold(known, name) }) {
			delete(members, name)
		}
	}
	if len(members) == 0 {
		return string(known)
	}
	others, _ := json.Marshal(members)
	return string(known[:len(known)-1]) + "," + string(others[1:])
}

var recordMembers = []string{"v", "job", "worker", "attempt", "lost", "at", "mirror", "evicting"}

// parseOwnForm reads the form that String writes, without allocating, and answers false for any other
// form that JSON allows.
func parseOwnForm(text string) (r record, ok bool) {
	s := scanner{rest: text}
	s.literal(`{"v":1,"job":"`)
	r.Job = types.UID(s.until(`"`))
	if s.optional(`,"worker":"`) {
		r.Worker = s.until(`"`)
	}
	s.literal(`,"attempt":`)
	r.Attempt = s.digits()
	if s.optional(`,"lost":`) {
		r.Lost = s.digits()
	}
	s.literal(`,"at":"`)
	at, err := time.Parse(time.RFC3339, s.until(`"`))
	if s.optional(`,"mirror":"`) {
		r.Mirror = types.UID(s.until(`"`))
	}
	r.Evicting = s.optional(`,"evicting":true`)
	s.literal(`}`)
	if s.failed || s.rest != "" || err != nil || !isPlain(r.Worker) || !isPlain(string(r.Job)) || !isPlain(string(r.Mirror)) {
		return record{}, false
	}
	r.Version, r.At = recordVersion, metav1.NewTime(at)
	return r, true
}

// scanner takes a text apart from the left.
type scanner struct {
	rest   string
	failed bool
}

func (s *scanner) optional(literal string) bool {
	rest, found := strings.CutPrefix(s.rest, literal)
	s.rest = rest
	return found
}

func (s *scanner) literal(literal string) {
	s.failed = !s.optional(literal) || s.failed
}

func (s *scanner) until(end string) string {
	before, after, found := strings.Cut(s.rest, end)
	s.rest, s.failed = after, s.failed || !found
	return before
}

// digits reads a number of up to nine digits.
func (s *scanner) digits() int32 {
	var n int32
	length := 0
	for length < len(s.rest) && s.rest[length] >= '0' && s.rest[length] <= '9' && length <= 9 {
		n = n*10 + int32(s.rest[length]-'0')
		length++
	}
	leadingZero := length > 1 && s.rest[0] == '0'
	s.rest, s.failed = s.rest[length:], s.failed || length == 0 || length > 9 || leadingZero
	return n
}
