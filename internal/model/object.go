// SPDX-License-Identifier: Apache-2.0

package model

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// The moments there are. Runs start at different seconds, so that one is told from another; nothing
// else in a Job depends on when it happened, but for what is before and after a deletion.
var (
	dayOne      = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	suspendTime = second(30)
	early       = second(40) // a run ends, and its mirror is not being deleted
	deleteTime  = second(50)
	late        = second(60)                              // a run ends whose mirror is being deleted
	now         = second(64)                              // the controller acts
	muchLater   = metav1.NewTime(dayOne.AddDate(0, 0, 1)) // and when all that it waits for has passed
)

const maxRuns, maxMirrors = 9, 9 // names for more are never needed at once

func second(n int) metav1.Time { return metav1.NewTime(dayOne.Add(time.Duration(n) * time.Second)) }

func runTime(run int) metav1.Time { return second(run) }

func mirrorUID(n int) types.UID { return types.UID(fmt.Sprintf("mirror-%d", n)) }

func localUID(n int) types.UID { return types.UID(fmt.Sprintf("local-%d", n)) }

const strangerUID = "stranger"

const foregroundFinalizer = metav1.FinalizerDeleteDependents

// object is a version of a Job, with what the model asks about it.
type object struct {
	job  *batchv1.Job
	text string // its JSON

	uid         types.UID
	stranger    bool      // not made by the controller
	incarnation types.UID // of the local Job that a mirror is made for
	suspended   bool
	deleting    bool
	foreground  bool // by foreground deletion
	held        bool // by the controller's finalizer on a mirror
	guarded     bool // by the controller's finalizer on a local Job
	verdict     batchv1.JobConditionType
	promise     batchv1.JobConditionType
	ended       metav1.Time // when it got its verdict
	promised    metav1.Time
	failedLate  bool // it fails, or is to fail, because it is deleted
	deceived    bool // the dispatch record names a stranger
	names       names
}

// names are the names of mirrors and the start times of runs that something refers to, a bit each.
type names struct{ mirrors, runs uint16 }

func namesIn(text string) (n names) {
	for i := 1; i <= maxMirrors; i++ {
		if strings.Contains(text, string(mirrorUID(i))) {
			n.mirrors |= 1 << i
		}
	}
	for i := 1; i <= maxRuns; i++ {
		if strings.Contains(text, runTime(i).Format(time.RFC3339)) {
			n.runs |= 1 << i
		}
	}
	return n
}

func (n names) with(others names) names {
	return names{n.mirrors | others.mirrors, n.runs | others.runs}
}

// free returns the lowest number whose bit is not set. A world that needs more numbers than the limit cannot be told
// apart from another any more. A search of it would claim what it has not seen, so it ends with that as its violation.
func (m *Model) free(used uint16, limit int) int {
	for i := 1; i <= limit; i++ {
		if used&(1<<i) == 0 {
			return i
		}
	}
	m.violated("the model is out of names")
	return limit
}

// intern returns the ID of a Job, in the form that makes equals of what differs only in when
// the controller acted.
func (m *Model) intern(job *batchv1.Job) objectID {
	m.settle(job)
	data, err := json.Marshal(job)
	if err != nil {
		panic(err)
	}
	text := string(data)
	if id, ok := m.byText[text]; ok {
		return id
	}
	id := objectID(len(m.objects))
	m.objects = append(m.objects, m.facts(job, text))
	m.byText[text] = id
	return id
}

func (m *Model) facts(job *batchv1.Job, text string) object {
	o := object{
		job: job, text: text, uid: job.UID, stranger: job.UID == strangerUID,
		suspended:   ptr.Deref(job.Spec.Suspend, false),
		deleting:    job.DeletionTimestamp != nil,
		foreground:  slices.Contains(job.Finalizers, foregroundFinalizer),
		held:        slices.Contains(job.Finalizers, m.keys.Hold),
		guarded:     slices.Contains(job.Finalizers, m.keys.Cleanup),
		incarnation: types.UID(job.Annotations[m.keys.UID]),
		deceived:    readRecord(job.Annotations[m.keys.Dispatch]).Mirror == strangerUID,
		names:       namesIn(text),
	}
	for _, c := range job.Status.Conditions {
		switch {
		case c.Status != corev1.ConditionTrue:
		case c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed:
			o.verdict, o.ended = c.Type, c.LastTransitionTime
		case c.Type == batchv1.JobSuccessCriteriaMet || c.Type == batchv1.JobFailureTarget:
			o.promise, o.promised = c.Type, c.LastTransitionTime
		}
	}
	o.failedLate = o.promise == batchv1.JobFailureTarget && o.promised.Equal(&late) ||
		o.promise == "" && o.verdict == batchv1.JobFailed && o.ended.Equal(&late)
	return o
}

// settle rewrites what depends on when the controller acted, and how often: times, and the number of the
// attempt, of which only one, two and more are told apart.
func (m *Model) settle(job *batchv1.Job) {
	job.ResourceVersion = "1" // whether it is current is known from the state
	settleTime(job.Status.StartTime)
	settleTime(job.Status.CompletionTime)
	for i := range job.Status.Conditions {
		c := &job.Status.Conditions[i]
		settleTime(&c.LastTransitionTime)
		if c.Reason == "MirrorLost" {
			c.Message = "lost"
		}
	}
	if text := job.Annotations[m.keys.Dispatch]; text != "" {
		job.Annotations[m.keys.Dispatch] = settleRecord(text)
	}
}

func settleTime(t *metav1.Time) {
	if t != nil && t.Equal(&muchLater) {
		*t = now
	}
}

// dispatchRecord is what the model reads of the dispatch record.
type dispatchRecord struct {
	Worker  string
	Attempt int
	Mirror  types.UID
}

var recordTime, recordAttempt = regexp.MustCompile(`"at":"[^"]*"`), regexp.MustCompile(`"attempt":\d+`)

func settleRecord(text string) string {
	text = recordTime.ReplaceAllLiteralString(text, `"at":"`+now.Format(time.RFC3339)+`"`)
	return recordAttempt.ReplaceAllLiteralString(text, fmt.Sprintf(`"attempt":%d`, min(readRecord(text).Attempt, 2)))
}

func readRecord(text string) (r dispatchRecord) {
	if text == "" {
		return r
	}
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		panic(err)
	}
	return r
}

// edit returns the version that a change makes of another. The op and its argument name the change.
func (m *Model) edit(id objectID, op string, arg int, change func(*batchv1.Job)) objectID {
	key := editKey{id, op, arg}
	if to, ok := m.edits[key]; ok {
		return to
	}
	job := m.objects[id].job.DeepCopy()
	change(job)
	to := m.intern(job)
	m.edits[key] = to
	return to
}

type editKey struct {
	id  objectID
	op  string
	arg int
}
