// Package e2e has the tests of the dispatcher on real control planes.
package e2e
