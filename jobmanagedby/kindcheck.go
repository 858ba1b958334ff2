// SPDX-License-Identifier: Apache-2.0

package jobmanagedby

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/version"

	"github.com/managedby-dev/managedby/internal/objpath"
)

// InvalidKindError says what is wrong with a [Kind] of the caller's own.
type InvalidKindError struct {
	Errs field.ErrorList // never empty; Field is the name of the Go field, such as "Suspend.Path"
}

func (e *InvalidKindError) Error() string { return "bad Kind: " + e.Errs.ToAggregate().Error() }

// Unwrap returns Errs one by one.
func (e *InvalidKindError) Unwrap() []error {
	errs := make([]error, len(e.Errs))
	for i, err := range e.Errs {
		errs[i] = err
	}
	return errs
}

// CheckKind returns an [*InvalidKindError] for a Kind that its methods could not work with, with
// everything that is wrong: check one of your own at start-up. Each of [Kinds] passes. Methods of a Kind
// that does not pass return errors of no particular type; they do not panic.
func CheckKind(k Kind) error {
	c := kindChecker{kind: k}
	c.require("Kind", k.Kind)
	if k.NoField == "" {
		c.checkField()
	}
	c.path("Suspend.Path", k.Suspend.Path, true)
	if k.Suspend.Path != "" {
		c.inSpec("Suspend.Path", k.Suspend.Path)
	}
	if k.NoField == "" && k.Status != statusPath {
		c.errs = append(c.errs, field.NotSupported(field.NewPath("Status"), k.Status, []string{statusPath}))
	}
	for i, path := range k.StatusNeeds {
		c.pathAt(field.NewPath("StatusNeeds").Index(i), path, true)
	}
	for i, rule := range k.Finish {
		at := field.NewPath("Finish").Index(i)
		c.tests(at.Child("If"), rule.If)
		c.pathAt(at.Child("At"), rule.At, false)
		if rule.Result != Succeeded && rule.Result != Failed {
			c.errs = append(c.errs, field.NotSupported(at.Child("Result"), rule.Result, []Result{Succeeded, Failed}))
		}
		if len(rule.If) == 0 {
			c.errs = append(c.errs, field.Required(at.Child("If"), "without it everything has finished"))
		}
	}
	c.tests(field.NewPath("Started"), k.Started)
	c.paths("Nested", k.Nested)
	c.paths("Embedded", k.Embedded)
	c.paths("JobTemplates", k.JobTemplates)
	c.edits("SelfDelete", k.SelfDelete)
	c.edits("ServerSet", k.ServerSet)
	if len(c.errs) > 0 {
		return &InvalidKindError{Errs: c.errs}
	}
	return nil
}

type kindChecker struct {
	kind Kind
	errs field.ErrorList
}

func (c *kindChecker) checkField() {
	k := c.kind
	c.require("Field", k.Field)
	c.path("Field", k.Field, true)
	if k.Field != "" {
		c.inSpec("Field", k.Field)
	}
	c.require("Reserved", k.Reserved)
	if len(k.Versions) == 0 {
		c.errs = append(c.errs, field.Required(field.NewPath("Versions"), "the field may be elsewhere in other versions"))
	}
	oneOf(c, "Form", k.Form, FormAny, FormDomainPath)
	oneOf(c, "Checked", k.Checked, CheckedByNobody, CheckedByAPIServer, CheckedByCRD, CheckedByWebhook)
	oneOf(c, "Change", k.Change, ChangeNever, ChangeValueNever, ChangeUnchecked, ChangeAllowed)
	c.release("Since", k.Since)
	if k.HonoredSince != "" {
		c.release("HonoredSince", k.HonoredSince)
	}
}

func (c *kindChecker) inSpec(name, path string) {
	if !strings.HasPrefix(path, "spec.") {
		c.errs = append(c.errs, field.Invalid(field.NewPath(name), path, "must be in spec"))
	}
}

func (c *kindChecker) require(name, value string) {
	if value == "" {
		c.errs = append(c.errs, field.Required(field.NewPath(name), "must be set"))
	}
}

func (c *kindChecker) release(name, value string) {
	if _, err := version.Parse(value); err != nil {
		c.errs = append(c.errs, field.Invalid(field.NewPath(name), value, err.Error()))
	}
}

func (c *kindChecker) path(name, path string, plain bool) { c.pathAt(field.NewPath(name), path, plain) }

func (c *kindChecker) pathAt(at *field.Path, path string, plain bool) {
	if path == "" {
		return
	}
	p, err := objpath.Parse(path)
	switch {
	case err != nil:
		c.errs = append(c.errs, field.Invalid(at, path, err.Error()))
	case plain && !p.IsPlain():
		c.errs = append(c.errs, field.Invalid(at, path, "must name one place"))
	}
}

func (c *kindChecker) paths(name string, paths []string) {
	for i, path := range paths {
		c.pathAt(field.NewPath(name).Index(i), path, false)
	}
}

func (c *kindChecker) tests(at *field.Path, tests []Test) {
	for i, test := range tests {
		c.pathAt(at.Index(i), test.Path, false)
		if test.Path == "" {
			c.errs = append(c.errs, field.Required(at.Index(i), "must be a path"))
		}
	}
}

func (c *kindChecker) edits(name string, edits []Edit) {
	for i, edit := range edits {
		at := field.NewPath(name).Index(i)
		c.pathAt(at.Child("Path"), edit.Path, false)
		c.tests(at.Child("If"), edit.If)
		if _, err := objpath.Copy(edit.Set, "Set"); err != nil {
			c.errs = append(c.errs, field.Invalid(at.Child("Set"), edit.Set, "must be a value of JSON, with numbers as int64 or float64"))
		}
		if top, _, _ := strings.Cut(edit.Path, "."); top != "spec" && top != "metadata" {
			c.errs = append(c.errs, field.Invalid(at.Child("Path"), edit.Path, "must be in spec or metadata"))
		}
	}
}

func oneOf[T ~string](c *kindChecker, name string, value T, all ...T) {
	if !slices.Contains(all, value) {
		c.errs = append(c.errs, field.NotSupported(field.NewPath(name), value, all))
	}
}
