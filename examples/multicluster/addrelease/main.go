// Command addrelease makes the control plane of another Kubernetes release available. It writes
// controlplane/releases/VERSION.mod and .sum from the go.mod that the release was built with. Run it in the
// directory of this module's go.mod:
//
//	go run ./addrelease 1.37.2
//
// A staging module whose version of that release the module proxy does not have can be taken from another patch
// level, where nothing that runs is in it (kube-controller-manager imports the controllers of EndpointSlices, and
// the clusters here do not start them):
//
//	go run ./addrelease 1.32.13 k8s.io/endpointslice=v0.32.12
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
)

const (
	kubernetes = "k8s.io/kubernetes"
	dir        = "controlplane"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) < 2 || !regexp.MustCompile(`^1\.\d+\.\d+$`).MatchString(os.Args[1]) {
		log.Fatal("usage: go run ./addrelease 1.MINOR.PATCH [MODULE=VERSION ...]")
	}
	if err := add(os.Args[1], os.Args[2:]); err != nil {
		log.Fatal(err)
	}
}

func add(release string, instead []string) error {
	upstream, err := readMod(release)
	if err != nil {
		return err
	}
	file := filepath.Join("releases", release+".mod")
	const header = "module github.com/managedby-dev/managedby/examples/multicluster/controlplane\n"
	if err := os.WriteFile(filepath.Join(dir, file), []byte(header), 0o644); err != nil {
		return err
	}
	args := edits(release, upstream)
	for _, module := range instead {
		path, version, _ := strings.Cut(module, "=")
		args = append(args, "-replace="+path+"="+path+"@"+version)
	}
	if _, err := goCommand(append(args, file)...); err != nil {
		return err
	}
	_, err = goCommand("mod", "tidy", "-modfile="+file)
	return err
}

// goMod is what `go mod edit -json` prints.
type goMod struct {
	Go      string
	Godebug []struct{ Key, Value string }
	Require []struct {
		Path, Version string
		Indirect      bool
	}
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

// edits are those which make a go.mod take the modules that the release was built with. Upstream replaces its
// staging modules by directories of its repository, which are published as v0.MINOR.PATCH.
func edits(release string, upstream goMod) []string {
	args := []string{"mod", "edit", "-go=" + upstream.Go, "-require=" + kubernetes + "@v" + release}
	for _, g := range upstream.Godebug {
		args = append(args, "-godebug="+g.Key+"="+g.Value)
	}
	staging := "v0" + strings.TrimPrefix(release, "1")
	for _, r := range upstream.Replace {
		to := r.New.Path + "@" + r.New.Version
		if strings.HasPrefix(r.New.Path, "./staging/") {
			to = r.Old.Path + "@" + staging
		}
		args = append(args, "-replace="+r.Old.Path+"="+to)
	}
	return args
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
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	return out, nil
}
