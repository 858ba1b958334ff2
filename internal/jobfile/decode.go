package jobfile

import (
	"encoding/json"
	"errors"
	"fmt"
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
	for _, doc := range docs {
		more, warned, err := doc.jobs("", "")
		if err != nil {
			return nil, nil, err
		}
		jobs, warnings = append(jobs, more...), append(warnings, warned...)
	}
	if len(jobs) == 0 {
		return nil, nil, fmt.Errorf("%s: there is no Job in it", file)
	}
	return jobs, warnings, nil
}

// APIVersion is that of Jobs.
var APIVersion = batchv1.SchemeGroupVersion.String()

// jobs returns the Jobs of a document. Kind and apiVersion stand in for those that it may leave out.
func (d Document) jobs(kind, apiVersion string) (jobs []Sourced, warnings []string, err error) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(d.JSON, &fields) != nil || fields == nil {
		return nil, nil, fmt.Errorf("%v: it is no object (kubectl prints objects with -o yaml): %s", d.At, excerpt(d.JSON))
	}
	if err := d.text(fields, "kind", &kind); err != nil {
		return nil, nil, err
	}
	want := APIVersion
	switch kind {
	case "Job", "JobList":
	case "List":
		want = "v1"
	default:
		return nil, nil, d.At.Errorf("kind", "it is %q, and not Job, JobList or List", kind)
	}
	if err := d.text(fields, "apiVersion", &apiVersion); err != nil {
		return nil, nil, err
	}
	if apiVersion != want {
		return nil, nil, d.At.Errorf("apiVersion", "it is %q, and not %s as that of a %s", apiVersion, want, kind)
	}
	if kind != "Job" {
		return d.items(fields["items"], kind)
	}
	job, warnings, err := d.job()
	return []Sourced{job}, warnings, err
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

// items returns the Jobs of a list. Those of a JobList need not say what they are.
func (d Document) items(list json.RawMessage, kind string) (jobs []Sourced, warnings []string, err error) {
	var items []json.RawMessage
	if json.Unmarshal(list, &items) != nil {
		return nil, nil, d.At.Errorf("items", "it is missing or no list")
	}
	if strings.Count(d.At.Item, "items[") >= deepest {
		return nil, nil, d.At.Errorf("items", "Lists are more than %d deep in each other", deepest)
	}
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
		more, warned, err := Document{at, item, d.source}.jobs(itemKind, itemVersion)
		if err != nil {
			return nil, nil, err
		}
		jobs, warnings = append(jobs, more...), append(warnings, warned...)
	}
	return jobs, warnings, nil
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
