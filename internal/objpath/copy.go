// SPDX-License-Identifier: Apache-2.0

package objpath

// Copy returns a deep copy of a value, or an [*Error] for what is no JSON: a Go int, say, which a
// decoder never puts there but a program may.
func Copy(value any, at string) (any, error) {
	switch value := value.(type) {
	case map[string]any:
		if value == nil {
			return value, nil
		}
		return copyObject(value, at)
	case []any:
		if value == nil {
			return value, nil
		}
		list := make([]any, len(value))
		for i, v := range value {
			c, err := Copy(v, index(at, i))
			if err != nil {
				return nil, err
			}
			list[i] = c
		}
		return list, nil
	case nil, string, bool, int64, float64:
		return value, nil
	default:
		return nil, &Error{Path: at, Want: "JSON", Value: value}
	}
}

func copyObject(object map[string]any, at string) (any, error) {
	c := make(map[string]any, len(object))
	bad := "" // the first name in order, so that the same object has the same error
	for name, value := range object {
		v, err := Copy(value, join(at, name))
		if err != nil && (bad == "" || name < bad) {
			bad = name
		}
		c[name] = v
	}
	if bad == "" {
		return c, nil
	}
	return Copy(object[bad], join(at, bad))
}
