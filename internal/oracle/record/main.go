// SPDX-License-Identifier: Apache-2.0

// Command record writes the recorded corpus of statusvalidate: updates of a Job's status, and what each
// API server answers; and how the servers word their answers, for statuslint. Everything in it follows
// from the seed.
//
//	go run ./record
package main

import (
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/managedby-dev/managedby/internal/oracle/ask"
	"github.com/managedby-dev/managedby/internal/oracle/options"
	"github.com/managedby-dev/managedby/internal/oracle/wire"
	"github.com/managedby-dev/managedby/statusvalidate"
)

// about is the first thing to read of a corpus.
type about struct {
	Seed    uint64                         `json:"seed"`
	Drawn   int                            `json:"drawn"` // of which the pairs are a part
	Pairs   int                            `json:"pairs"`
	Servers []string                       `json:"servers"` // a file of verdicts each
	Options map[statusvalidate.Rule]string `json:"options"` // of upstream's, behind the rules
}

// verdict is what an API server answers to a pair.
type verdict struct {
	ID     int     `json:"id"`
	Errors []fault `json:"errors"`
}

// fault is a wire.Error without its wording.
type fault struct {
	Type     string          `json:"type"`
	Field    string          `json:"field"`
	BadValue json.RawMessage `json:"badValue"`
	Option   string          `json:"option"`
}

func main() {
	log.SetFlags(0)
	seed := flag.Uint64("seed", 1, "seed of the generated updates")
	drawn := flag.Int("draw", 40_000, "how many updates to choose from")
	dir := flag.String("dir", "../../statusvalidate/testdata/corpus", "where to write")
	answers := flag.String("answers", "../../examples/statuslint/testdata/answers.jsonl", "where to write the wordings")
	flag.Parse()
	if err := record(*seed, *drawn, *dir, *answers); err != nil {
		log.Fatal(err)
	}
}

func record(seed uint64, drawn int, dir, answersFile string) error {
	configs, err := ask.Configs()
	if err != nil {
		return err
	}
	pairs := choose(seed, drawn, configs)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	a := about{Seed: seed, Drawn: drawn, Pairs: len(pairs), Options: map[statusvalidate.Rule]string{}}
	for _, info := range statusvalidate.Rules() {
		a.Options[info.Rule] = options.Of(info.Rule)
	}
	if err := writeLines(filepath.Join(dir, "pairs.jsonl.gz"), pairs); err != nil {
		return err
	}
	said := wordings{known: map[wording]*answer{}}
	for _, config := range configs {
		verdicts, err := judge(config, pairs, &said)
		if err != nil {
			return err
		}
		name := config.String()
		if err := writeLines(filepath.Join(dir, "verdicts-"+name+".jsonl.gz"), verdicts); err != nil {
			return err
		}
		a.Servers = append(a.Servers, name)
	}
	text, err := said.lines()
	if err != nil {
		return err
	}
	if err := os.WriteFile(answersFile, []byte(text), 0o644); err != nil {
		return err
	}
	return writeAbout(filepath.Join(dir, "about.json"), a)
}

func judge(config ask.Config, pairs []pair, said *wordings) ([]verdict, error) {
	requests := make([]wire.Request, len(pairs))
	for i, p := range pairs {
		requests[i] = wire.Request{Old: p.Old, New: p.New, Rules: true}
	}
	oracle, err := ask.Start(config)
	if err != nil {
		return nil, err
	}
	answers, err := oracle.Ask(requests)
	if err != nil {
		return nil, err
	}
	verdicts := make([]verdict, len(answers))
	for i, answer := range answers {
		if err := said.add(config, pairs[i], answer.Errors); err != nil {
			return nil, err
		}
		verdicts[i] = verdict{ID: i, Errors: []fault{}}
		for _, e := range answer.Errors {
			verdicts[i].Errors = append(verdicts[i].Errors, fault{e.Type, e.Field, e.BadValue, e.Option})
		}
	}
	return verdicts, oracle.Close()
}

func writeLines[T any](name string, all []T) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewWriterLevel(f, gzip.BestCompression)
	if err != nil {
		return err
	}
	lines := json.NewEncoder(z)
	for _, v := range all {
		if err := lines.Encode(v); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	return f.Close()
}

func writeAbout(name string, a about) error {
	text, err := json.MarshalIndent(a, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(text, '\n'), 0o644)
}
