// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/managedby-dev/managedby/internal/objpath"
	"github.com/managedby-dev/managedby/jobmanagedby"
)

// cleanJobTemplates takes out what the worker generates for the Jobs of an object, and of those embedded in it.
func cleanJobTemplates(kind jobmanagedby.Kind, u *unstructured.Unstructured) error {
	for _, path := range kind.JobTemplates {
		if path == "" {
			if err := cleanJob(kind, u.Object, "", true); err != nil {
				return err
			}
			continue
		}
		p, err := objpath.Parse(path)
		if err != nil {
			return err
		}
		err = p.Each(u.Object, func(in map[string]any, name, at string) error {
			template, isObject := in[name].(map[string]any)
			if in[name] == nil {
				return nil
			}
			if !isObject {
				return malformed(kind, &objpath.Error{Path: at, Want: "object", Value: in[name]})
			}
			return cleanJob(kind, template, at+".", false)
		})
		if at := (*objpath.Error)(nil); asPathError(err, &at) {
			err = malformed(kind, at)
		}
		if err != nil {
			return err
		}
	}
	return kind.EachEmbedded(u, cleanJobTemplates)
}

var (
	manualSelectorPath = mustParse("spec.manualSelector")
	templateLabelsPath = mustParse("spec.template.metadata.labels")
	selectorPath       = mustParse("spec.selector")
)

func mustParse(path string) objpath.Path {
	p, err := objpath.Parse(path)
	if err != nil {
		panic(err)
	}
	return p
}

// cleanJob takes the generated labels out of the pod template of a Job or Job template at a path, and the
// selector, too, of a Job.
func cleanJob(kind jobmanagedby.Kind, job map[string]any, at string, whole bool) error {
	manual, err := manualSelectorPath.Get(job)
	if manual == true {
		return nil
	}
	if _, isBool := manual.(bool); err == nil && manual != nil && !isBool {
		err = &objpath.Error{Path: manualSelectorPath.String(), Want: "boolean", Value: manual}
	}
	if err == nil && whole {
		err = selectorPath.Remove(job)
	}
	if err == nil {
		err = templateLabelsPath.Each(job, removeGenerated)
	}
	if p := (*objpath.Error)(nil); asPathError(err, &p) {
		return malformed(kind, &objpath.Error{Path: at + p.Path, Want: p.Want, Value: p.Value})
	}
	return err
}

func removeGenerated(metadata map[string]any, name, at string) error {
	labels, isObject := metadata[name].(map[string]any)
	if metadata[name] == nil {
		return nil
	}
	if !isObject {
		return &objpath.Error{Path: at, Want: "object", Value: metadata[name]}
	}
	before := len(labels)
	for label := range labels {
		if isGenerated(label) {
			delete(labels, label)
		}
	}
	if len(labels) == 0 && before > 0 {
		delete(metadata, name)
	}
	return nil
}
