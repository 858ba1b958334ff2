// SPDX-License-Identifier: Apache-2.0

package kinds_test

import (
	"context"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/managedby-dev/managedby/internal/kinds/published"
	"github.com/managedby-dev/managedby/jobmanagedby"
)

// crd is a version of a CRD, as the API server runs it.
type crd struct {
	structural *structuralschema.Structural
	schema     validation.SchemaCreateValidator
	rules      *cel.Validator
}

// schemaOf returns the CRD's version that is meant.
func schemaOf(t *testing.T, c published.CRD) crd {
	t.Helper()
	definition, err := c.Read()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range definition.Spec.Versions {
		if v.Name == c.Version {
			return compile(t, v.Schema.OpenAPIV3Schema)
		}
	}
	t.Fatalf("%s has no version %s", c.Path, c.Version)
	return crd{}
}

func compile(t *testing.T, props *apiextensionsv1.JSONSchemaProps) crd {
	t.Helper()
	var internal apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(props, &internal, nil); err != nil {
		t.Fatal(err)
	}
	structural, err := structuralschema.NewStructural(&internal)
	if err != nil {
		t.Fatal(err)
	}
	schema, _, err := validation.NewSchemaValidator(&internal)
	if err != nil {
		t.Fatal(err)
	}
	return crd{structural: structural, schema: schema, rules: cel.NewValidator(structural, true, celconfig.PerCallLimit)}
}

// create does what the API server does to a new object: prune, default, validate. It returns what would
// be stored, and what was dropped.
func (c crd) create(u *unstructured.Unstructured) (stored *unstructured.Unstructured, dropped []string, errs field.ErrorList) {
	return c.update(u, nil)
}

// update is create for an object of which there is an old one.
func (c crd) update(u, old *unstructured.Unstructured) (*unstructured.Unstructured, []string, field.ErrorList) {
	stored := u.DeepCopy()
	options := structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}
	dropped := pruning.PruneWithOptions(stored.Object, c.structural, true, options)
	defaulting.PruneNonNullableNullsWithoutDefaults(stored.Object, c.structural)
	defaulting.Default(stored.Object, c.structural)
	errs := validation.ValidateCustomResource(nil, stored.Object, c.schema)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, c.structural, stored.Object)...)
	var before any
	if old != nil {
		before = old.Object
	}
	broken, _ := c.rules.Validate(context.Background(), nil, c.structural, stored.Object, before, celconfig.RuntimeCELCostBudget)
	return stored, dropped, append(errs, broken...)
}

// object reads an object of the table's testdata.
func object(t *testing.T, name string) (jobmanagedby.Kind, *unstructured.Unstructured) {
	t.Helper()
	k, u, err := published.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return k, u
}

// newest is the last release of a CRD that is there.
func newest(t *testing.T, object string) published.CRD {
	t.Helper()
	for _, c := range published.Newest() {
		if c.Object == object {
			return c
		}
	}
	t.Fatalf("no CRD of %s", object)
	return published.CRD{}
}
