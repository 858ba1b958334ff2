// SPDX-License-Identifier: Apache-2.0

package diff_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/managedby-dev/managedby/internal/oracle/ask"
	"github.com/managedby-dev/managedby/internal/oracle/wire"
)

// seed is fixed unless it is given, so that a run shows the same each time.
var seed = flag.Uint64("seed", 1, "seed of everything that is generated")

// configs lists the API servers to ask.
func configs(t testing.TB) []ask.Config {
	t.Helper()
	all, err := ask.Configs()
	if err != nil || len(all) == 0 {
		t.Fatalf("no release to ask (%v)", err)
	}
	return all
}

// chunkSize is how much is generated, and asked, at a time.
const chunkSize = 4096

// server is an API server that is asked, and what came of it.
type server struct {
	*testing.T
	ask.Config
	oracle *ask.Oracle

	asked   int
	refused int
	faults  int
	counts  map[string]int // what the test counts besides
}

// answers asks. A request without a verdict is a fault and the end: there are no answers any more.
func (s *server) answers(lines [][]byte) []wire.Response {
	responses, err := s.oracle.AskLines(lines)
	if err != nil {
		s.fault("%v", err)
		return nil
	}
	s.asked += len(lines)
	for i := range responses {
		if len(responses[i].Errors) > 0 {
			s.refused++
		}
	}
	return responses
}

// fault reports the first few faults of a server in full.
func (s *server) fault(format string, args ...any) {
	if s.faults++; s.faults <= 5 {
		s.Errorf("%v: "+format, append([]any{s.Config}, args...)...)
	}
}

// stream gives chunks to all API servers, each of which takes them in order, in a goroutine of its own. The
// chunks are shared and must not be changed. It returns the servers.
func stream[T any](t *testing.T, n int, generate func(n int) T, take func(*server, T)) []*server {
	t.Helper()
	t.Logf("seed %d, %d of each", *seed, n)
	t.Setenv("GOMAXPROCS", "1") // of the oracles: there are more of them than processors
	var servers []*server
	var queues []chan T
	var running sync.WaitGroup
	for _, config := range configs(t) {
		s := &server{T: t, Config: config, oracle: ask.For(t, config), counts: map[string]int{}}
		queue := make(chan T, 1)
		running.Add(1)
		go func() {
			defer running.Done()
			for chunk := range queue {
				take(s, chunk)
			}
		}()
		servers, queues = append(servers, s), append(queues, queue)
	}
	begin, next := time.Now(), time.Minute
	for done := 0; done < n; done += chunkSize {
		if took := time.Since(begin); took > next {
			t.Logf("%d given to all after %.0f s", done, took.Seconds())
			next += time.Minute
		}
		chunk := generate(min(chunkSize, n-done))
		for _, queue := range queues {
			queue <- chunk
		}
	}
	for _, queue := range queues {
		close(queue)
	}
	running.Wait()
	report(t, servers, time.Since(begin))
	return servers
}

func report(t *testing.T, servers []*server, took time.Duration) {
	asked, faults := 0, 0
	for _, s := range servers {
		asked, faults = asked+s.asked, faults+s.faults
		if s.faults > 0 {
			t.Errorf("%v: %d faults in %d answers", s.Config, s.faults, s.asked)
		}
	}
	t.Logf("%d answers of %d API servers in %.0f s, %d faults", asked, len(servers), took.Seconds(), faults)
}

// line is a question about a write of the status, as ask.Lines makes it.
func line(stored, body []byte, options string) []byte {
	return fmt.Appendf(nil, `{"op":"status"%s,"old":%s,"new":%s}`+"\n", options, stored, body)
}

// slim encodes a Job as a typed client does, without the pod template: no rule about the status reads
// it, and it is most of a Job. One in 16 keeps it, because that is to be seen and not believed.
func slim(job *batchv1.Job, i int) []byte {
	if i%16 == 0 {
		return ask.Job(job)
	}
	small := *job
	small.Spec.Template = corev1.PodTemplateSpec{}
	return ask.Job(&small)
}

// sameJSON compares values as JSON.
func sameJSON(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

func show(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}
