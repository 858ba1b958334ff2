// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/managedby-dev/managedby/mirror"
)

// TestNewLifecycle: the knobs of PlanSpec and Decide, one by one.
func TestNewLifecycle(t *testing.T) {
	tests := []struct {
		name   string
		change func(*mirror.Policy)
		want   []problem
	}{
		{"suspend at creation", func(p *mirror.Policy) { p.Suspend = mirror.SuspendAtCreation }, nil},
		{"suspend otherwise", func(p *mirror.Policy) { p.Suspend = "Never" }, []problem{{"Suspend", field.ErrorTypeNotSupported}}},
		{"abandon", func(p *mirror.Policy) { p.AbandonAfter = time.Hour }, nil},
		{"abandon before", func(p *mirror.Policy) { p.AbandonAfter = -1 }, []problem{{"AbandonAfter", field.ErrorTypeInvalid}}},
		{"keep for ever", func(p *mirror.Policy) { p.KeepFinished = -1 }, nil},
		{"fail", func(p *mirror.Policy) { p.OnMirrorLost = mirror.FailJob }, nil},
		{"lost otherwise", func(p *mirror.Policy) { p.OnMirrorLost = "Retry" }, []problem{{"OnMirrorLost", field.ErrorTypeNotSupported}}},
		{"attempts", func(p *mirror.Policy) { p.MaxAttempts = 1 }, nil},
		{"attempts below zero", func(p *mirror.Policy) { p.MaxAttempts = -1 }, []problem{{"MaxAttempts", field.ErrorTypeInvalid}}},
		{"delay below zero", func(p *mirror.Policy) { p.RetryDelay = -1 }, []problem{{"RetryDelay", field.ErrorTypeInvalid}}},
		{"condition", func(p *mirror.Policy) { p.Condition = "acme.io/Mirrored" }, nil},
		{"condition of the Job API", func(p *mirror.Policy) { p.Condition = "Complete" }, []problem{{"Condition", field.ErrorTypeForbidden}}},
		{"condition with a blank", func(p *mirror.Policy) { p.Condition = "Is Mirrored" }, []problem{{"Condition", field.ErrorTypeInvalid}}},
		{"keys twice", func(p *mirror.Policy) { p.Keys.Dispatch = "acme.io/mirror-hold" }, []problem{{"Keys.Dispatch", field.ErrorTypeDuplicate}}},
		{"tracking finalizer", func(p *mirror.Policy) { p.Keys.Hold = "batch.kubernetes.io/job-tracking" }, []problem{{"Keys.Hold", field.ErrorTypeForbidden}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			policy := mirror.Policy{Controller: dispatcher, Origin: origin}
			test.change(&policy)
			_, err := mirror.New(policy)
			var got []problem
			if bad := (*mirror.PolicyError)(nil); errors.As(err, &bad) {
				got = problemsOf(bad.Errs)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
