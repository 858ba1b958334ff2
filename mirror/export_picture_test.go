// SPDX-License-Identifier: Apache-2.0

package mirror

// WhyOf returns what an outcome says to people.
func WhyOf(o Outcome) string { return outcome(o).Why }
