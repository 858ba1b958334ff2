// SPDX-License-Identifier: Apache-2.0

package ask_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/managedby-dev/managedby/internal/oracle/ask"
)

func TestCacheDir(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a-file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, cache string
		inCache     bool
	}{
		{"a cache", t.TempDir(), true},
		{"no cache and no home", "", false},
		{"a cache that cannot be made", filepath.Join(file, "cache"), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			temporary := t.TempDir()
			t.Setenv("HOME", "")
			t.Setenv("XDG_CACHE_HOME", tt.cache)
			t.Setenv("TMPDIR", temporary)
			dir, err := ask.CacheDir()
			if err != nil {
				t.Fatal(err)
			}
			parent := map[bool]string{true: tt.cache, false: temporary}[tt.inCache]
			if !strings.HasPrefix(dir, parent+string(filepath.Separator)) {
				t.Errorf("%s is not in %s", dir, parent)
			}
			if info, err := os.Stat(dir); err != nil || !info.IsDir() {
				t.Errorf("%s is no directory: %v", dir, err)
			}
		})
	}
}
