// SPDX-License-Identifier: Apache-2.0

// Package jobgen makes Jobs for tests: updates of a Job's status as an API server sees them, and
// pairs of a delegated Job and its mirror. It knows the domain. Statuses come from the life of a
// controller that behaves well, and are then bent at a few places, so that most of them are nearly
// right and every rule of the API server is broken often.
//
// A [Gen] is seeded and keeps no other state: the same seed gives the same Jobs in the same order.
// A test prints the seed. What is made shares no memory with what was made before. A Gen is not
// safe for concurrent use.
package jobgen
