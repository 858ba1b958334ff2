// Package kinds has tests only. They hold [jobmanagedby.Kinds] and mirror.BuildObject to what the
// projects publish in their Go modules: CRDs, with their schemas and CEL rules, which are run by the
// API server's own library; the validation of a webhook and of an operator; and Go types.
//
// The other kinds of the table have no module that the tests could use, and rest on reading.
//
// [jobmanagedby.Kinds]: https://pkg.go.dev/github.com/managedby-dev/managedby/jobmanagedby#Kinds
package kinds
