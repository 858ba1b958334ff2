// SPDX-License-Identifier: Apache-2.0

// Package dispatcher is a controller that runs the Jobs of a management cluster on workers. What a reader
// copies is reconcile.go: look, decide, carry out, look again. The rest is what any controller needs:
// clients and caches for several clusters, a choice of the worker, checks at the start, events and metrics.
package dispatcher
