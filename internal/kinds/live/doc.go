// SPDX-License-Identifier: Apache-2.0

// Package live has tests only. They run the kinds of jobmanagedby.Kinds on real API servers, with the CRDs that
// the projects publish.
package live
