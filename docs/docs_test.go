// SPDX-License-Identifier: Apache-2.0

// Package docs_test holds the documents to the code: every Go block of theirs is a part of a file that is
// compiled and run with the tests, and every link leads somewhere.
package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// documents are the README and the pages beside this file.
func documents(t *testing.T) map[string]string {
	t.Helper()
	paths, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, path := range append(paths, "../README.md") {
		texts[path] = read(t, path)
	}
	return texts
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// region is a part of a Go file that a document shows. It stands between two comments, the first with the
// document's name and a title, the second with its name and "end":
//
//	// README: the reconcile sketch
//	// README: end
type region struct {
	file, document, title, code string
}

var regionMark = regexp.MustCompile(`^(\t*)// ([A-Z-]+): (.+)$`)

// regions are those of the tests of all packages, which are compiled and run whenever the tests are.
func regions(t *testing.T) (all []region) {
	t.Helper()
	files, err := filepath.Glob("../*/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		all = append(all, regionsOf(t, file)...)
	}
	return all
}

func regionsOf(t *testing.T, file string) (all []region) {
	t.Helper()
	var open *region
	indent := ""
	for _, line := range strings.Split(read(t, file), "\n") {
		mark := regionMark.FindStringSubmatch(line)
		switch {
		case mark == nil && open != nil:
			open.code += strings.TrimPrefix(line, indent) + "\n"
		case mark == nil || !isDocument(mark[2]):
		case mark[3] == "end" && open != nil && open.document == mark[2]:
			open.code = strings.TrimSpace(open.code)
			all, open = append(all, *open), nil
		case mark[3] == "end" || open != nil:
			t.Errorf("%s: %s does not fit", file, line)
		default:
			indent, open = mark[1], &region{file: file, document: mark[2], title: mark[3]}
		}
	}
	if open != nil {
		t.Errorf("%s: the region %q does not end", file, open.title)
	}
	return all
}

func isDocument(name string) bool {
	for _, path := range []string{name + ".md", "../" + name + ".md"} {
		if _, err := os.Stat(path); err == nil {
			return true
		}
	}
	return false
}

var goBlock = regexp.MustCompile("(?ms)^```go\n(.*?)\n```$")

// TestGoBlocks: what a reader copies from a document compiles and runs, because it is what stands in a test.
func TestGoBlocks(t *testing.T) {
	shown := map[region]bool{}
	all := regions(t)
	for path, text := range documents(t) {
		name := strings.TrimSuffix(filepath.Base(path), ".md")
		for _, block := range goBlock.FindAllStringSubmatch(text, -1) {
			found := false
			for _, r := range all {
				if r.document == name && r.code == block[1] {
					found, shown[r] = true, true
				}
			}
			if !found {
				t.Errorf("%s: no test has this code in a region of that document:\n%s", path, block[1])
			}
		}
	}
	for _, r := range all {
		if !shown[r] {
			t.Errorf("%s: %s does not have the region %q:\n%s", r.file, r.document, r.title, r.code)
		}
	}
	if t.Logf("%d blocks", len(shown)); len(shown) == 0 {
		t.Error("there should be some")
	}
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	notKept = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// TestLinks: every relative link of a document leads to a file, and to a heading in it.
func TestLinks(t *testing.T) {
	for path, text := range documents(t) {
		for _, found := range link.FindAllStringSubmatch(text, -1) {
			target, anchor, _ := strings.Cut(found[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			to := filepath.Join(filepath.Dir(path), target)
			if target == "" {
				to = path
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s: %v", path, err)
			} else if anchor != "" && !anchors(read(t, to))[anchor] {
				t.Errorf("%s: %s has no heading %q", path, to, anchor)
			}
		}
	}
}

// anchors are the names that GitHub gives to the headings of a text.
func anchors(text string) map[string]bool {
	names := map[string]bool{}
	for _, h := range heading.FindAllStringSubmatch(text, -1) {
		names[strings.ReplaceAll(notKept.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-")] = true
	}
	return names
}
