// SPDX-License-Identifier: Apache-2.0

package mirror

import batchv1 "k8s.io/api/batch/v1"

// Pair is a Job and its mirror. It is a struct, and not two arguments, so that a call cannot get
// the two the wrong way round.
type Pair struct {
	// Local is the Job that the user created in the management cluster.
	Local *batchv1.Job
	// Remote is the Job of the mirror's name on the worker, whoever made it. [Planner.Relate] says
	// whether it is the mirror of Local.
	Remote *batchv1.Job
}
