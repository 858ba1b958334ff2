// SPDX-License-Identifier: Apache-2.0

package objpath

// Each calls f for every place that the path names and that is there, null included: the object which
// holds it, the name of the member, and where that is. A path that ends in list elements has f called
// for the list. Each stops at the first error.
func (p Path) Each(object map[string]any, f func(in map[string]any, name, at string) error) error {
	return visit(object, p.steps, "", f)
}

func visit(in map[string]any, steps []step, at string, f func(map[string]any, string, string) error) error {
	s, rest := steps[0], steps[1:]
	at = join(at, s.name)
	value, isThere := in[s.name]
	if !isThere {
		return nil
	}
	isLast := len(rest) == 0
	if isLast && s.to != toKey {
		return f(in, s.name, at)
	}
	if value == nil {
		return nil
	}
	switch s.to {
	case toElements, toMatching:
		return s.elements(value, at, func(element map[string]any, at string) error {
			return visit(element, rest, at, f)
		})
	case toKey:
		object, isObject := value.(map[string]any)
		if !isObject {
			return &Error{Path: at, Want: "object", Value: value}
		}
		return visit(object, append([]step{{name: s.key}}, rest...), at, f)
	default:
		object, isObject := value.(map[string]any)
		if !isObject {
			return &Error{Path: at, Want: "object", Value: value}
		}
		return visit(object, rest, at, f)
	}
}

// elements calls f for the elements of a list that the step means.
func (s step) elements(value any, at string, f func(element map[string]any, at string) error) error {
	list, isList := value.([]any)
	if !isList {
		return &Error{Path: at, Want: "list", Value: value}
	}
	for i, e := range list {
		element, isObject := e.(map[string]any)
		if !isObject {
			return &Error{Path: index(at, i), Want: "object", Value: e}
		}
		if s.matches(element) {
			if err := f(element, index(at, i)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s step) matches(element map[string]any) bool {
	return s.to != toMatching || element[s.key] == any(s.equals)
}

// Get returns the first value that the path names, nil if there is none or it is null.
func (p Path) Get(object map[string]any) (value any, err error) {
	err = p.Each(object, func(in map[string]any, name, _ string) error {
		if value == nil {
			value = in[name]
		}
		return nil
	})
	return value, err
}

// GetString returns the string at the path, "" and false if there is none. Anything else is an error.
func (p Path) GetString(object map[string]any) (text string, isThere bool, err error) {
	value, err := p.Get(object)
	if err != nil || value == nil {
		return "", false, err
	}
	text, isString := value.(string)
	if !isString {
		return "", false, &Error{Path: p.text, Want: "string", Value: value}
	}
	return text, true, nil
}

// Set puts a value at a plain path, and makes the objects on the way that are not there. With an
// error nothing is changed.
func (p Path) Set(object map[string]any, value any) error {
	steps := p.flat()
	for i, name := range steps[:len(steps)-1] {
		inner := object[name]
		if inner == nil {
			object[name] = nest(steps[i+1:], value)
			return nil
		}
		next, isObject := inner.(map[string]any)
		if !isObject {
			return &Error{Path: text(steps[:i+1]), Want: "object", Value: inner}
		}
		object = next
	}
	object[steps[len(steps)-1]] = value
	return nil
}

// nest returns the object that holds value at a path.
func nest(names []string, value any) map[string]any {
	if len(names) == 1 {
		return map[string]any{names[0]: value}
	}
	return map[string]any{names[0]: nest(names[1:], value)}
}

// flat returns the names of a plain path.
func (p Path) flat() (names []string) {
	for _, s := range p.steps {
		names = append(names, s.name)
		if s.to == toKey {
			names = append(names, s.key)
		}
	}
	return names
}

func text(names []string) (at string) {
	for _, name := range names {
		at = join(at, name)
	}
	return at
}

// Remove takes out what the path names. Where it ends in list elements, these go, and the list stays
// unless it is left empty. An object that is left empty stays.
func (p Path) Remove(object map[string]any) error {
	last := p.steps[len(p.steps)-1]
	return p.Each(object, func(in map[string]any, name, at string) error {
		if last.to != toElements && last.to != toMatching {
			delete(in, name)
			return nil
		}
		return last.removeElements(in, name, at)
	})
}

func (s step) removeElements(in map[string]any, name, at string) error {
	list, isList := in[name].([]any)
	if in[name] != nil && !isList {
		return &Error{Path: at, Want: "list", Value: in[name]}
	}
	var rest []any
	for _, e := range list {
		if element, isObject := e.(map[string]any); !isObject || !s.matches(element) {
			rest = append(rest, e)
		}
	}
	switch {
	case len(rest) == len(list):
	case len(rest) == 0:
		delete(in, name)
	default:
		in[name] = rest
	}
	return nil
}
