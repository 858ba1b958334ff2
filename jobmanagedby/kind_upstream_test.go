// SPDX-License-Identifier: Apache-2.0

package jobmanagedby_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/managedby-dev/managedby/jobmanagedby"
)

// TestUpstreamFields fails when k8s.io/api has a managedBy, or a field that sounds like one, which the
// table does not know: in any type that the stable groups register.
func TestUpstreamFields(t *testing.T) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		batchv1.AddToScheme, appsv1.AddToScheme, corev1.AddToScheme, autoscalingv2.AddToScheme, networkingv1.AddToScheme,
		policyv1.AddToScheme, resourcev1.AddToScheme, schedulingv1.AddToScheme, storagev1.AddToScheme, admissionregistrationv1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	var want []string
	for _, k := range jobmanagedby.Kinds() {
		if k.Field != "" && k.Reserved == jobmanagedby.JobController {
			want = append(want, k.Group+"/"+k.Kind+" "+k.Field)
		}
	}
	var got []string
	for gvk, typ := range scheme.AllKnownTypes() {
		if strings.HasSuffix(gvk.Kind, "List") || strings.HasSuffix(gvk.Kind, "Options") || gvk.Kind == "WatchEvent" {
			continue
		}
		for _, path := range fieldsLike(typ, "", map[reflect.Type]bool{}) {
			got = append(got, gvk.Group+"/"+gvk.Kind+" "+path)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("k8s.io/api has %q, the table %q", got, want)
	}
	if n := len(scheme.AllKnownTypes()); n < 100 || !scheme.Recognizes(schema.GroupVersionKind{Group: "batch", Version: "v1", Kind: "CronJob"}) {
		t.Errorf("only %d types were looked at", n)
	}
}

// fieldsLike returns the paths of strings whose name sounds like that of a controller in charge.
func fieldsLike(typ reflect.Type, path string, above map[reflect.Type]bool) (found []string) {
	switch typ.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return fieldsLike(typ.Elem(), path, above)
	case reflect.Struct:
	default:
		return nil
	}
	if above[typ] {
		return nil
	}
	above[typ] = true
	defer delete(above, typ)
	for i := range typ.NumField() {
		f := typ.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		at := strings.TrimPrefix(path+"."+name, ".")
		if options == "inline" || name == "" {
			at = path
		}
		if soundsLike(f.Name) {
			found = append(found, at)
		}
		found = append(found, fieldsLike(f.Type, at, above)...)
	}
	return found
}

func soundsLike(name string) bool {
	name = strings.ToLower(name)
	for _, word := range []string{"managedby", "managerby", "managingcontroller", "delegat", "responsiblecontroller", "externalcontroller"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// TestFieldsLike: the walk finds a field at any depth, in lists, maps, pointers and inlined structs.
func TestFieldsLike(t *testing.T) {
	type leaf struct {
		ManagedBy *string `json:"managedBy,omitempty"`
	}
	type inlined struct {
		DelegatedTo string `json:"delegatedTo"`
	}
	type top struct {
		inlined `json:",inline"`
		List    []leaf          `json:"list"`
		Map     map[string]leaf `json:"map"`
		Other   string          `json:"other"`
		Next    *top            `json:"next"`
	}
	want := []string{"delegatedTo", "list.managedBy", "map.managedBy"}
	if got := fieldsLike(reflect.TypeFor[top](), "", map[reflect.Type]bool{}); !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}
