// SPDX-License-Identifier: Apache-2.0

package published

import (
	_ "embed"
	"fmt"

	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

//go:embed statuses.yaml
var statuses []byte

// Statuses are what the operator writes of an object while it runs, and later: when it has succeeded, or of a kind
// that never finishes, when it has been running for a while.
func Statuses(object string) (running, later map[string]any, err error) {
	data, err := yaml.YAMLToJSON(statuses)
	if err != nil {
		return nil, nil, err
	}
	var all map[string]struct {
		Running map[string]any `json:"running"`
		Later   map[string]any `json:"later"`
	}
	if err := json.Unmarshal(data, &all); err != nil { // integers stay integers
		return nil, nil, err
	}
	one, known := all[object]
	if !known {
		return nil, nil, fmt.Errorf("no statuses of %s", object)
	}
	return one.Running, one.Later, nil
}
