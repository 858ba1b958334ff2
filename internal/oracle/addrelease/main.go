// Command addrelease makes the oracle answer for another Kubernetes release. It writes
// releases/VERSION.mod and .sum from the go.mod that the release was built with, and moves go.mod on
// where the release is the newest. Run it in the directory of the oracle's go.mod:
//
//	go run ./addrelease 1.37.2
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/util/version"
)

const kubernetes = "k8s.io/kubernetes"

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 || !regexp.MustCompile(`^1\.\d+\.\d+$`).MatchString(os.Args[1]) {
		log.Fatal("usage: go run ./addrelease 1.MINOR.PATCH")
	}
	if err := add(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func add(release string) error {
	upstream, err := readMod(release)
	if err != nil {
		return err
	}
	file := filepath.Join("releases", release+".mod")
	if err := os.WriteFile(file, []byte("module github.com/managedby-dev/managedby/internal/oracle\n"), 0o644); err != nil {
		return err
	}
	if err := edit(file, release, upstream); err != nil {
		return err
	}
	// Loading the oracle, without the packages that use it, adds what is missing.
	if _, err := goCommand("list", "-mod=mod", "-modfile="+file, "-deps", "."); err != nil {
		return err
	}
	newer, err := newerThanMain(release)
	if err != nil || !newer {
		return err
	}
	if err := edit("go.mod", release, upstream); err != nil {
		return err
	}
	_, err = goCommand("mod", "tidy")
	return err
}

// goMod is what `go mod edit -json` prints.
type goMod struct {
	Go      string
	Godebug []struct{ Key, Value string }
	Require []struct{ Path, Version string }
	Replace []struct {
		Old struct{ Path string }
		New struct{ Path, Version string }
	}
}

// readMod fetches a release's own go.mod.
func readMod(release string) (mod goMod, err error) {
	var module struct{ GoMod string }
	if err := goJSON(&module, "mod", "download", "-json", kubernetes+"@v"+release); err != nil {
		return mod, err
	}
	return mod, goJSON(&mod, "mod", "edit", "-json", module.GoMod)
}

// edit makes a go.mod take the modules that the release was built with. Upstream replaces its staging
// modules by directories of its repository, which are published as v0.MINOR.PATCH.
func edit(file, release string, upstream goMod) error {
	edits := []string{"mod", "edit", "-go=" + upstream.Go, "-require=" + kubernetes + "@v" + release}
	for _, g := range upstream.Godebug {
		edits = append(edits, "-godebug="+g.Key+"="+g.Value)
	}
	staging := "v0" + strings.TrimPrefix(release, "1")
	for _, r := range upstream.Replace {
		to := r.New.Path + "@" + r.New.Version
		if strings.HasPrefix(r.New.Path, "./staging/") {
			to = r.Old.Path + "@" + staging
		}
		edits = append(edits, "-replace="+r.Old.Path+"="+to)
	}
	_, err := goCommand(append(edits, file)...)
	return err
}

func newerThanMain(release string) (bool, error) {
	var main goMod
	if err := goJSON(&main, "mod", "edit", "-json", "go.mod"); err != nil {
		return false, err
	}
	for _, r := range main.Require {
		if r.Path == kubernetes {
			return version.MustParseSemantic(r.Version).LessThan(version.MustParseSemantic(release)), nil
		}
	}
	return true, nil
}

func goJSON(into any, args ...string) error {
	out, err := goCommand(args...)
	if err != nil {
		return err
	}
	return json.Unmarshal(out, into)
}

func goCommand(args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	return out, nil
}
