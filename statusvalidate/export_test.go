package statusvalidate

import "fmt"

// Rows names the rows of the table, in its order.
func Rows() (names []string) {
	for i := range table {
		names = append(names, fmt.Sprintf("%d %s (%v)", i, table[i].rule, table[i].held))
	}
	return names
}

// WithoutRow returns v with one row of the table switched off, and whether v has that row.
func (v Validator) WithoutRow(i int) (without Validator, has bool) {
	row := rowSet(1) << i
	return validator(v.rows() &^ row), v.rows()&row != 0
}

// IndexesWellFormed is what the rules about index lists ask.
func IndexesWellFormed(list string, completions int32) bool { return !malformed(list, completions) }

// Overlap is what the rule about two index lists asks.
func Overlap(completed, failed string, completions int32) (index int64, found bool) {
	return overlap(completed, failed, completions)
}

// Landings returns every patch release at which a row of the table begins or ends.
func Landings() (names []string) {
	for i := range table {
		for _, p := range append(table[i].held.since, table[i].held.until...) {
			names = append(names, p.String())
		}
	}
	return names
}
