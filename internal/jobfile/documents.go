// SPDX-License-Identifier: Apache-2.0

package jobfile

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

// Place is where something stands: in a file, a document of it, and an item of a List there.
type Place struct {
	File     string
	Document int    // counted from 1
	Item     string // such as "items[3]", empty outside of a List
}

func (p Place) String() string {
	if p.Item == "" {
		return fmt.Sprintf("%s: document %d", p.File, p.Document)
	}
	return fmt.Sprintf("%s: document %d: %s", p.File, p.Document, p.Item)
}

// Errorf says what is wrong with a field.
func (p Place) Errorf(field, format string, args ...any) error {
	if p.Item != "" {
		field = "." + field
	} else {
		field = ": " + field
	}
	return fmt.Errorf("%v%s: %s", p, field, fmt.Sprintf(format, args...))
}

// Document is one document of a file, or one item of a List, as JSON.
type Document struct {
	At     Place
	JSON   json.RawMessage
	source source
}

// Split returns the documents of a file. Those without content are not counted.
func Split(file string, text []byte) ([]Document, error) {
	var docs []Document
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	places := cursor{text, 1}
	reader := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for {
		at := Place{File: file, Document: len(docs) + 1}
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
		source := places.sourceOf(part)
		for i, value := range values {
			docs = append(docs, Document{Place{File: file, Document: at.Document + i}, value, source})
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
