// SPDX-License-Identifier: Apache-2.0

package statusvalidate

import (
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Change is an update of a Job's status, as the API server sees it: Old is the stored Job, New is
// the Job as the client sends it. It is a struct, and not two arguments, so that a call cannot get
// them the wrong way round.
//
// Only the status of New counts. Its spec is ignored, because a write to the status subresource
// cannot change the spec: every rule reads Old's. Its metadata counts for [ValidateMetadata] alone.
//
// Neither Job may be nil. Everything else may be missing or malformed.
type Change struct {
	Old, New *batchv1.Job
}

// instant is a time as it reaches the API server: JSON and protobuf clients send a zero time as
// nothing and every other time in whole seconds, without a zone.
type instant struct {
	set     bool
	seconds int64
}

func onWire(t *metav1.Time) instant {
	if t.IsZero() {
		return instant{}
	}
	return instant{set: true, seconds: t.Unix()}
}

// time is the instant as the value of an error; nothing of it is shared with the Job.
func (i instant) time() *metav1.Time {
	if !i.set {
		return nil
	}
	t := metav1.Unix(i.seconds, 0)
	return &metav1.Time{Time: t.UTC()}
}

func (i instant) before(j instant) bool {
	return i.set && j.set && i.seconds < j.seconds
}
