// SPDX-License-Identifier: Apache-2.0

// Package mergepatch applies JSON merge patches, as an API server does to the patches that package mirror plans.
// Tests need it, in three packages.
package mergepatch

import "maps"

// Apply returns what a patch makes of a target, by the rules of RFC 7386: null takes a member out, objects are
// merged, and everything else is replaced. Both are values as encoding/json decodes them into an any. Neither
// is changed.
func Apply(target, patch any) any {
	changes, isObject := patch.(map[string]any)
	if !isObject {
		return patch
	}
	old, _ := target.(map[string]any)
	object := make(map[string]any, len(old))
	maps.Copy(object, old)
	for name, value := range changes {
		if value == nil {
			delete(object, name)
		} else {
			object[name] = Apply(object[name], value)
		}
	}
	return object
}
