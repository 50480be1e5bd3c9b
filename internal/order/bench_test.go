package order

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"
)

// BenchmarkGrowth measures the cost of an order for suites of different size, with classes of ten
// tests each. It reports the time of one more order, the time to the first order including
// preparation, and the memory that stays allocated.
func BenchmarkGrowth(b *testing.B) {
	for _, technique := range []Technique{TechniqueClassOnly, TechniqueIntraClass, TechniqueInterClass, TechniquePairCover} {
		for _, tests := range []int{100, 1_000, 10_000, 100_000} {
			if tests > 10_000 && technique == TechniquePairCover {
				continue // a bit for each pair of tests: 1.2 GB
			}
			b.Run(fmt.Sprintf("%s/%d", technique, tests), func(b *testing.B) { growth(b, technique, slices.Repeat([]int{10}, tests/10)) })
		}
	}
}

// BenchmarkUneven measures pair cover of classes of different size.
func BenchmarkUneven(b *testing.B) {
	for _, classes := range []int{60, 300} {
		sizes := make([]int, classes)
		for i := range sizes {
			sizes[i] = 1 + i%60
		}
		b.Run(fmt.Sprint(classes), func(b *testing.B) { growth(b, TechniquePairCover, sizes) })
	}
}

func growth(b *testing.B, technique Technique, sizes []int) {
	s := sized(b, sizes...)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := time.Now()
	c, err := New(s, technique, Options{})
	if err != nil {
		b.Fatal(err)
	}
	var first time.Duration
	for left := b.N; left > 0; {
		for range c.Orders {
			if first == 0 {
				first = time.Since(start)
				runtime.GC()
				runtime.ReadMemStats(&after)
				b.ResetTimer()
			}
			if left--; left <= 0 {
				break
			}
		}
	}
	b.ReportMetric(float64(first.Microseconds())/1000, "ms-to-first")
	b.ReportMetric(float64(after.HeapAlloc-min(before.HeapAlloc, after.HeapAlloc))/(1<<20), "MiB")
}
