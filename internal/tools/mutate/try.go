// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

type outcome int

const (
	caught outcome = iota
	survived
	stillborn // it does not compile
)

// try runs the tests of the package with the mutant in it.
func (m mutant) try() outcome {
	dir, err := os.MkdirTemp("", "mutant")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	overlay, err := m.overlay(dir)
	if err != nil {
		panic(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	test := exec.CommandContext(ctx, "go", "test", "-short", "-count=1", "-vet=off", "-failfast", "-overlay", overlay, ".")
	test.Dir = filepath.Dir(m.path)
	output, err := test.CombinedOutput()
	switch {
	case err == nil:
		return survived
	case strings.Contains(string(output), "[build failed]") || strings.Contains(string(output), "[setup failed]"):
		return stillborn
	default:
		return caught
	}
}

// overlay writes the mutated file and the JSON that tells the compiler of it.
func (m mutant) overlay(dir string) (path string, err error) {
	source, err := os.ReadFile(m.path)
	if err != nil {
		return "", err
	}
	original, err := filepath.Abs(m.path)
	if err != nil {
		return "", err
	}
	mutated := filepath.Join(dir, filepath.Base(m.path))
	text := string(source[:m.start]) + m.text + string(source[m.end:])
	if err := os.WriteFile(mutated, []byte(text), 0o600); err != nil {
		return "", err
	}
	data, err := json.Marshal(map[string]map[string]string{"Replace": {original: mutated}})
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, data, 0o600)
}
