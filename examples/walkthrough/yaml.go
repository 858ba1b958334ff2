package main

import (
	"bytes"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
)

// tree is an object as maps, lists and scalars.
type tree = map[string]any

// treeOf returns a Go object as a tree, without the nulls that only say that a field is not set.
func treeOf(obj any) (tree, error) {
	t, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	dropNulls(t)
	return t, err
}

func dropNulls(value any) {
	switch value := value.(type) {
	case tree:
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

// toYAML returns the lines in which kubectl prints the object.
func toYAML(t tree) ([]string, error) {
	var b bytes.Buffer
	err := yamlWriter.Encode(&unstructured.Unstructured{Object: t}, &b)
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n"), err
}
