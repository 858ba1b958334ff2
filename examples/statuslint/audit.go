package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/managedby-dev/managedby/internal/jobfile"
	"github.com/managedby-dev/managedby/statusvalidate"
)

// event is what is of interest in an event of audit.k8s.io/v1.
type event struct {
	metav1.TypeMeta
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

// events judges the writes to the status of Jobs in an audit log.
func (o options) events(stdin io.Reader, now time.Time) (subjects []subject, warnings []string, err error) {
	file, log, err := jobfile.Open(o.audit, stdin)
	if err != nil {
		return nil, nil, err
	}
	defer log.Close()
	a := auditLog{options: o, file: file, now: now, stored: map[string]*batchv1.Job{}}
	scanner := bufio.NewScanner(log)
	scanner.Buffer(nil, jobfile.MaxSize)
	for number := 1; scanner.Scan(); number++ {
		if err := a.read(number, bytes.TrimSpace(scanner.Bytes())); err != nil {
			return nil, nil, fmt.Errorf("%s: line %d: %w", file, number, err)
		}
	}
	switch {
	case scanner.Err() != nil:
		return nil, nil, fmt.Errorf("%s: %w", file, scanner.Err())
	case a.events == 0:
		return nil, nil, fmt.Errorf("%s: there is no audit event in it: one is wanted on each line, in JSON", file)
	case len(a.subjects) == 0:
		warnings = []string{fmt.Sprintf("%s: none of its %d events is the answer to an update or patch of jobs/status: "+
			"the audit policy needs a rule for it, of level RequestResponse", file, a.events)}
	}
	return a.subjects, warnings, nil
}

// auditLog is what was read of one.
type auditLog struct {
	options
	file     string
	now      time.Time
	stored   map[string]*batchv1.Job // as far as the log has it
	events   int
	subjects []subject
}

func (a *auditLog) read(number int, line []byte) error {
	if len(line) == 0 {
		return nil
	}
	e, err := asEvent(line)
	if err != nil {
		return err
	}
	a.events++
	if e.ofStatus() {
		s := subject{
			Kind: anEvent, Source: fmt.Sprintf("%s: line %d", a.file, number), About: e.about(),
			Namespace: e.ObjectRef.Namespace, Name: e.ObjectRef.Name,
			file: a.file, lines: func(string) int { return number },
		}
		a.subjects = append(a.subjects, a.judgeEvent(s, e, a.stored[e.ObjectRef.key()], a.now))
	}
	if e.ofJob() && e.accepted() && !strings.Contains(e.RequestURI, "dryRun=") {
		a.store(e)
	}
	return nil
}

// store notes what the Job is now, or that it is not known. The name of a Job may be in the response only.
func (a *auditLog) store(e event) {
	if job := jobIn(e.ResponseObject); job != nil {
		a.stored[job.Namespace+"/"+job.Name] = job
		return
	}
	delete(a.stored, e.ObjectRef.key())
}

func asEvent(line []byte) (e event, err error) {
	if err := json.Unmarshal(line, &e); err != nil {
		return e, fmt.Errorf("it is no audit event in JSON: %w", err)
	}
	if e.Kind != "Event" || e.APIVersion != "audit.k8s.io/v1" {
		return e, fmt.Errorf("it is %q of %q, and not Event of audit.k8s.io/v1", e.Kind, e.APIVersion)
	}
	return e, nil
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
	return fmt.Sprintf("%s by %s at %s, answered with %s", e.Verb, who, e.RequestReceivedTimestamp, code)
}

// jobIn returns the Job in a request or response; nil if there is none.
func jobIn(object json.RawMessage) *batchv1.Job {
	var job batchv1.Job
	if json.Unmarshal(object, &job) != nil || job.Kind != "Job" {
		return nil
	}
	return &job
}

// judgeEvent says which rules an API server meant when it refused the write, and, as far as the log has the
// Job before and after, what those of the releases would have answered.
func (o options) judgeEvent(s subject, e event, stored *batchv1.Job, now time.Time) subject {
	sent := jobIn(e.ResponseObject)
	if !e.accepted() && e.Verb == "update" { // a patch that is applied has a kind too, and is not the whole Job
		sent = jobIn(e.RequestObject)
	}
	known := stored != nil && e.basedOn(stored)
	switch {
	case sent != nil && known:
		s = o.written(s, statusvalidate.Change{Old: stored, New: sent}, now)
	case sent != nil && e.accepted():
		s.About += "; the log does not have the Job before that, so that it is judged as it is"
		s = o.asItIs(s, sent, now)
	}
	if !e.accepted() && e.ResponseStatus != nil && e.ResponseStatus.Code == http.StatusUnprocessableEntity {
		s.Findings = o.refusal(s.Findings, e.ResponseStatus)
	}
	return s
}

// basedOn reports whether the request says that it changes that state of the Job.
func (e event) basedOn(stored *batchv1.Job) bool {
	var request struct {
		Metadata struct{ ResourceVersion string }
	}
	_ = json.Unmarshal(e.RequestObject, &request) // a JSON patch says nothing of the kind
	return request.Metadata.ResourceVersion != "" && request.Metadata.ResourceVersion == stored.ResourceVersion
}

// refusal adds to what the releases find what the API server found, where that is something else.
func (o options) refusal(found []finding, status *metav1.Status) []finding {
	known := map[string]bool{}
	for _, f := range found {
		known[f.Rule] = known[f.Rule] || f.Level == isError
	}
	list := causes(status, o.releases)
	if len(list) == 0 {
		list = []finding{{Level: isError, Message: status.Message, Releases: []string{}}}
	}
	for _, f := range list {
		if f.Rule == "" || !known[f.Rule] {
			found = append(found, f)
		}
	}
	return found
}
