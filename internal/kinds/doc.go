// SPDX-License-Identifier: Apache-2.0

// Package kinds has tests only. They hold [jobmanagedby.Kinds] and mirror.BuildObject to what the
// projects publish in their Go modules: CRDs, with their schemas and CEL rules, which are run by the
// API server's own library; the validation of webhooks and operators; and Go types.
//
// The module live has the tests on real API servers.
//
// [jobmanagedby.Kinds]: https://pkg.go.dev/github.com/managedby-dev/managedby/jobmanagedby#Kinds
package kinds
