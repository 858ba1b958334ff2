// SPDX-License-Identifier: Apache-2.0

package jobfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// locate says which field of a Job cannot be decoded. The error alone does not: that of a time or a
// quantity names no field.
func (d Document) locate(err error) error {
	var whole any
	if json.Unmarshal(d.JSON, &whole) != nil {
		return fmt.Errorf("%v: %w", d.At, err)
	}
	path, err := culprit(whole, func(part any) any { return part }, nil)
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &mismatch) {
		return d.At.Errorf(path.String(), "%s is wanted, and not %s", mismatch.Type, mismatch.Value)
	}
	return d.At.Errorf(path.String(), "%v", err)
}

// culprit returns the path of the innermost value that cannot be decoded even if nothing else is there,
// and the error. Value is at path, and within puts a value there into an otherwise empty Job.
func culprit(value any, within func(any) any, path *field.Path) (*field.Path, error) {
	switch value := value.(type) {
	case map[string]any:
		if err := decodes(within(map[string]any{})); err != nil {
			return path, err
		}
		for _, key := range slices.Sorted(maps.Keys(value)) {
			alone := func(part any) any { return within(map[string]any{key: part}) }
			if decodes(alone(value[key])) != nil {
				return culprit(value[key], alone, child(path, key))
			}
		}
	case []any:
		if err := decodes(within([]any{})); err != nil {
			return path, err
		}
		const most = 1000 // nothing but strings, of which each is as good as another, has longer lists
		for i := range min(len(value), most) {
			alone := func(part any) any { return within([]any{part}) }
			if decodes(alone(value[i])) != nil {
				return culprit(value[i], alone, path.Index(i))
			}
		}
	}
	return path, decodes(within(value))
}

// decodes returns why a Job cannot be decoded, nil if it can.
func decodes(part any) error {
	data, err := json.Marshal(part)
	if err == nil {
		err = decode(data, &batchv1.Job{})
	}
	if runtime.IsStrictDecodingError(err) {
		return nil
	}
	return err
}

var simpleKey = regexp.MustCompile(`^[A-Za-z0-9]+$`)

func child(path *field.Path, key string) *field.Path {
	switch {
	case path == nil:
		return field.NewPath(key)
	case simpleKey.MatchString(key):
		return path.Child(key)
	}
	return path.Key(key)
}
