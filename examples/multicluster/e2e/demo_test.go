// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/managedby-dev/managedby/examples/multicluster/demo"
)

// The demonstration tells each of its stories to the end, and the picture is well-formed.
func TestDemo(t *testing.T) {
	var out bytes.Buffer
	picture := filepath.Join(t.TempDir(), "demo.svg")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- demo.Run(ctx, &out, demo.Options{SVG: picture, Patience: 2 * time.Minute})
		close(ended)
	}()
	defer whileRunning(func() { cancel(); <-ended })()
	must(t, <-ended)
	for _, want := range []string{"All Jobs have ended as they should", "kubernetes.io/job-controller", "Conflict", "deleted"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, &out)
		}
	}
	file, err := os.Open(picture)
	must(t, err)
	defer file.Close()
	for decoder := xml.NewDecoder(file); ; {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
