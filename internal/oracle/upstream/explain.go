// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"encoding/json"
	"reflect"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	genericvalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/api/validation/path"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/batch"
	"k8s.io/kubernetes/pkg/apis/core"

	"github.com/managedby-dev/managedby/internal/oracle/wire"
)

// explain gives each cause of an API error the value and the detail of the error it was made of.
// The causes decide: errors that the registry dropped are not in the answer, and causes that it added
// have no value.
func explain(causes []metav1.StatusCause, errs field.ErrorList) ([]wire.Error, error) {
	out := make([]wire.Error, len(causes))
	rest := errs
	for i, cause := range causes {
		out[i] = wire.Error{Type: string(cause.Type), Field: cause.Field, Detail: cause.Message}
		j := indexOf(rest, cause)
		if j < 0 { // about labels and annotations: errs has them in another order, that of a map
			rest, j = errs, indexOf(errs, cause)
		}
		if j < 0 {
			continue
		}
		value, err := marshalValue(rest[j].BadValue)
		if err != nil {
			return nil, err
		}
		out[i].BadValue, out[i].Detail = value, rest[j].Detail
		rest = rest[j+1:]
	}
	return out, nil
}

func indexOf(errs field.ErrorList, cause metav1.StatusCause) int {
	for i, err := range errs {
		if string(err.Type) == string(cause.Type) && err.Field == cause.Field && err.ErrorBody() == cause.Message {
			return i
		}
	}
	return -1
}

// versions has the counterparts of the internal types of which the validation makes bad values.
// Their JSON names differ.
var versions = map[reflect.Type]reflect.Type{
	reflect.TypeFor[batch.UncountedTerminatedPods](): reflect.TypeFor[batchv1.UncountedTerminatedPods](),
	reflect.TypeFor[batch.PodFailurePolicy]():        reflect.TypeFor[batchv1.PodFailurePolicy](),
	reflect.TypeFor[batch.SuccessPolicy]():           reflect.TypeFor[batchv1.SuccessPolicy](),
	reflect.TypeFor[core.PodTemplateSpec]():          reflect.TypeFor[corev1.PodTemplateSpec](),
}

func marshalValue(value any) (json.RawMessage, error) {
	in := reflect.ValueOf(value)
	if !in.IsValid() {
		return json.RawMessage("null"), nil
	}
	if in.Kind() != reflect.Pointer {
		in = reflect.New(in.Type())
		in.Elem().Set(reflect.ValueOf(value))
	}
	version, ok := versions[in.Type().Elem()]
	if !ok || in.IsNil() {
		return json.Marshal(value)
	}
	out := reflect.New(version).Interface()
	if err := legacyscheme.Scheme.Convert(in.Interface(), out, nil); err != nil {
		return nil, err
	}
	return json.Marshal(out)
}

func withoutMetadata(errs []wire.Error) []wire.Error {
	var out []wire.Error
	for _, err := range errs {
		if !isMetadata(err) {
			out = append(out, err)
		}
	}
	return out
}

func isMetadata(err wire.Error) bool {
	return err.Field == "metadata" || strings.HasPrefix(err.Field, "metadata.")
}

// metaErrors and metaUpdateErrors are what the registry checks of every kind.
func metaErrors(newJob *batch.Job) field.ErrorList {
	//lint:ignore SA1019 it is what rest.BeforeUpdate calls
	return genericvalidation.ValidateObjectMetaAccessor(newJob, true, path.ValidatePathSegmentName, field.NewPath("metadata"))
}

func metaUpdateErrors(newJob, oldJob *batch.Job) field.ErrorList {
	return append(metaErrors(newJob),
		genericvalidation.ValidateObjectMetaAccessorUpdate(newJob, oldJob, field.NewPath("metadata"))...)
}
