// SPDX-License-Identifier: Apache-2.0

// Package objpath reads and changes JSON objects, as *unstructured.Unstructured holds them, at places
// that a short text names:
//
//	spec.suspend                               a member
//	spec.replicatedJobs[].template.spec        of every element of a list
//	status.conditions[type=Failed].status      of the elements whose member type is "Failed"
//	metadata.annotations[acme.io/ttl]          the member acme.io/ttl, which a dot could not name
//
// What is missing or null on the way is nothing to read or change, and no error. What is there and is
// not an object or a list, where the path goes on, is an [*Error] with its place.
package objpath
