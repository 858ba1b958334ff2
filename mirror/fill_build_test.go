// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// seeded returns a generator and prints its seed, so that a failure can be repeated.
func seeded(t testing.TB, seed uint64) *rand.Rand {
	t.Helper()
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, seed))
}

// fill sets every field of v, and of what is in it, to something that is not zero and survives
// JSON. No type of a Job contains itself.
func fill(v reflect.Value, r *rand.Rand) {
	if !v.CanSet() {
		return
	}
	switch v.Addr().Interface().(type) {
	case *resource.Quantity:
		v.Set(reflect.ValueOf(resource.MustParse(fmt.Sprintf("%dm", 1+r.IntN(5000)))))
		return
	case *metav1.Time:
		v.Set(reflect.ValueOf(metav1.Unix(int64(1+r.IntN(1<<30)), 0)))
		return
	case *metav1.MicroTime:
		v.Set(reflect.ValueOf(metav1.NewMicroTime(time.Unix(int64(1+r.IntN(1<<30)), 1000))))
		return
	case *intstr.IntOrString:
		v.Set(reflect.ValueOf(intstr.FromInt32(int32(1 + r.IntN(100)))))
		return
	case **metav1.FieldsV1:
		return // free-form JSON
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), r)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), r)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1+r.IntN(2), 2))
		for i := range v.Len() {
			fill(v.Index(i), r)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range 1 + r.IntN(2) {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fill(key, r)
			fill(value, r)
			v.SetMapIndex(key, value)
		}
	case reflect.String:
		v.SetString(fmt.Sprintf("s%d", r.IntN(1<<20)))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Uint8, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(1 + r.IntN(100)))
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(int64(1 + r.IntN(100)))
	case reflect.Float64:
		v.SetFloat(1.5)
	default:
		panic("fill: " + v.Type().String())
	}
}

// scribble overwrites everything that can be reached from v, in place.
func scribble(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			scribble(v.Elem())
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() && v.CanSet() {
			v.SetZero()
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				scribble(v.Field(i))
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			scribble(v.Index(i))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			v.SetMapIndex(key, reflect.Value{})
		}
	default:
		if v.CanSet() {
			v.SetZero()
		}
	}
}
