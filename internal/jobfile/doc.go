// SPDX-License-Identifier: Apache-2.0

// Package jobfile reads Jobs as kubectl prints them, for the example programs: YAML or JSON, in one or
// several documents, each a batch/v1 Job, a JobList or a List of Jobs. Documents are counted from 1; those
// without content do not count. Errors are one line, and name the file, the document and the field.
//
// A field that is not known is a warning, for a newer Kubernetes may have printed it. A field that is
// there twice is an error.
package jobfile
