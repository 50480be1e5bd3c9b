package ddmin

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func upTo(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}

// target returns an Ask that calls a plain function.
func target(f func(set []int) Answer) Ask[int] {
	return func(_ context.Context, set []int) (Answer, error) { return f(set), nil }
}

func answerIf(ok bool) Answer {
	if ok {
		return Yes
	}
	return No
}

func hasAll(set []int, want ...int) bool {
	for _, w := range want {
		if !slices.Contains(set, w) {
			return false
		}
	}
	return true
}

func log2up(n int) int { return bits.Len(uint(n - 1)) }

func TestSingleCulpritCostsLog2(t *testing.T) {
	for _, n := range []int{1, 2, 3, 7, 100, 163, 2000, 4096} {
		for _, culprit := range []int{0, n / 3, n / 2, n - 1} {
			for _, fromEnd := range []bool{false, true} {
				res, err := Minimize(t.Context(), upTo(n), target(func(s []int) Answer {
					return answerIf(hasAll(s, culprit))
				}), Options[int]{FullYes: true, EmptyNo: true, FromEnd: fromEnd})
				if err != nil || !res.Done || !slices.Equal(res.Items, []int{culprit}) {
					t.Fatalf("n=%d culprit=%d: %+v, %v", n, culprit, res, err)
				}
				if limit := log2up(n) + 1; res.Questions > limit {
					t.Errorf("n=%d culprit=%d: %d questions, want at most %d", n, culprit, res.Questions, limit)
				}
			}
		}
	}
}

func TestGroupsAreBisectedBeforeElements(t *testing.T) {
	const n, size = 2000, 20
	culprit := 777
	var cutInside int
	group := func(i int) int { return i / size }
	res, err := Minimize(t.Context(), upTo(n), func(_ context.Context, s []int) (Answer, error) {
		groups := map[int]int{}
		for _, i := range s {
			groups[group(i)]++
		}
		for _, c := range groups {
			if c != size && len(groups) > 1 {
				cutInside++
			}
		}
		return answerIf(hasAll(s, culprit)), nil
	}, Options[int]{FullYes: true, EmptyNo: true, SameGroup: func(a, b int) bool { return group(a) == group(b) }})
	if err != nil || !slices.Equal(res.Items, []int{culprit}) {
		t.Fatalf("%+v, %v", res, err)
	}
	if cutInside > 0 {
		t.Errorf("%d questions divided a group while there were several", cutInside)
	}
	if limit := log2up(n) + 3; res.Questions > limit {
		t.Errorf("%d questions, want at most %d", res.Questions, limit)
	}
}

func TestSeveralNeededTogether(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 300 {
		n := 2 + rng.IntN(400)
		k := 1 + rng.IntN(min(n, 6))
		want := rng.Perm(n)[:k]
		slices.Sort(want)
		res, err := Minimize(t.Context(), upTo(n), target(func(s []int) Answer { return answerIf(hasAll(s, want...)) }),
			Options[int]{EmptyNo: true, FromEnd: round%2 == 0})
		if err != nil || !res.Done || !slices.Equal(res.Items, want) {
			t.Fatalf("n=%d want %v: %+v, %v", n, want, res, err)
		}
		// Each element costs one binary search, one question about the elements needed so far, and
		// one attempt to remove it. The halving towards a single element may also be in vain,
		// twice.
		if limit := (k+2)*(log2up(n)+1) + 2*k + 1; res.Questions > limit {
			t.Errorf("n=%d k=%d: %d questions, want at most %d", n, k, res.Questions, limit)
		}
	}
}

func TestOrderMatters(t *testing.T) {
	// The answer is yes if 40 comes after 10, and either 20 is not between them or 30 is in the set.
	res, err := Minimize(t.Context(), upTo(55), func(_ context.Context, s []int) (Answer, error) {
		a, b, c := slices.Index(s, 10), slices.Index(s, 40), slices.Index(s, 20)
		cleaned := c > a && c < b
		return answerIf(a >= 0 && b > a && (!cleaned || slices.Contains(s, 30))), nil
	}, Options[int]{FromEnd: true})
	if err != nil || !res.Done || !slices.Equal(res.Items, []int{10, 40}) {
		t.Fatalf("%+v, %v", res, err)
	}
}

// oneMinimal checks a result by brute force.
func oneMinimal(t *testing.T, f func([]int) Answer, res Result[int]) {
	t.Helper()
	if f(res.Items) != Yes {
		t.Fatalf("%v does not answer yes", res.Items)
	}
	for i := range res.Items {
		if less := slices.Delete(slices.Clone(res.Items), i, i+1); f(less) == Yes {
			t.Fatalf("%v is not 1-minimal: %v answers yes", res.Items, less)
		}
	}
}

// noise returns a target without any structure: the answer is a hash of the set.
func noise(seed uint64, n int, yesOf, holesOf uint64) func([]int) Answer {
	return func(s []int) Answer {
		if len(s) == n {
			return Yes
		}
		h := seed*0x9E3779B97F4A7C15 + 1
		for _, i := range s {
			h = (h ^ uint64(i+1)) * 0x100000001b3
			h ^= h >> 29
		}
		switch v := h % 100; {
		case v < yesOf:
			return Yes
		case v < yesOf+holesOf:
			return Unresolved
		}
		return No
	}
}

func TestNonMonotoneEndsOneMinimal(t *testing.T) {
	for seed := range uint64(400) {
		n := int(seed%40) + 1
		f := noise(seed, n, 5+seed%60, 20)
		res, err := Minimize(t.Context(), upTo(n), target(f), Options[int]{FromEnd: seed%2 == 0})
		if err != nil || !res.Done {
			t.Fatalf("seed %d: %+v, %v", seed, res, err)
		}
		oneMinimal(t, f, res)
		if limit := n*n + 40*n + 40; res.Questions > limit {
			t.Errorf("seed %d: %d questions for n=%d", seed, res.Questions, n)
		}
	}
}

func TestUnresolvedAnswersProveNothing(t *testing.T) {
	// Half of the sets without 5 are unresolved; so are those with 5 but not 6.
	f := func(s []int) Answer {
		switch {
		case hasAll(s, 5, 6):
			return Yes
		case hasAll(s, 5) || len(s)%2 == 0:
			return Unresolved
		}
		return No
	}
	res, err := Minimize(t.Context(), upTo(64), target(f), Options[int]{})
	if err != nil || !slices.Equal(res.Items, []int{5, 6}) || res.Holes == 0 {
		t.Fatalf("%+v, %v", res, err)
	}
}

func TestParallelEqualsSequential(t *testing.T) {
	for seed := range uint64(120) {
		n := int(seed%60) + 2
		f := noise(seed, n, 3+seed%50, 10)
		opts := Options[int]{FromEnd: seed%2 == 0}
		want, err := Minimize(t.Context(), upTo(n), target(f), opts)
		if err != nil {
			t.Fatal(err)
		}
		for _, width := range []int{2, 3, 8} {
			var now, most atomic.Int64
			opts.Parallel = width
			got, err := Minimize(t.Context(), upTo(n), func(ctx context.Context, s []int) (Answer, error) {
				if v := now.Add(1); v > most.Load() {
					most.Store(v)
				}
				defer now.Add(-1)
				return f(s), nil
			}, opts)
			if err != nil || !slices.Equal(got.Items, want.Items) || got.Questions != want.Questions {
				t.Fatalf("seed %d width %d: %+v, %v; sequentially %+v", seed, width, got, err, want)
			}
			// A cancelled question may still run when the next one starts.
			if now.Load() != 0 || most.Load() > 2*int64(width) {
				t.Errorf("%d ran at once, %d are still running", most.Load(), now.Load())
			}
		}
	}
}

func TestParallelIsFaster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ask := func(ctx context.Context, s []int) (Answer, error) {
			select {
			case <-time.After(time.Second):
				return answerIf(hasAll(s, 300)), nil
			case <-ctx.Done():
				return Unresolved, ctx.Err()
			}
		}
		spent := map[int]time.Duration{}
		for _, width := range []int{1, 3, 7} {
			begin := time.Now()
			res, err := Minimize(t.Context(), upTo(1024), ask, Options[int]{Parallel: width, FullYes: true, EmptyNo: true})
			if err != nil || !slices.Equal(res.Items, []int{300}) || res.Questions != 10 {
				t.Fatalf("%+v, %v", res, err)
			}
			spent[width] = time.Since(begin)
		}
		if spent[1] != 10*time.Second || spent[3] > 6*time.Second || spent[7] > 4*time.Second {
			t.Errorf("seconds by width: %v", spent)
		}
	})
}

func TestUselessQuestionsAreCancelled(t *testing.T) {
	// The first question is answered at once. The question that was asked at the same time would
	// never end by itself. It becomes useless.
	ask := func(ctx context.Context, s []int) (Answer, error) {
		if len(s) == 4 && s[0] == 2 && s[3] == 5 || len(s) == 2 && s[0] == 2 {
			<-ctx.Done()
			return Unresolved, ctx.Err()
		}
		return answerIf(hasAll(s, 7)), nil
	}
	res, err := Minimize(t.Context(), upTo(8), ask, Options[int]{Parallel: 2, FromEnd: true, FullYes: true, EmptyNo: true})
	if err != nil || !slices.Equal(res.Items, []int{7}) {
		t.Fatalf("%+v, %v", res, err)
	}
	if res.Wasted == 0 {
		t.Error("no question was wasted, so the cancellation was not tried")
	}
}

func TestStopping(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(ctx context.Context, s []int) (Answer, error) {
			select {
			case <-time.After(time.Second):
				return answerIf(hasAll(s, 3)), nil
			case <-ctx.Done():
				return Unresolved, ctx.Err()
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), 3500*time.Millisecond)
		defer cancel()
		res, err := Minimize(ctx, upTo(64), slow, Options[int]{})
		if err != nil || res.Done || !errors.Is(res.Stopped, context.DeadlineExceeded) || res.Questions != 3 {
			t.Errorf("%+v, %v", res, err)
		}
		if len(res.Items) >= 64 || !hasAll(res.Items, 3) {
			t.Errorf("the best so far was lost: %v", res.Items)
		}
	})
	broken := errors.New("the disk is full")
	res, err := Minimize(t.Context(), upTo(8), func(_ context.Context, s []int) (Answer, error) {
		if len(s) == 2 {
			return Unresolved, broken
		}
		return answerIf(hasAll(s, 3)), nil
	}, Options[int]{})
	if !errors.Is(err, broken) || len(res.Items) != 4 || res.Done {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestWholeSequenceMustAnswerYes(t *testing.T) {
	_, err := Minimize(t.Context(), upTo(5), target(func([]int) Answer { return No }), Options[int]{Parallel: 3})
	if !errors.Is(err, ErrNotYes) {
		t.Errorf("got %v", err)
	}
	res, err := Minimize(t.Context(), nil, target(func([]int) Answer { return Yes }), Options[int]{})
	if err != nil || !res.Done || len(res.Items) != 0 {
		t.Errorf("empty sequence: %+v, %v", res, err)
	}
}

func TestClose(t *testing.T) {
	// Every element i requires i/2, so valid sets are paths to the root.
	closed := func(set []int) []int {
		in := map[int]bool{}
		for _, i := range set {
			for ; !in[i]; i /= 2 {
				in[i] = true
			}
		}
		out := make([]int, 0, len(in))
		for i := range in {
			out = append(out, i)
		}
		slices.Sort(out)
		return out
	}
	res, err := Minimize(t.Context(), upTo(100), func(_ context.Context, s []int) (Answer, error) {
		if !slices.Equal(closed(s), s) {
			t.Errorf("asked about %v, which is not closed", s)
		}
		return answerIf(hasAll(s, 37)), nil
	}, Options[int]{Close: closed})
	if want := []int{0, 1, 2, 4, 9, 18, 37}; err != nil || !slices.Equal(res.Items, want) {
		t.Fatalf("%v, %v", res.Items, err)
	}
}

func TestProgress(t *testing.T) {
	var sizes []int
	ask := target(func(s []int) Answer { return answerIf(hasAll(s, 1)) })
	res, err := Minimize(t.Context(), upTo(16), ask, Options[int]{
		Progress: func(best []int, _ int) { sizes = append(sizes, len(best)) },
	})
	if err != nil || !slices.Equal(res.Items, []int{1}) {
		t.Errorf("%+v, %v", res, err)
	}
	if !slices.IsSortedFunc(sizes, func(a, b int) int { return b - a }) || len(sizes) == 0 || sizes[len(sizes)-1] != 1 {
		t.Errorf("progress %v", sizes)
	}
}

func FuzzMinimize(f *testing.F) {
	f.Add(uint64(1), uint8(12), uint8(30), uint8(10), uint8(3))
	f.Add(uint64(9), uint8(1), uint8(0), uint8(100), uint8(1))
	f.Fuzz(func(t *testing.T, seed uint64, size, yes, holes, width uint8) {
		n := int(size % 48)
		target1 := noise(seed, n, uint64(yes%101), uint64(holes%101))
		res, err := Minimize(t.Context(), upTo(n), target(target1), Options[int]{
			Parallel: int(width % 9), FromEnd: seed%2 == 0,
			SameGroup: func(a, b int) bool { return a/4 == b/4 },
		})
		if err != nil || !res.Done {
			t.Fatalf("%+v, %v", res, err)
		}
		oneMinimal(t, target1, res)
	})
}

func BenchmarkMinimize(b *testing.B) {
	for _, n := range []int{2000, 100_000} {
		for _, k := range []int{1, 3} {
			b.Run(fmt.Sprintf("%d/culprits=%d", n, k), func(b *testing.B) {
				items := upTo(n)
				var asked int
				for b.Loop() {
					res, err := Minimize(b.Context(), items, target(func(s []int) Answer {
						found := 0
						for i := range k {
							if _, ok := slices.BinarySearch(s, (i+1)*n/(k+2)); ok {
								found++
							}
						}
						return answerIf(found == k)
					}), Options[int]{FullYes: true, EmptyNo: true, FromEnd: true})
					if err != nil || len(res.Items) != k {
						b.Fatal(res, err)
					}
					asked = res.Questions
				}
				b.ReportMetric(float64(asked), "questions")
			})
		}
	}
}
