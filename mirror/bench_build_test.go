package mirror_test

import "testing"

// BenchmarkBuild compares Build with the copy of the whole Job that any client makes at least once.
func BenchmarkBuild(b *testing.B) {
	p := planner(b)
	for _, name := range []string{"applied", "indexed", "manual"} {
		local := fixture(b, name)
		b.Run("job="+name+"/do=build", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Build(local); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("job="+name+"/do=deepcopy", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				local.DeepCopy()
			}
		})
	}
}
