// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"

	"github.com/managedby-dev/managedby/internal/jobgen"
	"github.com/managedby-dev/managedby/internal/oracle/ask"
	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/statusvalidate"
)

// pair is an update, as it is recorded.
type pair struct {
	ID  int             `json:"id"`
	Old json.RawMessage `json:"old"`
	New json.RawMessage `json:"new"`
}

const (
	always = 1200 // the first pairs are taken, as they come
	enough = 10   // times that each rule is seen from each side, in each release
)

// seen counts, for a rule and a server, updates that break the rule there, and updates that break it
// with another server only.
type seen struct {
	server int
	rule   statusvalidate.Rule
	broken bool
}

// choose draws updates and keeps those that show what has not been shown often enough. Our rules choose
// them, the servers judge them.
func choose(seed uint64, drawn int, configs []ask.Config) (pairs []pair) {
	g, counts := jobgen.New(seed), map[seen]int{}
	var servers []jobmanagedby.Release
	for _, config := range configs {
		servers = append(servers, config.APIServer())
	}
	for i := range drawn {
		stored, written := g.Change()
		stored.Spec.Template.Spec.Containers = nil // no rule reads them, and they are most of a Job
		written.Spec.Template.Spec.Containers = nil
		c := statusvalidate.Change{Old: stored, New: written}
		if !shows(counts, c, servers) && i >= always {
			continue
		}
		pairs = append(pairs, pair{ID: len(pairs), Old: ask.Job(stored), New: ask.Job(written)})
	}
	return pairs
}

// shows counts what an update shows, and reports whether some of it is still wanted.
func shows(counts map[seen]int, c statusvalidate.Change, servers []jobmanagedby.Release) (wanted bool) {
	anywhere := statusvalidate.ForAll(servers...).Validate(c)
	for i, server := range servers {
		here := statusvalidate.For(server).Validate(c)
		for _, v := range anywhere {
			k := seen{i, v.Rule, here.Has(v.Rule)}
			counts[k]++
			wanted = wanted || counts[k] <= enough
		}
	}
	return wanted
}
