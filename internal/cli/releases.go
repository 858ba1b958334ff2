// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/managedby-dev/managedby/jobmanagedby"
)

// NewestPatches are what "all" stands for. A rule may differ between patches of a minor release.
func NewestPatches() []string {
	return []string{"1.30.14", "1.31.14", "1.32.13", "1.33.13", "1.34.4", "1.35.4", "1.36.3", "1.37.2"}
}

// ParseReleases takes one or several releases, separated by commas, or "all".
func ParseReleases(list string) ([]jobmanagedby.Release, error) {
	versions := strings.Split(list, ",")
	if list == "all" {
		versions = NewestPatches()
	}
	var releases []jobmanagedby.Release
	for _, v := range versions {
		r, err := parseRelease(v)
		if err != nil {
			return nil, err
		}
		releases = append(releases, r)
	}
	return releases, nil
}

// Notes says of each release that is newer than those known what it is taken for.
func Notes(releases []jobmanagedby.Release) (notes []string) {
	newest := jobmanagedby.Newest()
	for _, r := range releases {
		if r.AtLeast(newest.Version.Major(), newest.Version.Minor()+1, 0) {
			notes = append(notes, fmt.Sprintf("-release %v: %v is the newest release that is known; it is taken to be like that", r, newest))
		}
	}
	return notes
}

// parseRelease takes the releases whose rules are known, and newer ones, as the library does.
func parseRelease(v string) (jobmanagedby.Release, error) {
	r, err := jobmanagedby.ParseRelease(v)
	if err != nil {
		var parse *jobmanagedby.ParseError
		if errors.As(err, &parse) {
			err = parse.Err
		}
		return r, fmt.Errorf("%q is no release such as 1.35.4: %w", v, err)
	}
	oldest, newest := jobmanagedby.Oldest().Version, jobmanagedby.Newest().Version
	if !r.AtLeast(oldest.Major(), oldest.Minor(), 0) {
		return r, fmt.Errorf("%q is unknown: %v to %v are known", v, oldest, newest)
	}
	return r, nil
}

// Ranges names a selection from a list of names, in which neighbours are joined:
// "1.30.14, 1.32.13 - 1.34.4".
func Ranges(names []string, selected func(i int) bool) string {
	var parts []string
	for i := 0; i < len(names); i++ {
		if !selected(i) {
			continue
		}
		first := i
		for i+1 < len(names) && selected(i+1) {
			i++
		}
		switch i - first {
		case 0:
			parts = append(parts, names[first])
		case 1:
			parts = append(parts, names[first], names[i])
		default:
			parts = append(parts, names[first]+" - "+names[i])
		}
	}
	return strings.Join(parts, ", ")
}
