// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/managedby-dev/managedby/internal/jobfile"
	"github.com/managedby-dev/managedby/statusvalidate"
)

// events judges the writes to the status of Jobs in an audit log.
func (o options) events(stdin io.Reader, now time.Time) (subjects []subject, warnings []string, err error) {
	file, log, err := jobfile.Open(o.audit, stdin)
	if err != nil {
		return nil, nil, err
	}
	defer log.Close()
	text, err := jobfile.TextReader(log)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	a := auditLog{options: o, file: file, now: now, stored: map[string]*batchv1.Job{}, unjudged: map[string]int{}}
	scanner := bufio.NewScanner(text)
	scanner.Buffer(nil, jobfile.MaxSize)
	for number := 1; scanner.Scan(); number++ {
		a.readLine(number, scanner.Bytes())
	}
	a.readWhole()
	switch {
	case scanner.Err() != nil:
		return nil, nil, fmt.Errorf("%s: %w", file, scanner.Err())
	case a.events == 0 && a.unreadable > 0:
		return nil, nil, a.firstError
	case a.events == 0 && a.lists == 0:
		return nil, nil, fmt.Errorf("%s: there is no audit event in it: one is wanted on each line, in JSON, or an EventList", file)
	}
	return a.subjects, a.warnings(), nil
}

// auditLog is what was read of one.
type auditLog struct {
	options
	file       string
	now        time.Time
	stored     map[string]*batchv1.Job // as far as the log has it
	events     int
	lists      int // EventLists
	unreadable int // lines
	firstError error
	head       []byte // the lines before the first that could be read
	writes     int
	unjudged   map[string]int // writes of which the log does not have enough, by the level of their events
	subjects   []subject
}

// readLine reads what is on a line, and passes over it if it is no event: the last line of a log may be cut
// off, and others may be of something else.
func (a *auditLog) readLine(number int, line []byte) {
	if a.events+a.lists == 0 && len(a.head)+len(line) < jobfile.MaxSize {
		a.head = append(append(a.head, line...), '\n')
	}
	if line = bytes.TrimSpace(line); len(line) == 0 {
		return
	}
	at := fmt.Sprintf("%s: line %d", a.file, number)
	if err := a.read(at, number, line); err != nil {
		if a.unreadable++; a.firstError == nil {
			a.firstError = fmt.Errorf("%s: %w", at, err)
		}
	}
}

// readWhole reads the file as one thing where no line is one: an event or an EventList may be on many lines.
func (a *auditLog) readWhole() {
	if a.events+a.lists > 0 || a.unreadable == 0 {
		return
	}
	docs, err := jobfile.Split(a.file, a.head)
	if err != nil {
		return
	}
	unreadable, whole := a.unreadable, error(nil)
	a.unreadable = 0
	for _, d := range docs {
		if err := a.read(d.At.String(), 0, d.JSON); err != nil {
			a.unreadable, whole = a.unreadable+1, fmt.Errorf("%v: %w", d.At, err)
		}
	}
	if a.events+a.lists == 0 {
		a.unreadable = unreadable
	} else {
		a.firstError = whole
	}
}

func (a *auditLog) warnings() (list []string) {
	if a.unreadable > 0 {
		list = append(list, fmt.Sprintf("%s: passed over what is no audit event, %s; the first: %v", a.file, counted(a.unreadable, "time"), a.firstError))
	}
	if len(a.unjudged) > 0 {
		list = append(list, a.unjudgedWarning())
	}
	if a.writes == 0 {
		list = append(list, fmt.Sprintf("%s: none of its %s is the answer to an update or patch of jobs/status: "+
			"the audit policy needs a rule for it, of level RequestResponse", a.file, counted(a.events, "event")))
	}
	return list
}

// unjudgedWarning says of how many writes the log does not have enough, and why.
func (a *auditLog) unjudgedWarning() string {
	n, levels := 0, []string{}
	for _, level := range slices.Sorted(maps.Keys(a.unjudged)) {
		n += a.unjudged[level]
		levels = append(levels, cmp.Or(level, "unknown"))
	}
	return fmt.Sprintf("%s: %d of %d writes are not judged: the log has no object that can be read, or no answer (level %s)",
		a.file, n, a.writes, strings.Join(levels, ", "))
}

// read adds an event, or those of an EventList.
func (a *auditLog) read(at string, number int, data []byte) error {
	list, isList, err := asEvents(data)
	if err != nil {
		return err
	}
	if !isList {
		a.add(at, number, list[0])
		return nil
	}
	a.lists++
	for i, e := range list {
		a.add(fmt.Sprintf("%s: items[%d]", at, i), number, e)
	}
	return nil
}

func (a *auditLog) add(at string, number int, e event) {
	a.events++
	if e.ofStatus() {
		a.writes++
		s := subject{
			Kind: anEvent, Source: at, About: e.about(),
			Namespace: e.ObjectRef.Namespace, Name: e.ObjectRef.Name,
			file: a.file, lines: func(string) int { return number },
		}
		if s, ok := a.judgeEvent(s, e, a.stored[e.ObjectRef.key()], a.now); ok {
			a.subjects = append(a.subjects, s)
		} else {
			a.unjudged[e.Level]++
		}
	}
	if e.ofJob() && e.accepted() && !strings.Contains(e.RequestURI, "dryRun=") {
		a.store(e)
	}
}

// store notes what the Job is now, or that it is not known. The name of a Job may be in the response only.
func (a *auditLog) store(e event) {
	if job := jobIn(e.ResponseObject); job != nil {
		a.stored[job.Namespace+"/"+job.Name] = job
		return
	}
	delete(a.stored, e.ObjectRef.key())
}

// judgeEvent says which rules an API server meant when it refused the write, and, as far as the log has the
// Job before and after, what those of the releases would have answered. It is not ok if the log has too little
// to say anything.
func (o options) judgeEvent(s subject, e event, stored *batchv1.Job, now time.Time) (judged subject, ok bool) {
	sent := e.sent()
	known := stored != nil && e.basedOn(stored)
	switch {
	case sent != nil && known:
		s = o.written(s, statusvalidate.Change{Old: stored, New: sent}, now)
	case sent != nil && e.accepted():
		s.About += "; the log does not have the Job before that, so that it is judged as it is"
		s = o.asItIs(s, sent, now)
	case e.ResponseStatus == nil, e.accepted():
		return s, false
	}
	if !e.accepted() && e.ResponseStatus != nil && e.ResponseStatus.Code == http.StatusUnprocessableEntity {
		s.Findings = o.refusal(s.Findings, e.ResponseStatus)
	}
	return s, true
}

// unexplained is of an answer that has no message.
const unexplained = "the API server refused it with 422, and the log does not say why"

// refusal adds to what the releases find what the API server found, where that is something else.
func (o options) refusal(found []finding, status *metav1.Status) []finding {
	known := map[string]bool{}
	for _, f := range found {
		known[f.Rule] = known[f.Rule] || f.Level == isError
	}
	complete(status)
	list := causes(status, o.releases)
	if len(list) == 0 {
		list = []finding{{Level: isError, Message: cmp.Or(status.Message, unexplained), Releases: []string{}}}
	}
	for _, f := range list {
		if f.Rule == "" || !known[f.Rule] {
			found = append(found, f)
		}
	}
	return found
}
