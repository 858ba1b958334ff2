// SPDX-License-Identifier: Apache-2.0

// Package jobspec makes random Jobs, most of which an API server accepts. Every field of JobSpec is
// in play, and every field of the pod template that may be set in one. Fields that only the newest
// releases know are set too: an older server drops them, or refuses the few Jobs that depend on them.
package jobspec

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// Generator makes Jobs. It is for one goroutine at a time, and the same seed gives the same Jobs.
type Generator struct{ *rand.Rand }

func New(seed uint64) *Generator {
	return &Generator{rand.New(rand.NewPCG(seed, seed))}
}

// Job returns a Job as a user would create it, for the controller of that name. It has the UID and
// the time that a server is to choose.
//
// An Indexed Job always has completions. Without them, and with parallelism, any rule of a
// successPolicy makes validateSuccessPolicyRule follow a nil pointer, in 1.31.14 as in 1.37.2.
func (g *Generator) Job(managedBy string) *batchv1.Job {
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{
		UID:               g.UID(),
		CreationTimestamp: metav1.NewTime(time.Unix(1_770_000_000+g.Int64N(1e7), 0).UTC()),
	}}
	g.pod(&job.Spec.Template.Spec)
	g.spec(&job.Spec)
	job.Spec.ManagedBy = ptr.To(managedBy)
	g.names(job)
	g.metadata(job)
	g.selector(job)
	return job
}

// UID returns a UID like those of an API server.
func (g *Generator) UID() types.UID {
	return types.UID(fmt.Sprintf("%08x-%04x-4%03x-a%03x-%012x", g.Uint32(), g.IntN(1<<16), g.IntN(1<<12), g.IntN(1<<12), g.Uint64N(1<<48)))
}

// pick returns one of the values.
func pick[T any](g *Generator, values ...T) T { return values[g.IntN(len(values))] }

// maybe returns a pointer to one of the values, or nil.
func maybe[T any](g *Generator, values ...T) *T {
	if g.oneIn(2) {
		return nil
	}
	return ptr.To(pick(g, values...))
}

// oneIn is true once in n times.
func (g *Generator) oneIn(n int) bool { return g.IntN(n) == 0 }

// each sets every feature one time in n.
func each[T any](g *Generator, n int, features []func(*Generator, T), target T) {
	for _, set := range features {
		if g.oneIn(n) {
			set(g, target)
		}
	}
}

// dns returns a DNS label of a length, dns(3) such as "q7x".
func (g *Generator) dns(length int) string {
	const inner = "abcdefghijklmnopqrstuvwxyz0123456789-"
	b := make([]byte, length)
	for i := range b {
		b[i] = inner[g.IntN(len(inner))]
	}
	b[0], b[length-1] = inner[g.IntN(26)], inner[g.IntN(36)]
	if length == 1 {
		b[0] = inner[g.IntN(26)]
	}
	return string(b)
}

// word returns something short that is valid as nearly everything, and not often the same.
func (g *Generator) word() string { return g.dns(1 + g.IntN(8)) }

func (g *Generator) words() []string {
	list := make([]string, 1+g.IntN(3))
	for i := range list {
		list[i] = g.word()
	}
	return list
}

// text is what may stand in an argument or an annotation: anything.
func (g *Generator) text() string {
	return pick(g, "", "--flag=x", "ünïcödé ☃", `{"a":"<b>&\"c\""}`, "line\nbreak\t\x7f", "$(VAR)", strings.Repeat("long ", 20), g.word())
}

// label returns a key and a value of a label.
func (g *Generator) label() (key, value string) {
	key = pick(g, "app", "tier", "example.com/team", "UPPER_case.key", "a.b.c/"+g.word(), g.word())
	return key, pick(g, "", "x", "A-1_b.c", g.word(), strings.Repeat("v", 63))
}

func (g *Generator) labels() map[string]string {
	m := map[string]string{}
	for range 1 + g.IntN(4) {
		key, value := g.label()
		m[key] = value
	}
	return m
}

func (g *Generator) reference() corev1.LocalObjectReference {
	return corev1.LocalObjectReference{Name: g.word()}
}
