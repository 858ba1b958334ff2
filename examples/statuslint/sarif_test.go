// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
)

// TestSARIF checks what the format requires of what is used of it, and that the parts fit together.
func TestSARIF(t *testing.T) {
	for _, args := range []string{
		"testdata/jobs.yaml -release all", "-audit testdata/audit.log", "-error testdata/answer.json",
		"-old testdata/stored.yaml -new testdata/sent.yaml",
	} {
		got := runWith(t, "", append(strings.Fields(args), "-o", "sarif")...)
		var log map[string]any
		if err := json.Unmarshal([]byte(got.stdout), &log); err != nil {
			t.Fatal(err)
		}
		if log["version"] != "2.1.0" || !strings.HasSuffix(log["$schema"].(string), "/sarif-schema-2.1.0.json") {
			t.Errorf("%v %v", log["version"], log["$schema"])
		}
		run := log["runs"].([]any)[0].(map[string]any)
		driver := run["tool"].(map[string]any)["driver"].(map[string]any)
		ids := map[any]bool{}
		for _, r := range driver["rules"].([]any) {
			rule := r.(map[string]any)
			if ids[rule["id"]] || textOf(rule["shortDescription"]) == "" || textOf(rule["help"]) == "" {
				t.Errorf("rule twice, or without a text: %v", rule)
			}
			ids[rule["id"]] = true
		}
		results := run["results"].([]any)
		if driver["name"] != "statuslint" || len(results) == 0 {
			t.Errorf("%v has %d results", driver["name"], len(results))
		}
		for _, r := range results {
			checkResult(t, r.(map[string]any), ids)
		}
	}
}

func checkResult(t *testing.T, result map[string]any, ids map[any]bool) {
	t.Helper()
	if id, ok := result["ruleId"]; ok && !ids[id] {
		t.Errorf("%v is not among the rules", id)
	}
	if l := result["level"]; l != "error" && l != "warning" {
		t.Errorf("level %v", l)
	}
	if textOf(result["message"]) == "" {
		t.Error("a result without a message")
	}
	locations := result["locations"].([]any)
	location := locations[0].(map[string]any)
	physical := location["physicalLocation"].(map[string]any)
	if uri, err := url.Parse(physical["artifactLocation"].(map[string]any)["uri"].(string)); err != nil || uri.Path == "" {
		t.Errorf("uri %v: %v", uri, err)
	}
	if region, ok := physical["region"].(map[string]any); ok && region["startLine"].(float64) < 1 {
		t.Errorf("region %v", region)
	}
	logical := location["logicalLocations"].([]any)[0].(map[string]any)
	if name := logical["fullyQualifiedName"].(string); name == "" || strings.Contains(name, "//") || name[0] == '/' {
		t.Errorf("logical location %q", name)
	}
}

func textOf(message any) string {
	text, _ := message.(map[string]any)["text"].(string)
	return text
}

func TestArtifactURI(t *testing.T) {
	for file, want := range map[string]string{
		"job.yaml": "job.yaml", "dir/a b.yaml": "dir/a%20b.yaml", "/data/ü.yaml": "file:///data/%C3%BC.yaml", "standard input": "stdin", "a:b.yaml": "./a:b.yaml",
	} {
		if got := artifactURI(file); got != want {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
}
