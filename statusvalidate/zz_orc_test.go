package statusvalidate_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/managedby-dev/managedby/internal/jobgen"
	"github.com/managedby-dev/managedby/statusvalidate"
)

func TestZZOracle(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("ORC_N"))
	dir := os.Getenv("ORC_DIR")
	for _, cfg := range []struct{ rel, gates, name string }{
		{"1.30.14", "", "1.30.14"}, {"1.30.14", "JobManagedBy=true", "1.30.14+gate"},
		{"1.31.14", "", "1.31.14"}, {"1.31.14", "JobManagedBy=true", "1.31.14+gate"},
		{"1.32.2", "", "1.32.2"}, {"1.32.13", "", "1.32.13"}, {"1.33.13", "JobManagedBy=false", "1.33.13-gate"},
		{"1.34.0", "", "1.34.0"}, {"1.35.4", "", "1.35.4"}, {"1.36.3", "", "1.36.3"}, {"1.37.2", "", "1.37.2"},
	} {
		bin := dir + "/oracle-" + cfg.rel
		if _, err := os.Stat(bin); err != nil {
			t.Logf("no %s", bin)
			continue
		}
		var changes []statusvalidate.Change
		for _, info := range statusvalidate.Rules() {
			for _, c := range casesOf(t, info.Rule) {
				changes = append(changes, c.change())
			}
		}
		for _, p := range readPairs(t) {
			changes = append(changes, p.change())
		}
		g := jobgen.New(uint64(time.Now().UnixNano()))
		for range n {
			var c statusvalidate.Change
			c.Old, c.New = g.Change()
			changes = append(changes, c)
		}
		var in bytes.Buffer
		enc := json.NewEncoder(&in)
		for _, c := range changes {
			c.Old, c.New = c.Old.DeepCopy(), c.New.DeepCopy()
			c.Old.Name, c.New.Name, c.Old.Namespace, c.New.Namespace = "j", "j", "n", "n"
			c.Old.UID, c.New.UID, c.Old.ResourceVersion, c.New.ResourceVersion = "u", "u", "1", "1"
			c.Old.APIVersion, c.Old.Kind, c.New.APIVersion, c.New.Kind = "batch/v1", "Job", "batch/v1", "Job"
			enc.Encode(map[string]any{"old": c.Old, "new": c.New, "rules": true})
		}
		args := []string{}
		if cfg.gates != "" {
			args = append(args, "-feature-gates="+cfg.gates)
		}
		cmd := exec.Command(bin, args...)
		cmd.Stdin = &in
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		sc := bufio.NewScanner(bytes.NewReader(out))
		sc.Buffer(nil, 1<<24)
		i, differ := 0, 0
		v := statusvalidate.For(release(t, cfg.name))
		for ; sc.Scan(); i++ {
			var r struct {
				Errors []struct {
					Type, Field string
					BadValue    json.RawMessage
					Option      string
				}
				Failure string
			}
			if err := json.Unmarshal(sc.Bytes(), &r); err != nil {
				t.Fatal(err)
			}
			if r.Failure != "" {
				t.Fatalf("%d %s", i, r.Failure)
			}
			var want, got string
			for _, e := range r.Errors {
				want += e.Type + " " + e.Field + " " + string(e.BadValue) + "\n"
			}
			for _, x := range v.Validate(changes[i]) {
				b, _ := json.Marshal(x.Err.BadValue)
				got += string(x.Err.Type) + " " + x.Err.Field + " " + string(b) + "\n"
			}
			if want != got {
				differ++
				if differ < 4 {
					o, _ := json.Marshal(changes[i].Old)
					n, _ := json.Marshal(changes[i].New.Status)
					t.Errorf("%s %d\nserver:\n%sours:\n%s%.1500s\n%.1500s", cfg.name, i, want, got, o, n)
				}
			}
		}
		t.Logf("%s: %d compared, %d differ", cfg.name, i, differ)
	}
}
