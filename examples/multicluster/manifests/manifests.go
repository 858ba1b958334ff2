// SPDX-License-Identifier: Apache-2.0

// Package manifests has what the dispatcher needs in its clusters: service accounts, rights, and admission
// policies that keep everybody else from its keys.
package manifests

import (
	"bytes"
	"context"
	_ "embed" // the manifests
	"errors"
	"fmt"
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Namespace and ServiceAccount are what the dispatcher runs as.
const (
	Namespace      = "dispatcher-system"
	ServiceAccount = "dispatcher"
)

// Management is for the management cluster.
//
//go:embed management.yaml
var Management []byte

// Worker is for each worker.
//
//go:embed worker.yaml
var Worker []byte

// Apply creates the objects of a manifest. One that is there is left alone.
func Apply(ctx context.Context, c client.Client, manifest []byte) error {
	objects, err := parse(manifest)
	if err != nil {
		return err
	}
	for _, object := range objects {
		if err := c.Create(ctx, object); err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("%s %s: %w", object.GetKind(), object.GetName(), err)
		}
	}
	return nil
}

func parse(manifest []byte) ([]*unstructured.Unstructured, error) {
	var objects []*unstructured.Unstructured
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(manifest), 4096)
	for {
		object := &unstructured.Unstructured{}
		if err := decoder.Decode(object); errors.Is(err, io.EOF) {
			return objects, nil
		} else if err != nil {
			return nil, err
		}
		if len(object.Object) > 0 {
			objects = append(objects, object)
		}
	}
}
