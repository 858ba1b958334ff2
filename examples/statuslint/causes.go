// SPDX-License-Identifier: Apache-2.0

package main

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/statusvalidate"
)

// An API server's answer has the type and field of each error, which many rules share, and a sentence. The
// sentences change from release to release; what they speak of does not, and the words for it are enough to
// tell the rules of a field apart.

const (
	invalidValue  = metav1.CauseTypeFieldValueInvalid
	requiredValue = metav1.CauseTypeFieldValueRequired
	anyType       = metav1.CauseType("")
)

// signature is how an API server speaks of a rule.
type signature struct {
	rule  statusvalidate.Rule
	kind  metav1.CauseType
	field string   // without the index of an item
	words []string // those of keyWords that are in the sentence, in this order; nil: the field is enough
}

// signatures are those of the releases 1.30 to 1.37.
var signatures = []signature{
	{statusvalidate.NegativeActive, invalidValue, "status.active", []string{"greater"}},
	{statusvalidate.NegativeSucceeded, invalidValue, "status.succeeded", []string{"greater"}},
	{statusvalidate.NegativeFailed, invalidValue, "status.failed", []string{"greater"}},
	{statusvalidate.NegativeReady, invalidValue, "status.ready", []string{"greater"}},
	{statusvalidate.NegativeTerminating, invalidValue, "status.terminating", []string{"greater"}},
	{statusvalidate.UncountedSucceededMalformed, anyType, "status.uncountedTerminatedPods.succeeded", nil},
	{statusvalidate.UncountedFailedMalformed, anyType, "status.uncountedTerminatedPods.failed", nil},

	{statusvalidate.CompleteAndFailed, invalidValue, "status.conditions", []string{"Complete", "Failed"}},
	{statusvalidate.CompleteAndFailureTarget, invalidValue, "status.conditions", []string{"Complete", "FailureTarget"}},
	{statusvalidate.CompletionTimeWithoutComplete, invalidValue, "status.completionTime", []string{"Complete"}},
	{statusvalidate.CompleteWithoutCompletionTime, requiredValue, "status.completionTime", []string{"Complete"}},
	{statusvalidate.CompletionTimeBeforeStartTime, invalidValue, "status.completionTime", []string{"before"}}, // to 1.33
	{statusvalidate.CompletionTimeBeforeStartTime, invalidValue, "status.completionTime", []string{"after"}},
	{statusvalidate.FailedWithoutFailureTarget, invalidValue, "status.conditions", []string{"Failed", "without", "FailureTarget"}},
	{statusvalidate.CompleteWithoutSuccessCriteriaMet, invalidValue, "status.conditions", []string{"Complete", "without", "SuccessCriteriaMet"}},
	{statusvalidate.FinishedWithActivePods, invalidValue, "status.active", []string{"finished"}},
	{statusvalidate.FinishedWithoutStartTime, requiredValue, "status.startTime", []string{"finished"}},
	{statusvalidate.FinishedWithUncountedPods, invalidValue, "status.uncountedTerminatedPods", []string{"finished"}},
	{statusvalidate.CompletedIndexesMalformed, invalidValue, "status.completedIndexes", []string{"parsing"}},
	{statusvalidate.FailedIndexesMalformed, invalidValue, "status.failedIndexes", []string{"parsing"}},
	{statusvalidate.CompletedIndexesOnNonIndexed, invalidValue, "status.completedIndexes", []string{"non-indexed"}},
	{statusvalidate.FailedIndexesWithoutBackoffLimitPerIndex, invalidValue, "status.failedIndexes", []string{"backoffLimitPerIndex"}},
	{statusvalidate.FailedAndCompletedIndexesOverlap, invalidValue, "status.failedIndexes", []string{"overlap"}},
	{statusvalidate.FinishedWithTerminatingPods, invalidValue, "status.terminating", []string{"finished"}},
	{statusvalidate.MoreReadyThanActive, invalidValue, "status.ready", []string{"more"}},

	{statusvalidate.SuccessCriteriaMetOnNonIndexed, invalidValue, "status.conditions", []string{"SuccessCriteriaMet", "NonIndexed"}},
	{statusvalidate.SuccessCriteriaMetAndFailed, invalidValue, "status.conditions", []string{"SuccessCriteriaMet", "Failed"}},
	{statusvalidate.SuccessCriteriaMetAndFailureTarget, invalidValue, "status.conditions", []string{"SuccessCriteriaMet", "FailureTarget"}},
	{statusvalidate.SuccessCriteriaMetWithoutSuccessPolicy, invalidValue, "status.conditions", []string{"SuccessCriteriaMet", "without", "SuccessPolicy"}},
	{statusvalidate.SuccessPolicyCompleteWithoutSuccessCriteriaMet, invalidValue, "status.conditions", []string{"Complete", "SuccessPolicy", "SuccessCriteriaMet"}},

	{statusvalidate.FailedTakenBack, invalidValue, "status.conditions", []string{"disable", "Failed"}},
	{statusvalidate.CompleteTakenBack, invalidValue, "status.conditions", []string{"disable", "Complete"}},
	{statusvalidate.FailureTargetTakenBack, invalidValue, "status.conditions", []string{"disable", "FailureTarget"}},
	{statusvalidate.FailedDecreased, invalidValue, "status.failed", []string{"decrease"}},
	{statusvalidate.SucceededDecreased, invalidValue, "status.succeeded", []string{"decrease"}},
	{statusvalidate.CompletionTimeChanged, invalidValue, "status.completionTime", []string{"mutated"}}, // to 1.33
	{statusvalidate.CompletionTimeChanged, invalidValue, "status.completionTime", []string{"immutable"}},
	{statusvalidate.StartTimeChangedWhileRunning, requiredValue, "status.startTime", []string{"removed"}}, // to 1.35
	{statusvalidate.StartTimeChangedWhileRunning, invalidValue, "status.startTime", []string{"immutable"}},
	{statusvalidate.SuccessCriteriaMetTakenBack, invalidValue, "status.conditions", []string{"disable", "SuccessCriteriaMet"}},
	{statusvalidate.SuccessCriteriaMetAfterComplete, invalidValue, "status.conditions", []string{"SuccessCriteriaMet", "already", "Complete"}},
}

// keyWords are the words by which sentences about one field differ.
var keyWords = regexp.MustCompile(`\b(Complete|Failed|FailureTarget|SuccessCriteriaMet|NonIndexed|SuccessPolicy|` +
	`already|without|disable|greater|finished|before|after|removed|mutated|immutable|parsing|non-indexed|` +
	`backoffLimitPerIndex|overlap|more|decrease)\b`)

var itemIndex = regexp.MustCompile(`\[\d+\]$`)

// rulesOf returns the rule behind a cause, or those it may be, or none if it is not about a status that the
// rules are for.
func rulesOf(cause metav1.StatusCause) []statusvalidate.Rule {
	where, words := itemIndex.ReplaceAllString(cause.Field, ""), keyWords.FindAllString(sentence(cause.Message), -1)
	var likely []statusvalidate.Rule
	for _, s := range signatures {
		if s.field != where || s.kind != anyType && s.kind != cause.Type {
			continue
		}
		if s.words == nil || slices.Equal(s.words, words) {
			return []statusvalidate.Rule{s.rule}
		}
		likely = append(likely, s.rule)
	}
	return slices.Compact(likely)
}

// sentence leaves out the values that a message quotes, which may have any words in them: the bad value in
// front, and a part of it behind.
func sentence(message string) string {
	_, rest, ok := strings.Cut(message, ": ")
	if !ok {
		rest = message
	}
	if quoted, err := strconv.QuotedPrefix(rest); err == nil {
		rest = rest[len(quoted):]
	}
	rest, _, _ = strings.Cut(rest, `"`)
	return rest
}

// causes turns the causes of an API server's answer into findings.
func causes(status *metav1.Status, releases []jobmanagedby.Release) (list []finding) {
	if status.Details == nil {
		return nil
	}
	infos := map[statusvalidate.Rule]statusvalidate.RuleInfo{}
	for _, info := range statusvalidate.Rules() {
		infos[info.Rule] = info
	}
	for _, c := range status.Details.Causes {
		f := finding{Level: isError, Type: string(c.Type), Field: c.Field, Message: c.Message, Releases: []string{}}
		rules := rulesOf(c)
		if len(rules) == 1 {
			info := infos[rules[0]]
			f.Rule, f.Remedy = string(info.Rule), info.Remedy
			for _, r := range releases {
				if info.HoldsIn(r) {
					f.Releases = append(f.Releases, r.String())
				}
			}
		} else {
			f.Candidates = rules
		}
		list = append(list, f)
	}
	return list
}
