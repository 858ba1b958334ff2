// SPDX-License-Identifier: Apache-2.0

package mirror

import batchv1 "k8s.io/api/batch/v1"

// BuildSpent is Build for a Job whose earlier mirrors have used up a part of its deadline.
func (p *Planner) BuildSpent(local *batchv1.Job, spent int64) (*batchv1.Job, error) {
	return p.build(local, spent)
}
