// SPDX-License-Identifier: Apache-2.0

package jobmanagedby_test

import (
	"regexp"
	"strings"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/jobmanagedby"
)

// releases are one of each kind there is for the gate.
var releases = []struct {
	version  string
	gate     *bool
	emulated string
}{
	{"1.29.14", nil, ""},
	{"1.29.14", ptr.To(true), ""},
	{"1.30.14", nil, ""},
	{"1.31.14", ptr.To(false), ""},
	{"1.31.14", ptr.To(true), ""},
	{"1.32.13", nil, ""},
	{"1.34.4", ptr.To(false), ""},
	{"1.35.4", nil, ""},
	{"1.35.4", ptr.To(false), ""},
	{"1.37.2", nil, "1.34"},
	{"1.37.2", ptr.To(false), "1.34"},
	{"1.38.0", ptr.To(false), ""},
}

func TestDecide(t *testing.T) {
	on, off := ptr.To(true), ptr.To(false)
	tests := []struct {
		name       string
		managedBy  *string
		release    string
		gate       *bool
		controller string
		skip       bool
		reason     jobmanagedby.Reason
		why        string
	}{
		{"unset", nil, "1.35.4", nil, jobmanagedby.JobController, false, jobmanagedby.ReasonUnset, "the built-in controller's own"},
		{"unset, too old", nil, "1.29.14", nil, jobmanagedby.JobController, false, jobmanagedby.ReasonUnset, "nothing to honour"},
		{"unset, gate off", nil, "1.33.13", off, jobmanagedby.JobController, false, jobmanagedby.ReasonUnset, "nothing to honour"},
		{"reserved", ptr.To(jobmanagedby.JobController), "1.35.4", nil, jobmanagedby.JobController, false, jobmanagedby.ReasonReservedName, "as unset"},
		{"reserved, gate off", ptr.To(jobmanagedby.JobController), "1.31.14", nil, jobmanagedby.JobController, false, jobmanagedby.ReasonReservedName, "run all the same"},
		{"delegated", ptr.To(dispatcher), "1.35.4", nil, dispatcher, true, jobmanagedby.ReasonDelegated, "GA"},
		{"delegated, alpha on", ptr.To(dispatcher), "1.30.14", on, dispatcher, true, jobmanagedby.ReasonDelegated, "switched on"},
		{"delegated, locked", ptr.To(dispatcher), "1.36.3", off, dispatcher, true, jobmanagedby.ReasonDelegated, "the lock cannot be broken"},
		{"delegated, newest", ptr.To(dispatcher), "1.38.0-beta.0", off, dispatcher, true, jobmanagedby.ReasonDelegated, "no gate"},
		{"alpha off", ptr.To(dispatcher), "1.31.14", nil, dispatcher, false, jobmanagedby.ReasonGateOff, "two controllers"},
		{"beta off", ptr.To(dispatcher), "1.34.4", off, dispatcher, false, jobmanagedby.ReasonGateOff, "two controllers"},
		{"too old", ptr.To(dispatcher), "1.29.14", nil, dispatcher, false, jobmanagedby.ReasonReleaseTooOld, "two controllers"},
		{"too old, gate on", ptr.To(dispatcher), "1.29.14", on, dispatcher, false, jobmanagedby.ReasonReleaseTooOld, "there is no such gate"},
		{"empty", ptr.To(""), "1.35.4", nil, "", true, jobmanagedby.ReasonEmptyName, "no controller at all"},
		{"empty, gate off", ptr.To(""), "1.31.14", nil, "", false, jobmanagedby.ReasonGateOff, "run, because nobody looks at the field"},
		{"malformed", ptr.To("dispatcher"), "1.35.4", nil, "dispatcher", true, jobmanagedby.ReasonDelegated, "only the API server checks the form"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := mustParse(t, tt.release)
			r.Gate = tt.gate
			got := jobmanagedby.Decide(jobFor(tt.managedBy), r)
			if got.Skip != tt.skip || got.Reason != tt.reason || got.Controller != tt.controller {
				t.Errorf("Decide = %+v, want skip %v, %s, %q: %s", got, tt.skip, tt.reason, tt.controller, tt.why)
			}
		})
	}
}

// Whatever the release and the value: the built-in controller skips if and only if the release honours
// the field and the value is a foreign one; the reason's row says the same; a hazard is a Job that not
// exactly one controller runs; and the message names the value and the release on one line.
func TestDecideEverywhere(t *testing.T) {
	rows := map[jobmanagedby.Reason]jobmanagedby.ReasonInfo{}
	for _, info := range jobmanagedby.Reasons() {
		rows[info.Reason] = info
	}
	seen := map[jobmanagedby.Reason]bool{}
	for _, rel := range releases {
		r := mustParse(t, rel.version)
		r.Gate = rel.gate
		if rel.emulated != "" {
			r.Emulation = mustParse(t, rel.emulated).Version
		}
		for _, name := range []*string{nil, ptr.To(""), ptr.To(jobmanagedby.JobController), ptr.To(dispatcher), ptr.To("50% off/x")} {
			job := jobFor(name)
			d := jobmanagedby.Decide(job, r)
			seen[d.Reason] = true
			foreign := name != nil && *name != jobmanagedby.JobController
			if want := foreign && r.HonorsManagedBy(); d.Skip != want {
				t.Errorf("%s, %q: Skip = %v, want %v", r, d.Controller, d.Skip, want)
			}
			if row := rows[d.Reason]; row.Skip != d.Skip {
				t.Errorf("%s, %q: Skip = %v, but Reasons says %v of %s", r, d.Controller, d.Skip, row.Skip, d.Reason)
			}
			if want := foreign && (!r.HonorsManagedBy() || *name == ""); d.Reason.Hazard() != want {
				t.Errorf("%s, %q: %s is a hazard: %v, want %v", r, d.Controller, d.Reason, !want, want)
			}
			if d.Controller != jobmanagedby.ManagedBy(job) {
				t.Errorf("%s: Controller = %q, want %q", r, d.Controller, jobmanagedby.ManagedBy(job))
			}
			if !strings.Contains(d.Message, r.String()) || (name != nil && !strings.Contains(d.Message, *name)) ||
				strings.ContainsAny(d.Message, "\n") || strings.Contains(d.Message, "%!") {
				t.Errorf("%s, %q: message %q", r, d.Controller, d.Message)
			}
		}
	}
	for reason := range rows {
		if !seen[reason] {
			t.Errorf("no Job has the reason %s", reason)
		}
	}
	if len(seen) != len(rows) {
		t.Errorf("reasons seen: %v, reasons listed: %v", seen, rows)
	}
}

// The hazards say what to do, not only what is wrong.
func TestHazardMessagesSayWhatToDo(t *testing.T) {
	tests := []struct {
		release   string
		managedBy string
		want      string
	}{
		{"1.31.14", dispatcher, "turn the gate on"},
		{"1.29.14", dispatcher, "upgrade"},
		{"1.35.4", "", "create the Job anew"},
	}
	for _, tt := range tests {
		d := jobmanagedby.Decide(jobFor(&tt.managedBy), mustParse(t, tt.release))
		if !d.Reason.Hazard() || !strings.Contains(d.Message, tt.want) {
			t.Errorf("%s: %s (hazard %v): %q does not say %q", tt.release, d.Reason, d.Reason.Hazard(), d.Message, tt.want)
		}
	}
}

func TestReasons(t *testing.T) {
	camelCase := regexp.MustCompile(`^([A-Z][a-z]+)+$`)
	seen := map[jobmanagedby.Reason]bool{}
	for _, info := range jobmanagedby.Reasons() {
		if seen[info.Reason] || !camelCase.MatchString(string(info.Reason)) || info.Summary == "" {
			t.Errorf("row %+v: wants a CamelCase reason of its own and a summary", info)
		}
		seen[info.Reason] = true
		if info.Hazard != info.Reason.Hazard() {
			t.Errorf("%s: Hazard() = %v, row %v", info.Reason, info.Reason.Hazard(), info.Hazard)
		}
	}
	jobmanagedby.Reasons()[0].Reason = "Changed"
	if got := jobmanagedby.Reasons()[0].Reason; got == "Changed" {
		t.Error("Reasons returns a shared slice")
	}
	if jobmanagedby.Reason("Other").Hazard() {
		t.Error("an unknown reason is a hazard")
	}
}

// Skew: the API server's release decides whether the field is kept at create, the
// kube-controller-manager's whether the Job is skipped. All four combinations occur during an upgrade.
func TestSkew(t *testing.T) {
	tests := []struct {
		apiServer, controllerManager string
		stored, skipped, hazard      bool
		why                          string
	}{
		{"1.32.13", "1.31.14", true, false, true, "API server first, as upgrades go: stored and run twice"},
		{"1.32.13", "1.32.13", true, true, false, "both new"},
		{"1.31.14", "1.31.14", false, false, false, "dropped: an ordinary Job"},
		{"1.31.14", "1.32.13", false, false, false, "dropped, so there is nothing to skip"},
	}
	for _, tt := range tests {
		t.Run(tt.apiServer+" and "+tt.controllerManager, func(t *testing.T) {
			sent := jobFor(ptr.To(dispatcher))
			stored := sent.DeepCopy()
			if !mustParse(t, tt.apiServer).HonorsManagedBy() {
				stored.Spec.ManagedBy = nil // what PrepareForCreate does there
			}
			d := jobmanagedby.Decide(stored, mustParse(t, tt.controllerManager))
			if jobmanagedby.Dropped(sent, stored) == tt.stored || d.Skip != tt.skipped || d.Reason.Hazard() != tt.hazard {
				t.Errorf("dropped %v, %+v; want stored %v, skipped %v, hazard %v: %s",
					jobmanagedby.Dropped(sent, stored), d, tt.stored, tt.skipped, tt.hazard, tt.why)
			}
		})
	}
}
