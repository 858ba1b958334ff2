// SPDX-License-Identifier: Apache-2.0

// Package cli is what the example programs share: text for people, with colours, tables and diffs; and how
// releases are named on the command line.
package cli
