// SPDX-License-Identifier: Apache-2.0

package dispatcher

import (
	"context"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/managedby-dev/managedby/mirror"
)

// Report is where the plans go that people look at: the log, metrics, and events on the local Job.
type Report struct {
	Events  events.EventRecorder                                      // nil: none
	Listen  func(local *batchv1.Job, worker string, plan mirror.Plan) // nil: nobody
	plans   *prometheus.CounterVec
	actions *prometheus.CounterVec
}

// NewReport registers the metrics.
func NewReport(registry prometheus.Registerer, workers []string) (Report, error) {
	r := Report{
		plans: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "dispatcher_plans_total", Help: "Plans, by their outcome.",
		}, []string{"worker", "outcome"}),
		actions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "dispatcher_actions_total", Help: "Actions carried out, by what the API server said: done, moved on (a precondition), or failed.",
		}, []string{"worker", "action", "result"}),
	}
	for _, worker := range workers {
		for _, outcome := range mirror.Outcomes() {
			r.plans.WithLabelValues(worker, string(outcome))
		}
	}
	for _, c := range []prometheus.Collector{r.plans, r.actions} {
		if err := registry.Register(c); err != nil {
			return r, err
		}
	}
	return r, nil
}

// eventTypes are of the outcomes that the owner of a Job wants to know about.
var eventTypes = map[mirror.Outcome]string{
	mirror.Dispatching: corev1.EventTypeNormal, mirror.Evicting: corev1.EventTypeNormal, mirror.Evicted: corev1.EventTypeNormal,
	mirror.MirrorDeleting: corev1.EventTypeNormal, mirror.Concluded: corev1.EventTypeNormal, mirror.BackingOff: corev1.EventTypeNormal,
	mirror.Unreachable: corev1.EventTypeWarning, mirror.Conflict: corev1.EventTypeWarning, mirror.Invalid: corev1.EventTypeWarning,
	mirror.BadRecord: corev1.EventTypeWarning, mirror.Refused: corev1.EventTypeWarning, mirror.MirrorLost: corev1.EventTypeWarning,
	mirror.CleanupPending: corev1.EventTypeWarning, mirror.Abandoned: corev1.EventTypeWarning,
}

// Plan reports a plan before it is carried out.
func (r Report) Plan(ctx context.Context, local *batchv1.Job, worker string, plan mirror.Plan) {
	r.plans.WithLabelValues(worker, string(plan.Outcome)).Inc()
	logger := log.FromContext(ctx).WithValues("worker", worker, "outcome", plan.Outcome)
	verbosity := 1
	if len(plan.Actions) > 0 || plan.Err != nil {
		verbosity = 0
	}
	logger.V(verbosity).Info("plan", "plan", plan.String(), "adjustments", len(plan.Adjustments))
	if r.Listen != nil {
		r.Listen(local, worker, plan)
	}
	kind, notable := eventTypes[plan.Outcome]
	if !notable || plan.Outcome == mirror.Dispatching && !creates(plan) {
		return
	}
	note := plan.Why
	if plan.Err != nil {
		note += ": " + plan.Err.Error()
	}
	r.event(local, kind, string(plan.Outcome), "Plan", fmt.Sprintf("%s (worker %s)", note, worker))
}

// event is for the owner of a Job.
func (r Report) event(local *batchv1.Job, kind, reason, action, note string) {
	if local != nil && r.Events != nil {
		r.Events.Eventf(local, nil, kind, reason, action, "%s", note)
	}
}

// NoSuchWorker reports a Job that waits for a worker which this program does not have.
func (r Report) NoSuchWorker(ctx context.Context, local *batchv1.Job, worker string) {
	log.FromContext(ctx).Info("there is no such worker", "worker", worker)
	r.event(local, corev1.EventTypeWarning, "NoSuchWorker", "Plan", fmt.Sprintf("it is to run on the worker %s, which the dispatcher does not have", worker))
}

func creates(plan mirror.Plan) bool {
	for _, action := range plan.Actions {
		if action.Kind == mirror.CreateMirror {
			return true
		}
	}
	return false
}

// Action reports what came of an action. One that failed is tried again, and the owner of the Job is told why.
func (r Report) Action(ctx context.Context, local *batchv1.Job, worker string, action mirror.Action, err error) {
	result := "done"
	switch {
	case err == nil:
	case action.Tolerates(apierrors.ReasonForError(err)):
		result = "moved on"
		log.FromContext(ctx).Info("the world has moved on", "worker", worker, "action", action.String(), "answer", err.Error())
	default:
		result = "failed"
		r.event(local, corev1.EventTypeWarning, "Failed", string(action.Kind), fmt.Sprintf("%s: %v (worker %s)", action.Kind, err, worker))
	}
	r.actions.WithLabelValues(worker, string(action.Kind), result).Inc()
}

// Lost reports what a worker did not keep of a mirror.
func (r Report) Lost(ctx context.Context, worker string, lost []mirror.Loss) {
	for _, loss := range lost {
		log.FromContext(ctx).Info("the worker did not keep a field", "worker", worker, "loss", loss.String())
	}
}
