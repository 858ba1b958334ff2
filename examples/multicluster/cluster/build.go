// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Newest is the release that is meant where none is named.
const Newest = "1.37.2"

// A program is something to build: a package, in a directory that has its go.mod.
type program struct {
	name    string // of the file
	label   string // for people
	dir     string // of go.mod, below this module's root
	modFile string // in dir
	pkg     string
	ldflags string
}

func etcdProgram() program {
	return program{name: "etcd", label: "etcd", dir: "controlplane/etcd", modFile: "go.mod", pkg: "go.etcd.io/etcd/server/v3", ldflags: "-s -w"}
}

// controlPlaneProgram is kube-apiserver and kube-controller-manager. A release that is built from its modules
// does not know its own version.
func controlPlaneProgram(release string) (program, error) {
	if err := CheckReleases(release); err != nil {
		return program{}, err
	}
	const version = " -X k8s.io/component-base/version."
	numbers := strings.Split(release, ".")
	return program{
		name:    "controlplane-" + release,
		label:   "kube-apiserver and kube-controller-manager " + release,
		dir:     "controlplane",
		modFile: filepath.Join("releases", release+".mod"),
		pkg:     ".",
		ldflags: "-s -w" + version + "gitVersion=v" + release + version + "gitMajor=" + numbers[0] + version + "gitMinor=" + numbers[1],
	}, nil
}

// Build makes sure that etcd and the control planes of the releases are there, and says on progress what it
// does. The programs are kept in the user's cache directory; to build one takes minutes.
func Build(ctx context.Context, progress io.Writer, releases ...string) error {
	programs := []program{etcdProgram()}
	for _, release := range releases {
		p, err := controlPlaneProgram(release)
		if err != nil {
			return err
		}
		programs = append(programs, p)
	}
	for _, p := range programs {
		if _, err := build(ctx, progress, p); err != nil {
			return err
		}
	}
	return nil
}

// build returns the path of a program, which it builds unless one of the same sources is there.
func build(ctx context.Context, progress io.Writer, p program) (string, error) {
	root, err := moduleRoot()
	if err != nil {
		return "", err
	}
	stamp, err := p.stamp(root)
	if err != nil {
		return "", err
	}
	cache, err := cacheDir()
	if err != nil {
		return "", err
	}
	file := filepath.Join(cache, p.name+"-"+stamp)
	if _, err := os.Stat(file); err == nil {
		fmt.Fprintf(progress, "found %s in %s\n", p.label, cache)
		return file, nil
	}
	started := time.Now()
	fmt.Fprintf(progress, "building %s (this takes minutes the first time) ...\n", p.label)
	if err := p.build(ctx, root, file); err != nil {
		return "", err
	}
	fmt.Fprintf(progress, "built %s in %v\n", p.label, time.Since(started).Round(time.Second))
	return file, nil
}

// build writes to another name first, so that a program that is there is whole.
func (p program) build(ctx context.Context, root, file string) error {
	partial := fmt.Sprintf("%s.partial-%d", file, os.Getpid())
	defer os.Remove(partial)
	cmd := exec.CommandContext(ctx, "go", "build", "-modfile="+p.modFile, "-ldflags="+p.ldflags, "-o", partial, p.pkg)
	cmd.Dir = filepath.Join(root, p.dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build %s: %w\n%s", p.label, err, out)
	}
	return os.Rename(partial, file)
}

// stamp is a short hash of what the program is made of.
func (p program) stamp(root string) (string, error) {
	hash := sha256.New()
	fmt.Fprintln(hash, runtime.Version(), runtime.GOOS, runtime.GOARCH, p.pkg, p.ldflags)
	files := []string{p.modFile, strings.TrimSuffix(p.modFile, ".mod") + ".sum"}
	if p.pkg == "." {
		files = append(files, "main.go")
	}
	for _, name := range files {
		content, err := os.ReadFile(filepath.Join(root, p.dir, name))
		if err != nil {
			return "", err
		}
		hash.Write(content)
	}
	return fmt.Sprintf("%x", hash.Sum(nil)[:6]), nil
}

// cacheDir makes the directory for the programs: in the user's cache or, without a home, among the temporary
// files.
func cacheDir() (string, error) {
	if cache, err := os.UserCacheDir(); err == nil {
		dir := filepath.Join(cache, "managedby", "controlplane")
		if err := os.MkdirAll(dir, 0o700); err == nil {
			return dir, nil
		}
	}
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("managedby-controlplane-%d", os.Getuid()))
	return dir, os.MkdirAll(dir, 0o700)
}

// moduleRoot is the directory of this module's go.mod, in or below which the program has to be run.
func moduleRoot() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOMOD: %w", err)
	}
	root := filepath.Dir(string(bytes.TrimSpace(out)))
	if _, err := os.Stat(filepath.Join(root, "controlplane")); err != nil {
		return "", errors.New("the control planes are built from this module's sources: run it in examples/multicluster, as go -C examples/multicluster run . demo does")
	}
	return root, nil
}
