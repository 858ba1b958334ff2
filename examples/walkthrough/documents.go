package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"k8s.io/apimachinery/pkg/util/yaml"
)

// place is where something stands: in a file, a document of it, and an item of a List there.
type place struct {
	file     string
	document int    // counted from 1
	item     string // such as "items[3]", empty outside of a List
}

func (p place) String() string {
	if p.item == "" {
		return fmt.Sprintf("%s: document %d", p.file, p.document)
	}
	return fmt.Sprintf("%s: document %d: %s", p.file, p.document, p.item)
}

// error says what is wrong with a field.
func (p place) error(field, format string, args ...any) error {
	if p.item != "" {
		field = "." + field
	} else {
		field = ": " + field
	}
	return fmt.Errorf("%v%s: %s", p, field, fmt.Sprintf(format, args...))
}

// document is one document of a file, or one item of a List, as JSON.
type document struct {
	at   place
	json json.RawMessage
}

// split returns the documents of a file. Those without content are not counted.
func split(file string, text []byte) ([]document, error) {
	var docs []document
	reader := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for {
		at := place{file: file, document: len(docs) + 1}
		part, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return docs, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%v: %w", at, err)
		}
		if !hasContent(part) {
			continue
		}
		values, err := toJSON(part)
		if err != nil {
			return nil, fmt.Errorf("%v: %w", at, err)
		}
		for i, value := range values {
			docs = append(docs, document{place{file: file, document: at.document + i}, value})
		}
	}
}

// hasContent reports whether there is anything but comments.
func hasContent(part []byte) bool {
	for line := range strings.Lines(string(part)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			return true
		}
	}
	return false
}

// toJSON turns what stands between two separators into JSON: one YAML document, or any number of JSON
// values, whose bytes stay as they are.
func toJSON(part []byte) ([]json.RawMessage, error) {
	var notJSON error
	if yaml.IsJSONBuffer(part) { // as YAML in braces is, too
		values, err := jsonValues(part)
		if err == nil {
			return values, nil
		}
		notJSON = err
	}
	var value any
	if err := yaml.UnmarshalStrict(part, &value); err != nil {
		return nil, unreadable(part, notJSON, err)
	}
	data, err := json.Marshal(value)
	return []json.RawMessage{data}, err
}

// unreadable says on one line why a document could not be read.
func unreadable(part []byte, notJSON, notYAML error) error {
	text := strings.TrimPrefix(notYAML.Error(), "error converting YAML to JSON: ")
	text = strings.Join(strings.Fields(text), " ")
	switch {
	case notJSON != nil:
		return fmt.Errorf("it is neither JSON (%w) nor YAML (%s)", notJSON, text)
	case yaml.Unmarshal(part, new(any)) == nil: // strictness is about nothing else
		return fmt.Errorf("a field is there twice: %s", text)
	}
	return fmt.Errorf("it is not YAML: %s", text)
}

func jsonValues(part []byte) ([]json.RawMessage, error) {
	var values []json.RawMessage
	for decoder := json.NewDecoder(bytes.NewReader(part)); ; {
		var value json.RawMessage
		err := decoder.Decode(&value)
		if errors.Is(err, io.EOF) {
			return values, nil
		}
		if err != nil {
			return nil, err
		}
		values = append(values, value)
	}
}
