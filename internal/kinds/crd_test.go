package kinds_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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
	"sigs.k8s.io/yaml"

	"github.com/managedby-dev/managedby/jobmanagedby"
)

// The manifests, in the modules that go.mod names.
const (
	jobSetModule   = "sigs.k8s.io/jobset"
	trainerModule  = "github.com/kubeflow/trainer/v2"
	trainingModule = "github.com/kubeflow/training-operator"
	rayModule      = "github.com/ray-project/kuberay/ray-operator"
)

// crd is a version of a CRD, as the API server runs it.
type crd struct {
	structural *structuralschema.Structural
	schema     validation.SchemaCreateValidator
	rules      *cel.Validator
}

// published reads the CRD in a module.
func published(t *testing.T, module, path, version string) crd {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), path))
	if err != nil {
		t.Fatal(err)
	}
	var definition apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(data, &definition); err != nil {
		t.Fatal(err)
	}
	for _, v := range definition.Spec.Versions {
		if v.Name == version {
			return compile(t, v.Schema.OpenAPIV3Schema)
		}
	}
	t.Fatalf("%s has no version %s", path, version)
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
	data, err := os.ReadFile(filepath.Join("..", "..", "jobmanagedby", "testdata", "kinds", name+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	data, err = yaml.YAMLToJSON(data)
	if err != nil {
		t.Fatal(err)
	}
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(data); err != nil {
		t.Fatal(err)
	}
	k, known := jobmanagedby.ForVersionKind(u.GroupVersionKind())
	if !known {
		t.Fatalf("%s is not known", u.GroupVersionKind())
	}
	return k, u
}

// publications are the CRDs that are there, each with the release of its module.
var publications = []struct {
	object, module, path, version, release string
	// unknown is what this release of the CRD does not know of the object yet.
	unknown []string
}{
	{"jobset", jobSetModule, "config/components/crd/bases/jobset.x-k8s.io_jobsets.yaml", "v1alpha2", "0.8.2", nil},
	{"trainjob", trainerModule, "manifests/base/crds/trainer.kubeflow.org_trainjobs.yaml", "v1alpha1", "2.0.0", []string{"spec.runtimePatches"}},
	{"rayjob", rayModule, "config/crd/bases/ray.io_rayjobs.yaml", "v1", "1.5.0", nil},
	{"raycluster", rayModule, "config/crd/bases/ray.io_rayclusters.yaml", "v1", "1.5.0", nil},
	{"rayservice", rayModule, "config/crd/bases/ray.io_rayservices.yaml", "v1", "1.5.0", []string{"spec.managedBy"}},
	{"pytorchjob", trainingModule, "manifests/base/crds/kubeflow.org_pytorchjobs.yaml", "v1", "1.8.1", []string{"spec.runPolicy.managedBy"}},
	{"tfjob", trainingModule, "manifests/base/crds/kubeflow.org_tfjobs.yaml", "v1", "1.8.1", []string{"spec.runPolicy.managedBy"}},
	{"xgboostjob", trainingModule, "manifests/base/crds/kubeflow.org_xgboostjobs.yaml", "v1", "1.8.1", []string{"spec.runPolicy.managedBy"}},
	{"paddlejob", trainingModule, "manifests/base/crds/kubeflow.org_paddlejobs.yaml", "v1", "1.8.1", []string{"spec.runPolicy.managedBy"}},
	{"mpijob-v1", trainingModule, "manifests/base/crds/kubeflow.org_mpijobs.yaml", "v1", "1.8.1", []string{"spec.runPolicy.managedBy"}},
}
