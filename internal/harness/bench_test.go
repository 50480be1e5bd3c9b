//go:build unix

package harness

import (
	"sync/atomic"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

// BenchmarkQuestion runs a victim after its polluter: one question at a time, and one per core at
// once.
func BenchmarkQuestion(b *testing.B) {
	j := realJVM(b)
	for _, price := range []suite.Price{suite.Fresh, suite.Warm} {
		b.Run(string(price)+"/one by one", func(b *testing.B) {
			p := realPool(b, j, nil)
			for b.Loop() {
				pollute(b, p, price)
			}
		})
		b.Run(string(price)+"/at once", func(b *testing.B) {
			p := realPool(b, j, nil)
			var asked atomic.Int64
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					pollute(b, p, price)
					asked.Add(1)
				}
			})
			if n := p.Stats().Questions[price]; int64(n) != asked.Load() {
				b.Errorf("%d questions counted, %d run", n, asked.Load())
			}
		})
	}
}

func pollute(b *testing.B, p *Pool, price suite.Price) {
	run, err := p.Run(b.Context(), ids("FourTest#polluter", "FourTest#victim"), Question{Price: price})
	if err != nil || run.Last().Outcome != fail {
		b.Errorf("run = %+v, err = %v", run, err)
	}
}
