// SPDX-License-Identifier: Apache-2.0

package main

import (
	"regexp"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// The message of a refusal has all that its causes have: the field, the type, the value and a sentence of
// each. It is what a log has, and what kubectl prints:
//
//	Job.batch "a" is invalid: status.failed: Invalid value: 1: cannot decrease the failed counter
//	Job.batch "a" is invalid: [status.active: Invalid value: …, status.ready: Invalid value: …]
//	The Job "a" is invalid:
//	* status.active: Invalid value: …
//	* status.ready: Invalid value: …

// refusedObject begins a message. In a log it may stand in a string, and then quotes have backslashes.
var refusedObject = regexp.MustCompile(`([A-Za-z][\w.-]*) \\*"([^"\\]*)(\\*)" is invalid:\s`)

// aboutField begins what a message says of one field.
var aboutField = regexp.MustCompile(`(?:^|, |\* )([a-z][^\s:,"]*): (` + strings.Join(typeNames(), "|") + `)\b`)

// causeTypes are the types of errors about fields, by how a message calls them.
var causeTypes = func() map[string]metav1.CauseType {
	m := map[string]metav1.CauseType{}
	for _, t := range []field.ErrorType{
		field.ErrorTypeNotFound, field.ErrorTypeRequired, field.ErrorTypeDuplicate, field.ErrorTypeInvalid, field.ErrorTypeNotSupported,
		field.ErrorTypeForbidden, field.ErrorTypeTooLong, field.ErrorTypeTooMany, field.ErrorTypeInternal,
	} {
		m[t.String()] = metav1.CauseType(t)
	}
	return m
}()

func typeNames() (names []string) {
	for name := range causeTypes {
		names = append(names, regexp.QuoteMeta(name))
	}
	return names
}

// refusal is what a message says.
type refusal struct {
	at         int    // where it begins in the text
	kind, name string // of the object; empty if the message does not name it
	message    string
	causes     []metav1.StatusCause
}

// refusalsIn finds the messages of refusals in a text. Without any, the text may be what such a message says
// of a field of the status.
func refusalsIn(text string) (list []refusal) {
	places := refusedObject.FindAllStringSubmatchIndex(text, -1)
	for i, p := range places {
		end := len(text)
		if i+1 < len(places) {
			end = places[i+1][0]
		}
		kind, name, slashes := text[p[2]:p[3]], text[p[4]:p[5]], p[7]-p[6]
		body := messageBody(text[p[1]:end], slashes)
		if causes := causesIn(body); len(causes) > 0 {
			list = append(list, refusal{p[0], kind, name, kind + ` "` + name + `" is invalid: ` + body, causes})
		}
	}
	if bare := firstLine(strings.TrimSpace(text)); len(places) == 0 && strings.HasPrefix(strings.TrimPrefix(bare, "["), "status.") {
		if causes := causesIn(bare); len(causes) > 0 {
			list = append(list, refusal{message: bare, causes: causes})
		}
	}
	return list
}

// messageBody cuts off what follows a message. One whose quotes have backslashes ends with the string in
// which it stands; another one with the line, and with the list in which each field has a line.
func messageBody(text string, slashes int) string {
	for ; slashes > 0; slashes /= 2 { // one is a string, three are a string in a string
		text = unescaped(insideString.FindString(text))
	}
	if body := strings.TrimSpace(text); strings.HasPrefix(body, "* ") {
		return strings.Join(strings.Split(listOfFields.FindString(body), "\n"), " ")
	}
	return firstLine(text)
}

// unescaped returns what stands in a string of JSON or Go, as it is if it is none.
func unescaped(text string) string {
	if s, err := strconv.Unquote(`"` + text + `"`); err == nil {
		return s
	}
	return text
}

var (
	insideString = regexp.MustCompile(`^(?:[^"\\]|\\.)*`)
	listOfFields = regexp.MustCompile(`^(?:\* .*(?:\n|$))+`)
)

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimSpace(line)
}

var quoted = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// causesIn takes a message apart: what it says of each field, in brackets if it is several.
func causesIn(body string) (causes []metav1.StatusCause) {
	if inside, ok := strings.CutPrefix(body, "["); ok {
		body = inside
		if end := strings.LastIndexByte(body, ']'); end >= 0 && !strings.Contains(body[end:], `"`) {
			body = body[:end]
		}
	}
	// A value in quotes may look like anything.
	masked := quoted.ReplaceAllStringFunc(body, func(s string) string { return strings.Repeat("_", len(s)) })
	places := aboutField.FindAllStringSubmatchIndex(masked, -1)
	for i, p := range places {
		end := len(body)
		if i+1 < len(places) {
			end = places[i+1][0]
		}
		causes = append(causes, metav1.StatusCause{
			Field: body[p[2]:p[3]], Type: causeTypes[body[p[4]:p[5]]], Message: strings.TrimSpace(body[p[4]:end]),
		})
	}
	return causes
}
