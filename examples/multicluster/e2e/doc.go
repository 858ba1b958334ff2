// SPDX-License-Identifier: Apache-2.0

// Package e2e has the tests of the dispatcher on real control planes.
package e2e
