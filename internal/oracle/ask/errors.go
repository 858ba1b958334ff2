// SPDX-License-Identifier: Apache-2.0

package ask

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/managedby-dev/managedby/internal/oracle/wire"
)

// Errors writes field errors of ours as the oracle writes those of a server, without the details,
// which are worded differently.
func Errors(errs field.ErrorList) ([]wire.Error, error) {
	out := make([]wire.Error, len(errs))
	for i, err := range errs {
		value, marshalErr := json.Marshal(err.BadValue)
		if marshalErr != nil {
			return nil, marshalErr
		}
		out[i] = wire.Error{Type: string(err.Type), Field: err.Field, BadValue: value}
	}
	return out, nil
}

// WithoutDetails makes an answer comparable with Errors.
func WithoutDetails(errs []wire.Error) []wire.Error {
	out := make([]wire.Error, len(errs))
	for i, err := range errs {
		err.Detail = ""
		out[i] = err
	}
	return out
}
