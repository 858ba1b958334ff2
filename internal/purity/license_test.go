// SPDX-License-Identifier: Apache-2.0

package purity_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLicense: every Go file of the repository says in its first line what LICENSE says at length.
func TestLicense(t *testing.T) {
	const header = "// SPDX-License-Identifier: Apache-2.0\n\n"
	root := os.DirFS(filepath.Join("..", ".."))
	n := 0
	err := fs.WalkDir(root, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && path != "." {
			return fs.SkipDir
		}
		if entry.IsDir() || filepath.Ext(path) != ".go" {
			return nil
		}
		n++
		text, err := fs.ReadFile(root, path)
		if err == nil && !strings.HasPrefix(string(text), header) {
			t.Errorf("%s does not begin with %q", path, header)
		}
		return err
	})
	if err != nil || n < 300 {
		t.Errorf("%d files, %v", n, err)
	}
}
