// SPDX-License-Identifier: Apache-2.0

package ask_test

import (
	"fmt"
	"testing"

	"github.com/managedby-dev/managedby/internal/oracle/ask"
	"github.com/managedby-dev/managedby/internal/oracle/wire"
)

// BenchmarkAsk takes the recorded pairs; ns/op is the time of one pair, through the pipes and back.
func BenchmarkAsk(b *testing.B) {
	for _, release := range []string{"1.30.14", newest(b)} {
		for _, rules := range []bool{false, true} {
			b.Run(fmt.Sprintf("release=%s/rules=%v", release, rules), func(b *testing.B) {
				requests := readLines[wire.Request](b, "pairs.jsonl.gz")
				for i := range requests {
					requests[i].Rules = rules
				}
				lines, err := ask.Lines(requests)
				if err != nil {
					b.Fatal(err)
				}
				o := ask.For(b, ask.Config{Release: release})
				b.ResetTimer()
				for done := 0; done < b.N; done += len(lines) {
					if _, err := o.AskLines(lines[:min(len(lines), b.N-done)]); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
