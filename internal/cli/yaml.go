// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
)

// Tree is an object as maps, lists and scalars.
type Tree = map[string]any

// TreeOf returns a Go object as a tree, without the nulls that only say that a field is not set.
func TreeOf(obj any) (Tree, error) {
	t, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	dropNulls(t)
	return t, err
}

func dropNulls(value any) {
	switch value := value.(type) {
	case Tree:
		for key, v := range value {
			if v == nil {
				delete(value, key)
			}
			dropNulls(v)
		}
	case []any:
		for _, v := range value {
			dropNulls(v)
		}
	}
}

var yamlWriter = serializer.NewSerializerWithOptions(serializer.DefaultMetaFactory, nil, nil, serializer.SerializerOptions{Yaml: true})

// ToYAML returns the lines in which kubectl prints the object.
func ToYAML(t Tree) ([]string, error) {
	var b bytes.Buffer
	err := yamlWriter.Encode(&unstructured.Unstructured{Object: t}, &b)
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n"), err
}
