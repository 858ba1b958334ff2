// SPDX-License-Identifier: Apache-2.0

package model

import (
	"encoding/json"
	"strconv"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/managedby-dev/managedby/internal/mergepatch"
)

// applyPatch returns what a patch makes of a Job; ok is false if a test in it fails.
func applyPatch(document string, step Step) (job *batchv1.Job, ok bool) {
	var target any
	if err := json.Unmarshal([]byte(document), &target); err != nil {
		panic(err)
	}
	if step.PatchType == types.JSONPatchType {
		for _, o := range operations(step.Patch) {
			if target, ok = o.apply(target, strings.Split(o.Path, "/")[1:]); !ok {
				return nil, false
			}
		}
	} else {
		var change any
		if err := json.Unmarshal(step.Patch, &change); err != nil {
			panic(err)
		}
		target = mergepatch.Apply(target, change)
	}
	data, err := json.Marshal(target)
	if err != nil {
		panic(err)
	}
	job = &batchv1.Job{}
	if err := json.Unmarshal(data, job); err != nil {
		panic(err)
	}
	return job, true
}

// operation is one of those of RFC 6902 that take away: test and remove.
type operation struct {
	Op, Path string
	Value    any
}

func operations(patch []byte) (all []operation) {
	if err := json.Unmarshal(patch, &all); err != nil {
		panic(err)
	}
	return all
}

// preconditionsIn are what the tests of a JSON patch ask of the metadata.
func preconditionsIn(all []operation) (needs preconditions) {
	for _, o := range all {
		switch {
		case o.Op == "test" && o.Path == "/metadata/uid":
			needs.uid = types.UID(o.Value.(string))
		case o.Op == "test" && o.Path == "/metadata/resourceVersion":
			needs.version = true
		}
	}
	return needs
}

// apply carries the operation out below the rest of its path.
func (o operation) apply(at any, path []string) (changed any, ok bool) {
	if len(path) == 0 {
		return at, o.Op == "test" && at == o.Value
	}
	switch at := at.(type) {
	case map[string]any:
		if _, ok = at[path[0]]; !ok {
			return at, false
		}
		if o.Op == "remove" && len(path) == 1 {
			delete(at, path[0])
			return at, true
		}
		at[path[0]], ok = o.apply(at[path[0]], path[1:])
		return at, ok
	case []any:
		i, err := strconv.Atoi(path[0])
		if err != nil || i < 0 || i >= len(at) {
			return at, false
		}
		if o.Op == "remove" && len(path) == 1 {
			return append(at[:i:i], at[i+1:]...), true
		}
		at[i], ok = o.apply(at[i], path[1:])
		return at, ok
	default:
		return at, false
	}
}
