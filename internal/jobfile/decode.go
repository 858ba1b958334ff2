// SPDX-License-Identifier: Apache-2.0

package jobfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/runtime"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Sourced is a Job and where it was read.
type Sourced struct {
	Job    *batchv1.Job
	At     Place
	source source
}

// Key is what Jobs are matched by.
func (s Sourced) Key() string { return s.Job.Namespace + "/" + s.Job.Name }

// ErrEmptyList is of a file in which there is nothing but empty Lists.
var ErrEmptyList = errors.New("there is no Job in it, but an empty list")

// OtherKindError is of a file in which there is no Job, but something else.
type OtherKindError struct {
	Kind, APIVersion string // of the first
	text             string
}

func (e *OtherKindError) Error() string { return e.text }

// Parse returns the Jobs of a file, in their order, and warnings about what was passed over.
func Parse(file string, data []byte) (jobs []Sourced, warnings []string, err error) {
	text, err := ToText(data)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	docs, err := Split(file, text)
	if err != nil {
		return nil, nil, err
	}
	var f found
	for _, doc := range docs {
		if err := f.read(doc, "", ""); err != nil {
			return nil, nil, err
		}
	}
	switch {
	case len(f.jobs) > 0:
		return f.jobs, f.allWarnings(file), nil
	case len(f.others) > 0:
		return nil, nil, f.others[0]
	case f.lists > 0:
		return nil, nil, fmt.Errorf("%s: %w", file, ErrEmptyList)
	}
	return nil, nil, fmt.Errorf("%s: there is no Job in it", file)
}

// found is what was found in a file.
type found struct {
	jobs     []Sourced
	warnings []string
	others   []*OtherKindError
	lists    int
}

// allWarnings counts what is no Job, by kind.
func (f found) allWarnings(file string) []string {
	if len(f.others) == 0 {
		return f.warnings
	}
	counts := map[string]int{}
	for _, o := range f.others {
		counts[strings.TrimSuffix(o.Kind+" of "+o.APIVersion, " of ")]++
	}
	var kinds []string
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		kinds = append(kinds, fmt.Sprintf("%d %s", counts[kind], kind))
	}
	return append(f.warnings, fmt.Sprintf("%s: no Jobs, and passed over: %s", file, strings.Join(kinds, ", ")))
}

// APIVersion is that of Jobs.
var APIVersion = batchv1.SchemeGroupVersion.String()

// kinds are those that are read, with their versions.
var kinds = map[string]string{"Job": APIVersion, "JobList": APIVersion, "List": "v1"}

// read adds what is in a document. Kind and apiVersion stand in for those that it may leave out.
func (f *found) read(d Document, kind, apiVersion string) error {
	var fields map[string]json.RawMessage
	if json.Unmarshal(d.JSON, &fields) != nil || fields == nil {
		return fmt.Errorf("%v: it is no object (kubectl prints objects with -o yaml): %s", d.At, excerpt(d.JSON))
	}
	if err := d.text(fields, "kind", &kind); err != nil {
		return err
	}
	want, known := kinds[kind]
	if err := d.text(fields, "apiVersion", &apiVersion); err != nil && known {
		return err
	}
	switch {
	case !known:
		f.pass(kind, apiVersion, d.At.Errorf("kind", "it is %q, and not Job, JobList or List", kind))
	case apiVersion != want:
		f.pass(kind, apiVersion, d.At.Errorf("apiVersion", "it is %q, and not %s as that of a %s", apiVersion, want, kind))
	case kind != "Job":
		return f.items(d, fields["items"], kind)
	default:
		job, warnings, err := d.job()
		f.jobs, f.warnings = append(f.jobs, job), append(f.warnings, warnings...)
		return err
	}
	return nil
}

// pass notes what is no Job.
func (f *found) pass(kind, apiVersion string, why error) {
	f.others = append(f.others, &OtherKindError{kind, apiVersion, why.Error()})
}

// text reads a field that holds a string.
func (d Document) text(fields map[string]json.RawMessage, name string, into *string) error {
	value, ok := fields[name]
	if !ok && *into == "" {
		return d.At.Errorf(name, "it is missing")
	}
	if ok && json.Unmarshal(value, into) != nil {
		return d.At.Errorf(name, "it is no string: %s", excerpt(value))
	}
	return nil
}

// deepest is how deep Lists may stand in each other: each level is decoded anew.
const deepest = 8

// items reads a list. Those of a JobList need not say what they are.
func (f *found) items(d Document, list json.RawMessage, kind string) error {
	var items []json.RawMessage
	if json.Unmarshal(list, &items) != nil {
		return d.At.Errorf("items", "it is missing or no list")
	}
	if strings.Count(d.At.Item, "items[") >= deepest {
		return d.At.Errorf("items", "Lists are more than %d deep in each other", deepest)
	}
	f.lists++
	var itemKind, itemVersion string
	if kind == "JobList" {
		itemKind, itemVersion = "Job", APIVersion
	}
	for i, item := range items {
		path := field.NewPath("items").Index(i).String()
		if d.At.Item != "" {
			path = d.At.Item + "." + path
		}
		at := d.At
		at.Item = path
		if err := f.read(Document{at, item, d.source}, itemKind, itemVersion); err != nil {
			return err
		}
	}
	return nil
}

// strict decodes Jobs and says what it does not know.
var strict = func() *serializer.Serializer {
	scheme := runtime.NewScheme()
	if err := batchv1.AddToScheme(scheme); err != nil {
		panic(err)
	}
	return serializer.NewSerializerWithOptions(serializer.DefaultMetaFactory, scheme, scheme, serializer.SerializerOptions{Strict: true})
}()

func decode(data []byte, job *batchv1.Job) error {
	gvk := batchv1.SchemeGroupVersion.WithKind("Job")
	_, _, err := strict.Decode(data, &gvk, job)
	return err
}

// job decodes one Job.
func (d Document) job() (job Sourced, warnings []string, err error) {
	job = Sourced{Job: &batchv1.Job{}, At: d.At, source: d.source}
	err = decode(d.JSON, job.Job)
	if odd, ok := runtime.AsStrictDecodingError(err); ok {
		warnings, err = d.sortOut(odd.Errors())
	} else if err != nil {
		err = d.locate(err)
	}
	if err == nil && job.Job.Name == "" {
		err = d.At.Errorf("metadata.name", "it is missing")
	}
	return job, warnings, err
}

// sortOut takes a field that is not known for a warning, for it may be newer than this program, and
// one that is there twice for an error.
func (d Document) sortOut(odd []error) (warnings []string, err error) {
	for _, e := range odd {
		var at interface{ FieldPath() string }
		if !errors.As(e, &at) {
			return nil, fmt.Errorf("%v: %w", d.At, e)
		}
		if !strings.HasPrefix(e.Error(), "unknown field") {
			return nil, d.At.Errorf(at.FieldPath(), "it is there twice")
		}
		warnings = append(warnings, d.At.Errorf(at.FieldPath(), "this program does not know the field and passes over it").Error())
	}
	return warnings, nil
}

// excerpt returns the beginning of a value.
func excerpt(value []byte) string {
	const enough = 40
	s := string(value)
	if len(s) > enough {
		s = strings.ToValidUTF8(s[:enough], "") + "..."
	}
	return s
}
