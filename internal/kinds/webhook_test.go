// SPDX-License-Identifier: Apache-2.0

package kinds_test

import (
	"slices"
	"strings"
	"testing"

	mpiv2beta1 "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	mpivalidation "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/validation"
	kubeflowv1 "github.com/kubeflow/training-operator/pkg/apis/kubeflow.org/v1"
	jaxwebhook "github.com/kubeflow/training-operator/pkg/webhooks/jax"
	paddlewebhook "github.com/kubeflow/training-operator/pkg/webhooks/paddlepaddle"
	pytorchwebhook "github.com/kubeflow/training-operator/pkg/webhooks/pytorch"
	tfwebhook "github.com/kubeflow/training-operator/pkg/webhooks/tensorflow"
	xgboostwebhook "github.com/kubeflow/training-operator/pkg/webhooks/xgboost"
	appwrapperv1beta2 "github.com/project-codeflare/appwrapper/api/v1beta2"
	rayutils "github.com/ray-project/kuberay/ray-operator/controllers/ray/utils"
	pipelineapi "github.com/tektoncd/pipeline/pkg/apis/pipeline"
	tektonv1 "github.com/tektoncd/pipeline/pkg/apis/pipeline/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"
	"knative.dev/pkg/apis"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
	jobsetv1alpha2 "sigs.k8s.io/jobset/api/jobset/v1alpha2"
	jobsetwebhooks "sigs.k8s.io/jobset/pkg/webhooks"

	"github.com/managedby-dev/managedby/jobmanagedby"
)

// webhook is the validating webhook of a kind; old is nil for a new object.
type webhook func(t *testing.T, u, old *unstructured.Unstructured) error

// admitted is a webhook of controller-runtime.
func admitted[T runtime.Object](v admission.CustomValidator, zero func() T) webhook {
	return func(t *testing.T, u, old *unstructured.Unstructured) error {
		if old == nil {
			_, err := v.ValidateCreate(t.Context(), typed(t, u, zero()))
			return err
		}
		_, err := v.ValidateUpdate(t.Context(), typed(t, old, zero()), typed(t, u, zero()))
		return err
	}
}

// tekton is a webhook of knative.
func tekton[T interface {
	runtime.Object
	apis.Validatable
}](zero func() T) webhook {
	return func(t *testing.T, u, old *unstructured.Unstructured) error {
		ctx := apis.WithinCreate(t.Context())
		if old != nil {
			ctx = apis.WithinUpdate(t.Context(), typed(t, old, zero()))
		}
		if err := typed(t, u, zero()).Validate(ctx); err != nil { // not a nil error of that type
			return err
		}
		return nil
	}
}

func typed[T any](t *testing.T, u *unstructured.Unstructured, object T) T {
	t.Helper()
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, object); err != nil {
		t.Fatal(err)
	}
	return object
}

func webhooks(t *testing.T) map[string]webhook {
	jobSet, err := jobsetwebhooks.NewJobSetWebhook(nil)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]webhook{
		"jobset":      admitted(jobSet, func() *jobsetv1alpha2.JobSet { return &jobsetv1alpha2.JobSet{} }),
		"pytorchjob":  admitted(&pytorchwebhook.Webhook{}, func() *kubeflowv1.PyTorchJob { return &kubeflowv1.PyTorchJob{} }),
		"tfjob":       admitted(&tfwebhook.Webhook{}, func() *kubeflowv1.TFJob { return &kubeflowv1.TFJob{} }),
		"xgboostjob":  admitted(&xgboostwebhook.Webhook{}, func() *kubeflowv1.XGBoostJob { return &kubeflowv1.XGBoostJob{} }),
		"paddlejob":   admitted(&paddlewebhook.Webhook{}, func() *kubeflowv1.PaddleJob { return &kubeflowv1.PaddleJob{} }),
		"jaxjob":      admitted(&jaxwebhook.Webhook{}, func() *kubeflowv1.JAXJob { return &kubeflowv1.JAXJob{} }),
		"pipelinerun": tekton(func() *tektonv1.PipelineRun { return &tektonv1.PipelineRun{} }),
		"taskrun":     tekton(func() *tektonv1.TaskRun { return &tektonv1.TaskRun{} }),
	}
}

var names = []*string{
	nil, ptr.To(""), ptr.To("kueue.x-k8s.io/multikueue"), ptr.To("acme.io/dispatcher"), ptr.To("acme.io/other"),
	ptr.To("x"), ptr.To("Acme.io/x"), ptr.To("a.io/" + strings.Repeat("x", 58)), ptr.To("a.io/" + strings.Repeat("x", 59)), ptr.To("a.io/a b"),
}

// TestWebhooks: a webhook says of a name what ValidateName says, and of a change what Allows says.
func TestWebhooks(t *testing.T) {
	for what, ask := range webhooks(t) {
		c := schemaOf(t, newest(t, what))
		k, u := named(t, what, nil)
		names := append(names, &k.Reserved)
		u, _, errs := c.create(u) // with defaults
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		var taken []*string
		for _, name := range names {
			set(t, k, u, name)
			var want field.ErrorList
			if name != nil {
				want = k.ValidateName(*name, field.NewPath("spec", strings.Split(k.Field, ".")[1:]...))
			}
			err := ask(t, u, nil)
			if len(want) == 0 {
				taken = append(taken, name)
			}
			if refused(k, err) != (len(want) > 0) || len(want) > 0 && !strings.Contains(err.Error(), k.Field+": "+want[0].Type.String()) {
				t.Errorf("%s: %q: the webhook says %v, ValidateName %v", k.Kind, ptr.Deref(name, "nil"), err, want)
			}
		}
		for _, from := range taken {
			old := u.DeepCopy()
			set(t, k, old, from)
			for _, to := range taken {
				set(t, k, u, to)
				err := ask(t, u, old)
				if allows := k.Allows(from, to); allows == refused(k, err) {
					t.Errorf("%s from %q to %q: the webhook says %v, Allows %v", k.Kind, ptr.Deref(from, "nil"), ptr.Deref(to, "nil"), err, allows)
				}
			}
		}
	}
}

// refused reports whether an error is about the field. The objects of the testdata are no containers that
// every operator would run.
func refused(k jobmanagedby.Kind, err error) bool {
	return err != nil && strings.Contains(err.Error(), k.Field)
}

// named reads an object and sets the field, nil for none.
func named(t *testing.T, what string, name *string) (jobmanagedby.Kind, *unstructured.Unstructured) {
	t.Helper()
	k, u := object(t, what)
	delete(u.Object, "status")
	set(t, k, u, name)
	return k, u
}

// set sets the field, or takes it out for nil.
func set(t *testing.T, k jobmanagedby.Kind, u *unstructured.Unstructured, name *string) {
	t.Helper()
	path := strings.Split(k.Field, ".")
	if name == nil {
		unstructured.RemoveNestedField(u.Object, path...)
		return
	}
	if err := unstructured.SetNestedField(u.Object, *name, path...); err != nil {
		t.Fatal(err)
	}
}

// TestMPIOperator: the closed set is in the operator's own validation, and nowhere else.
func TestMPIOperator(t *testing.T) {
	for _, name := range append(names, ptr.To("kubeflow.org/mpi-operator")) {
		k, u := named(t, "mpijob-v2beta1", name)
		errs := mpivalidation.ValidateMPIJob(typed(t, u, &mpiv2beta1.MPIJob{}))
		refused := slices.ContainsFunc(errs, func(err *field.Error) bool { return err.Type == field.ErrorTypeNotSupported && err.Field == k.Field })
		want := name != nil && *name != k.Reserved && !slices.Contains(k.Allowed, *name)
		if refused != want || !refused && len(errs) > 0 {
			t.Errorf("%q: the operator says %v, want refused: %v", ptr.Deref(name, "nil"), errs, want)
		}
		if errs := k.ValidateName(ptr.Deref(name, ""), field.NewPath(k.Field)); len(errs) > 0 {
			t.Errorf("%q: nobody refuses it at creation, ValidateName says %v", ptr.Deref(name, "nil"), errs)
		}
	}
}

// TestReservedNames: the names that the table has are those in the projects' code.
func TestReservedNames(t *testing.T) {
	for name, want := range map[string]string{
		"jobset": jobsetv1alpha2.JobSetControllerName, "rayjob": rayutils.KubeRayController, "tfjob": kubeflowv1.KubeflowJobsController,
		"mpijob-v2beta1": mpiv2beta1.KubeflowJobController, "appwrapper": appwrapperv1beta2.AppWrapperControllerName, "taskrun": pipelineapi.ManagedBy,
	} {
		if k, _ := object(t, name); k.Reserved != want {
			t.Errorf("%s: %q, the project has %q", name, k.Reserved, want)
		}
	}
}
