// Package cli is what the example programs share: text for people, with colours, tables and diffs; and how
// releases are named on the command line.
package cli
