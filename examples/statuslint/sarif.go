// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"github.com/managedby-dev/managedby/internal/jobfile"
	"github.com/managedby-dev/managedby/statusvalidate"
)

// What is used of SARIF 2.1.0, the format in which analysis tools report to code review systems. The
// specification: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html.

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool    sarifTool     `json:"tool"`
	Results []sarifResult `json:"results"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name  string      `json:"name"`
	Rules []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID               string    `json:"id"`
	ShortDescription sarifText `json:"shortDescription"`
	Help             sarifText `json:"help"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifResult struct {
	RuleID    string          `json:"ruleId,omitempty"`
	Level     level           `json:"level"`
	Message   sarifText       `json:"message"`
	Locations []sarifLocation `json:"locations"`
}

type sarifLocation struct {
	Physical sarifPhysical  `json:"physicalLocation"`
	Logical  []sarifLogical `json:"logicalLocations"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	StartLine int `json:"startLine"`
}

type sarifLogical struct {
	FullyQualifiedName string `json:"fullyQualifiedName"`
	Kind               string `json:"kind"`
}

func toSARIF(r report) sarifLog {
	run := sarifRun{Tool: sarifTool{sarifDriver{Name: "statuslint", Rules: sarifRules()}}, Results: []sarifResult{}}
	for _, s := range r.Subjects {
		for _, f := range s.Findings {
			run.Results = append(run.Results, sarifResult{
				RuleID: f.Rule, Level: f.Level, Message: sarifText{f.line(r.Releases)}, Locations: []sarifLocation{s.location(f)},
			})
		}
	}
	return sarifLog{
		Schema:  "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
		Version: "2.1.0", Runs: []sarifRun{run},
	}
}

// sarifRules are all the rules there are. A rule that some API servers do not enforce, and Lint then warns
// about, is one rule.
func sarifRules() (rules []sarifRule) {
	for _, info := range statusvalidate.Rules() {
		rules = append(rules, sarifRule{string(info.Rule), sarifText{info.Summary}, sarifText{info.Remedy}})
	}
	for _, info := range statusvalidate.LintRules() {
		if info.RefusedBy == "" {
			rules = append(rules, sarifRule{string(info.Rule), sarifText{info.Summary}, sarifText{info.Harm + ". " + info.Remedy}})
		}
	}
	return rules
}

// line is what there is to say about a finding.
func (f finding) line(asked []string) string {
	more := ""
	if f.More > 0 {
		more = fmt.Sprintf(" %d more like it are left out.", f.More)
	}
	return fmt.Sprintf("%s: %s%s. %s%s", f.Field, f.Message, shownValue(f.Value), f.where(asked), more)
}

func (s subject) location(f finding) sarifLocation {
	l := sarifLocation{
		Physical: sarifPhysical{Artifact: sarifArtifact{artifactURI(s.file)}},
		Logical:  []sarifLogical{{strings.Trim(path.Join(s.Namespace, s.Name, f.Field), "/"), "member"}},
	}
	if s.lines != nil {
		if line := s.lines(f.Field); line > 0 {
			l.Physical.Region = &sarifRegion{line}
		}
	}
	return l
}

// artifactURI is a file as a relative or absolute URI.
func artifactURI(file string) string {
	if file == jobfile.StdinName {
		return "stdin"
	}
	slashed := filepath.ToSlash(file)
	if filepath.IsAbs(file) {
		return (&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(slashed, "/")}).String()
	}
	return (&url.URL{Path: slashed}).String()
}
