// SPDX-License-Identifier: Apache-2.0

package ask_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"

	"github.com/managedby-dev/managedby/internal/oracle/ask"
	"github.com/managedby-dev/managedby/internal/oracle/wire"
)

// newest is the release that these tests ask; TestVectors asks all.
func newest(t testing.TB) string {
	t.Helper()
	releases, err := ask.Releases()
	if err != nil {
		t.Fatal(err)
	}
	return releases[len(releases)-1]
}

func TestReleases(t *testing.T) {
	releases, err := ask.Releases()
	if err != nil {
		t.Fatal(err)
	}
	i, j := slices.Index(releases, "1.32.2"), slices.Index(releases, "1.32.13")
	if i < 0 || j != i+1 {
		t.Errorf("got %v, want 1.32.2 just before 1.32.13", releases)
	}
}

// TestGates is about each configuration: the gate is what it says, and what jobmanagedby makes of it.
func TestGates(t *testing.T) {
	emulated := []ask.Config{
		{Release: newest(t), EmulatedVersion: "1.34"},
		{Release: newest(t), EmulatedVersion: "1.34", FeatureGates: "JobManagedBy=false"},
		{Release: newest(t), EmulatedVersion: "1.35"},
	}
	for _, config := range append(configs(t), emulated...) {
		t.Run(config.String(), func(t *testing.T) {
			server, err := ask.For(t, config).About()
			if err != nil {
				t.Fatal(err)
			}
			want := config.APIServer().HonorsManagedBy()
			if server.JobManagedBy == nil || *server.JobManagedBy != want {
				t.Errorf("the gate is %v, want %v", server.JobManagedBy, want)
			}
			if set := config.APIServer().Gate; set != nil && *set != want {
				t.Errorf("setting the gate to %v has no effect", *set)
			}
		})
	}
}

func TestStartRefused(t *testing.T) {
	for _, tt := range []struct {
		config ask.Config
		want   string
	}{
		{ask.Config{Release: "1.29.0"}, "1.29.0.mod"},
		{ask.Config{Release: newest(t), FeatureGates: "JobManagedBy=false"}, "locked"},
		{ask.Config{Release: newest(t), FeatureGates: "JobManagedBy=false", EmulatedVersion: "1.35"}, "locked"},
		{ask.Config{Release: "1.30.14", EmulatedVersion: "1.29"}, "cannot emulate"},
		{ask.Config{Release: newest(t), FeatureGates: "NoSuchGate=false"}, "NoSuchGate"},
		{ask.Config{Release: newest(t), EmulatedVersion: "one"}, "one"},
	} {
		o, err := ask.Start(tt.config)
		if err == nil {
			o.Close()
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: got %v, want an error with %q", tt.config, err, tt.want)
		}
	}
}

// A request without a verdict must not pass for an accepted one, wherever it stands.
func TestAskFails(t *testing.T) {
	config := ask.Config{Release: newest(t)}
	o, err := ask.Start(config)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	requests := make([]wire.Request, 100_000)
	for i := range requests {
		requests[i].Op = wire.About
	}
	requests[1].Op = "nonsense"
	if _, err := o.Ask(requests); err == nil || !strings.Contains(err.Error(), "request 1 of 100000") {
		t.Errorf("got %v, want an error about request 1", err)
	}
	if _, err := o.Ask(requests[:1]); err == nil {
		t.Error("a process that was given up answers")
	}
}

func TestAskInTurns(t *testing.T) {
	o := ask.For(t, ask.Config{Release: newest(t)})
	for n := range 3 {
		requests := make([]wire.Request, n)
		for i := range requests {
			requests[i] = wire.Request{ID: json.RawMessage{'0' + byte(i)}, Op: wire.Create, New: ask.Job(&batchv1.Job{})}
		}
		answers, err := o.Ask(requests)
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range answers {
			if string(a.ID) != string(requests[i].ID) || len(a.Errors) == 0 {
				t.Errorf("answer %d of %d: %+v", i, n, a)
			}
		}
	}
}

func configs(t testing.TB) []ask.Config {
	t.Helper()
	all, err := ask.Configs()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatal("no release to ask")
	}
	return all
}
