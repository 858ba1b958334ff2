// SPDX-License-Identifier: Apache-2.0

package model

// stepKind is what happens in a step.
type stepKind uint8

const (
	starts stepKind = iota
	plans
	plansLater
	acts
	crashes
	standbyFallsBehind
	standbyTakesOver
	localCacheCatchesUp
	cacheCatchesUp
	userCreates
	userSuspends
	userScales
	userDeletes
	dispatcherMoves
	podStarts
	podDeleted
	podSucceeds
	podFails
	podGone
	jobCounts
	jobSucceeds
	jobRetries
	jobFails
	jobFailsLate
	jobDeadline
	jobFinishes
	gcDeletesPod
	gcDeletesJob
	gcDeletesLitter
	mirrorLost
	ttlExpires
	strangerCreates
	strangerLeaves
	outage
	workerAnswers
)

// stepKinds says of each what it is, and whether fairness counts on it: sooner or later it is taken.
var stepKinds = [...]struct {
	text string
	fair bool
}{
	starts:              {"start", false},
	plans:               {"controller plans", true},
	plansLater:          {"controller plans, all delays over", true},
	acts:                {"controller", true},
	crashes:             {"controller crashes, or a reply is lost", false},
	standbyFallsBehind:  {"caches of a standby stop", false},
	standbyTakesOver:    {"the standby takes over", false},
	localCacheCatchesUp: {"cache of local Jobs catches up", true},
	cacheCatchesUp:      {"cache of the worker catches up", true},
	userCreates:         {"user creates the Job again", false},
	userSuspends:        {"user suspends or resumes", false},
	userScales:          {"user changes parallelism", false},
	userDeletes:         {"user deletes the Job", false},
	dispatcherMoves:     {"dispatcher changes its mind", false},
	podStarts:           {"Job controller creates a pod", true},
	podDeleted:          {"Job controller deletes the pod", true},
	podSucceeds:         {"pod succeeds", true},
	podFails:            {"pod fails", false},
	podGone:             {"pod is gone", true},
	jobCounts:           {"Job controller writes the status", true},
	jobSucceeds:         {"Job controller counts the success", true},
	jobRetries:          {"Job controller counts the failure", true},
	jobFails:            {"Job controller fails the Job", true},
	jobFailsLate:        {"Job controller counts a deleted pod as failed", false},
	jobDeadline:         {"Job controller: deadline exceeded", false},
	jobFinishes:         {"Job controller finishes the Job", true},
	gcDeletesPod:        {"garbage collector deletes the pod", true},
	gcDeletesJob:        {"garbage collector lets the Job go", true},
	gcDeletesLitter:     {"garbage collector deletes pods without a Job", true},
	mirrorLost:          {"somebody deletes the mirror", false},
	ttlExpires:          {"TTL deletes the mirror", false},
	strangerCreates:     {"somebody creates a Job of that name", false},
	strangerLeaves:      {"that Job is deleted", false},
	outage:              {"worker stops answering", false},
	workerAnswers:       {"worker answers again", true},
}

func (k stepKind) String() string { return stepKinds[k].text }
