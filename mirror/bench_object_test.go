// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/managedby-dev/managedby/mirror"
)

// BenchmarkObject compares what is done with an object of another kind to the copy that any client makes of it. In
// sync, nothing is to be done.
func BenchmarkObject(b *testing.B) {
	for _, name := range []string{"jobset", "rayjob", "appwrapper"} {
		p, kind, pair := objectPairOf(b, name)
		pair.Local.SetFinalizers([]string{p.Keys().Cleanup})
		pair.Local.SetAnnotations(map[string]string{p.Keys().Dispatch: withMods(storedJob(), sentTo(worker, 1, mirrorUID)).Annotations[dispatchKey]})
		pair.Local.SetUID(storedJob().UID)
		pair.Remote = storedObject(buildObject(b, p, kind, pair.Local))
		s := mirror.State{
			Local: mirror.CachedObject(pair.Local), Mirror: mirror.CachedObject(pair.Remote), Elsewhere: mirror.OtherWorkers(),
			Worker: worker, Wanted: true, Now: at(100),
		}
		for do, f := range map[string]func() error{
			"build":  func() error { _, err := p.BuildObject(kind, pair.Local); return err },
			"status": func() error { _, err := p.PlanObjectStatus(kind, pair, metav1.Now()); return err },
			"decide": func() error {
				if plan := p.DecideObject(kind, s); plan.Outcome != mirror.InSync || len(plan.Actions) > 0 {
					b.Fatal(plan)
				}
				return nil
			},
			"deepcopy": func() error { pair.Local.DeepCopy(); return nil },
		} {
			b.Run("kind="+name+"/do="+do, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := f(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
