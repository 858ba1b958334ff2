// SPDX-License-Identifier: Apache-2.0

package statusvalidate

import batchv1 "k8s.io/api/batch/v1"

// BrokenRegardless returns the rules that the status breaks against an empty one, each once, whatever
// changes they are looked at for.
func BrokenRegardless(v Validator, job *batchv1.Job) (rules []Rule) {
	f := factsOf(alone(job))
	for rows := v.rows(); rows != 0; rows &= rows - 1 {
		if r := &table[rows.first()]; r.broken(f) {
			rules = append(rules, r.rule)
		}
	}
	return rules
}
