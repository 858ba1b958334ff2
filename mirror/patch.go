// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
)

// Patch returns the plan's write as a JSON merge patch ([types.MergePatchType]) of the subresource
// "status" of local, the Job that the plan was made for; nil if there is nothing to write. It holds what
// changes, and the UID and resourceVersion of local, where it has them, as preconditions: the API server answers
// Conflict if local is no longer the Job that the plan was made for.
//
// It is better than an update: that would drop what a later release keeps in a status and the Go types
// of this program do not know. A strategic merge patch would not do, for it cannot take a
// condition out.
//
// Patch panics if local is nil and there is something to write.
//
// [types.MergePatchType]: https://pkg.go.dev/k8s.io/apimachinery/pkg/types#MergePatchType
func (p StatusPlan) Patch(local *batchv1.Job) []byte {
	if p.Status == nil {
		return nil
	}
	return mergePatch(local, nil, statusDiff(&local.Status, p.Status))
}

// statusDiff returns the members of a merge patch that makes one status another.
func statusDiff(from, to *batchv1.JobStatus) map[string]any {
	return diff(members(from), members(to))
}

// members returns v as a JSON object.
func members(v any) map[string]any {
	data, _ := json.Marshal(v) // nothing in a status can fail
	var m map[string]any
	_ = json.Unmarshal(data, &m)
	return m
}

// diff returns the merge patch from one JSON object to another. As a merge patch has it, null
// removes a member, objects are merged, and lists are replaced.
func diff(from, to map[string]any) map[string]any {
	patch := map[string]any{}
	for name, value := range to {
		old, isObject := from[name].(map[string]any)
		object, becomesObject := value.(map[string]any)
		switch {
		case isObject && becomesObject:
			if inner := diff(old, object); len(inner) > 0 {
				patch[name] = inner
			}
		case !sameJSON(from[name], value):
			patch[name] = value
		}
	}
	for name := range from {
		if _, kept := to[name]; !kept {
			patch[name] = nil
		}
	}
	return patch
}

// sameJSON compares values as JSON has them: 1 is 1.0.
func sameJSON(a, b any) bool {
	switch a := a.(type) {
	case int64:
		f, isFloat := b.(float64)
		return a == b || isFloat && float64(a) == f
	case float64:
		i, isInt := b.(int64)
		return a == b || isInt && a == float64(i)
	case []any:
		b, isList := b.([]any)
		return isList && slices.EqualFunc(a, b, sameJSON)
	case map[string]any:
		b, isObject := b.(map[string]any)
		return isObject && maps.EqualFunc(a, b, sameJSON)
	default:
		return reflect.DeepEqual(a, b)
	}
}

// mergePatch returns a merge patch of a Job, with the preconditions in its metadata.
func mergePatch(job *batchv1.Job, metadata, status map[string]any) []byte {
	meta := map[string]any{}
	if job.UID != "" {
		meta["uid"] = job.UID
	}
	if job.ResourceVersion != "" {
		meta["resourceVersion"] = job.ResourceVersion
	}
	for name, value := range metadata {
		meta[name] = value
	}
	patch := map[string]any{"metadata": meta}
	if status != nil {
		patch["status"] = status
	}
	data, _ := json.Marshal(patch) // nothing in it can fail
	return data
}
