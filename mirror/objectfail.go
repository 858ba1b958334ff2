// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/managedby-dev/managedby/internal/objpath"
	"github.com/managedby-dev/managedby/jobmanagedby"
)

// noFailureError says that an object cannot be made to look like one that has failed.
type noFailureError struct{ kind jobmanagedby.Kind }

func (e *noFailureError) Error() string {
	return "mirror: " + e.kind.GroupKind.String() + " has no state that says it has failed, or the object cannot get there"
}

// failedStatus returns the status of an object with the least changed by which it has failed: what one of the rules
// of Kind.Finish asks for. A condition gets the reason, message and time.
func failedStatus(kind jobmanagedby.Kind, u *unstructured.Unstructured, why batchv1.JobCondition) (map[string]any, error) {
	for _, rule := range kind.Finish {
		if rule.Result != jobmanagedby.Failed {
			continue
		}
		status, err := failBy(kind, rule, u, why)
		if status != nil || err != nil {
			return status, err
		}
	}
	return nil, &noFailureError{kind}
}

// failBy returns a status for which the rule holds, nil if that is not enough.
func failBy(kind jobmanagedby.Kind, rule jobmanagedby.FinishRule, u *unstructured.Unstructured, why batchv1.JobCondition) (map[string]any, error) {
	object, err := objpath.Copy(map[string]any{"apiVersion": u.GetAPIVersion(), "kind": u.GetKind(), "status": u.Object["status"]}, "")
	if at := (*objpath.Error)(nil); asPathError(err, &at) {
		return nil, malformed(kind, at)
	}
	failed := &unstructured.Unstructured{Object: object.(map[string]any)}
	if status, isObject := failed.Object["status"].(map[string]any); failed.Object["status"] == nil || isObject && status == nil {
		failed.Object["status"] = map[string]any{}
	}
	for _, test := range rule.If {
		if err := makeHold(kind, test, failed, why); err != nil {
			return nil, err
		}
	}
	if err := setTime(kind, rule, failed, why); err != nil {
		return nil, err
	}
	if err := fillStatus(kind, failed); err != nil {
		return nil, err
	}
	result, err := kind.Finished(failed)
	if err != nil || result != jobmanagedby.Failed {
		return nil, err
	}
	status, _ := failed.Object["status"].(map[string]any)
	return status, nil
}

// makeHold writes the string that a test asks for. One that asks for any string is of a condition whose status says
// whether all went well.
func makeHold(kind jobmanagedby.Kind, test jobmanagedby.Test, u *unstructured.Unstructured, why batchv1.JobCondition) error {
	if holds, err := test.Holds(u); err != nil || holds {
		return err
	}
	value := test.Is
	if test.Is == "" || test.Not {
		value = "False"
	}
	conditionType, isCondition := cutCondition(kind, test.Path, "status")
	if isCondition {
		return setCondition(kind, u, conditionType, value, why)
	}
	p, err := objpath.Parse(test.Path)
	if err != nil || !p.IsPlain() || test.Not || test.Is == "" {
		return err // left to the question whether it has failed
	}
	if old, _ := p.Get(u.Object); test.Is == "true" && !isString(old) {
		err = p.Set(u.Object, true)
	} else {
		err = p.Set(u.Object, test.Is)
	}
	if at := (*objpath.Error)(nil); asPathError(err, &at) {
		return malformed(kind, at)
	}
	return err
}

func isString(value any) bool {
	_, is := value.(string)
	return is
}

// cutCondition returns the type that a path to a field of a condition names.
func cutCondition(kind jobmanagedby.Kind, path, field string) (conditionType string, ok bool) {
	rest, ok := strings.CutPrefix(path, kind.Status+".conditions[type=")
	conditionType, end, _ := strings.Cut(rest, "]")
	return conditionType, ok && end == "."+field
}

// setCondition sets the conditions of a type, or adds one. Its members are those of metav1.Condition without
// observedGeneration, which the conditions of all known kinds have, if not these alone.
func setCondition(kind jobmanagedby.Kind, u *unstructured.Unstructured, conditionType, value string, why batchv1.JobCondition) error {
	status, err := valueAt[map[string]any](kind, u, kind.Status, "object")
	if err != nil {
		return err
	}
	all, err := conditionsOf(kind, status)
	if err != nil {
		return err
	}
	found := false
	write := func(c map[string]any) {
		found = true
		c["type"], c["status"] = conditionType, value
		c["reason"], c["message"] = why.Reason, why.Message
		c["lastTransitionTime"] = why.LastTransitionTime.UTC().Format(time.RFC3339)
	}
	for _, c := range all {
		if c := c.(map[string]any); c["type"] == any(conditionType) {
			write(c)
		}
	}
	if !found {
		c := map[string]any{}
		write(c)
		status["conditions"] = append(all, c)
	}
	return nil
}

// setTime writes when it failed, where the rule has a place of its own for that. If that is a condition, it is one that
// does not hold any more.
func setTime(kind jobmanagedby.Kind, rule jobmanagedby.FinishRule, u *unstructured.Unstructured, why batchv1.JobCondition) error {
	if conditionType, isCondition := cutCondition(kind, rule.At, "lastTransitionTime"); isCondition {
		if slices.ContainsFunc(rule.If, func(t jobmanagedby.Test) bool {
			asked, _ := cutCondition(kind, t.Path, "status")
			return asked == conditionType
		}) {
			return nil
		}
		return setCondition(kind, u, conditionType, "False", why)
	}
	p, _ := objpath.Parse(rule.At)
	if !p.IsPlain() { // nor is one that cannot be read
		return nil
	}
	return p.Set(u.Object, why.LastTransitionTime.UTC().Format(time.RFC3339))
}

// fillStatus adds what the API server asks of every status.
func fillStatus(kind jobmanagedby.Kind, u *unstructured.Unstructured) error {
	for _, path := range kind.StatusNeeds {
		p, err := objpath.Parse(path)
		if err != nil {
			return err
		}
		if value, err := p.Get(u.Object); err != nil || value != nil {
			continue // left to the API server
		}
		if err := p.Set(u.Object, ""); err != nil {
			return err
		}
	}
	return nil
}
