// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"

	"github.com/managedby-dev/managedby/internal/jobfile"
	"github.com/managedby-dev/managedby/statusvalidate"
)

// report reads what the flags name and judges it. Warnings are about the input.
func (o options) report(stdin io.Reader, now time.Time) (r report, warnings []string, err error) {
	var subjects []subject
	switch {
	case o.old != "":
		subjects, warnings, err = o.updates(stdin, now)
	case o.audit != "":
		subjects, warnings, err = o.events(stdin, now)
	case o.answer != "":
		subjects, warnings, err = o.answers(stdin)
	default:
		subjects, warnings, err = o.jobs(stdin, now)
	}
	if err != nil {
		return report{}, nil, err
	}
	return newReport(o, subjects), warnings, nil
}

// jobs judges Jobs as they are. A file without Jobs is passed over if there are others.
func (o options) jobs(stdin io.Reader, now time.Time) (subjects []subject, warnings []string, err error) {
	var nothing error
	read := 0
	for _, file := range o.files {
		jobs, more, err := jobfile.Read(file, stdin)
		var other *jobfile.OtherKindError
		switch {
		case errors.As(err, &other):
			err = fmt.Errorf("%w%s", err, hint(other.Kind, other.APIVersion))
			nothing = cmp.Or(nothing, err)
			more = []string{err.Error() + "; passed over"}
		case err != nil && !errors.Is(err, jobfile.ErrEmptyList):
			return nil, nil, err
		default:
			read++
		}
		warnings = append(warnings, more...)
		for _, j := range jobs {
			subjects = append(subjects, o.asItIs(subjectOf(aJob, j), j.Job, now))
		}
	}
	if read == 0 {
		return nil, nil, nothing
	}
	return subjects, warnings, nil
}

// hint says which flag is for what is not where it belongs.
func hint(kind, apiVersion string) string {
	switch {
	case kind == "Status":
		return ": an API server's answer goes to -error"
	case (kind == "Event" || kind == "EventList") && strings.HasPrefix(apiVersion, "audit.k8s.io/"):
		return ": audit events of audit.k8s.io/v1 go to -audit"
	case kind == "Job" || kind == "JobList" || kind == "List":
		return ": Jobs go without a flag, or to -old and -new"
	}
	return ""
}

func subjectOf(kind subjectKind, j jobfile.Sourced) subject {
	return subject{Kind: kind, Source: j.At.String(), file: j.At.File, Namespace: j.Job.Namespace, Name: j.Job.Name, lines: j.Line}
}

// asItIs judges a Job by itself. What mends it is what should have been written to the same Job without a
// status.
func (o options) asItIs(s subject, job *batchv1.Job, now time.Time) subject {
	blank := job.DeepCopy()
	blank.Status = batchv1.JobStatus{}
	s.alone = true
	s = o.judged(s, statusvalidate.Change{Old: blank, New: job}, now, func(v statusvalidate.Validator) statusvalidate.Violations {
		return v.ValidateStatus(job)
	})
	for i := range s.Mends {
		s.Mends[i].meet(job, o.releases)
	}
	return s
}

// written judges a write.
func (o options) written(s subject, c statusvalidate.Change, now time.Time) subject {
	return o.judged(s, c, now, func(v statusvalidate.Validator) statusvalidate.Violations { return v.Validate(c) })
}

// judged adds what is wrong, and what to write instead.
func (o options) judged(s subject, c statusvalidate.Change, now time.Time, ask question) subject {
	s.status = &c.New.Status
	if s.Findings = judge(asSent(c), o.releases, ask); len(s.Findings) > 0 {
		s.Mends = mends(toMend{c, s.alone}, o.releases, now, s.refused())
	}
	return s
}

// asSent is the Job with the status that is sent: a write to the status cannot change the spec.
func asSent(c statusvalidate.Change) *batchv1.Job {
	return &batchv1.Job{Spec: c.Old.Spec, Status: c.New.Status}
}

// updates judges writes to the status of Jobs.
func (o options) updates(stdin io.Reader, now time.Time) (subjects []subject, warnings []string, err error) {
	before, warnings, err := jobfile.Read(o.old, stdin)
	if err != nil {
		return nil, nil, err
	}
	after, more, err := jobfile.Read(o.new, stdin)
	if err != nil {
		return nil, nil, err
	}
	warnings = append(warnings, more...)
	pairs, alone, err := jobfile.Match(after, before)
	if err != nil {
		return nil, nil, err
	}
	if len(alone) > 0 {
		warnings = append(warnings, jobfile.Alone(alone, before[0].At.File))
	}
	for _, p := range pairs {
		change := statusvalidate.Change{Old: p[1].Job, New: p[0].Job}
		s := o.written(subjectOf(anUpdate, p[0]), change, now)
		subjects = append(subjects, s)
		warnings = append(warnings, doubts(p[1], p[0])...)
		if o.looksSwapped(s, change) {
			warnings = append(warnings, fmt.Sprintf("%s: it is refused, and the other way round it would be accepted: are -old and -new swapped?", s.Source))
		}
	}
	return subjects, warnings, nil
}

// doubts says where two Jobs do not look like one before and after a write.
func doubts(before, after jobfile.Sourced) (warnings []string) {
	if before.Job.UID != after.Job.UID && before.Job.UID != "" && after.Job.UID != "" {
		return []string{fmt.Sprintf("%v: it is another Job than that of %v, by its UID; its status is judged as if it were written to that one", after.At, before.At)}
	}
	older, errOlder := strconv.ParseUint(before.Job.ResourceVersion, 10, 64)
	newer, errNewer := strconv.ParseUint(after.Job.ResourceVersion, 10, 64)
	if errOlder == nil && errNewer == nil && newer < older {
		return []string{fmt.Sprintf("%v: its resourceVersion is lower than that of %v: are -old and -new swapped?", after.At, before.At)}
	}
	return nil
}

// looksSwapped reports whether a write is refused for the step alone, not for what it leads to, and the
// opposite step is not.
func (o options) looksSwapped(s subject, c statusvalidate.Change) bool {
	v := statusvalidate.ForAll(o.releases...)
	return s.refused() && len(v.ValidateStatus(asSent(c))) == 0 && v.Allows(statusvalidate.Change{Old: c.New, New: c.Old})
}
