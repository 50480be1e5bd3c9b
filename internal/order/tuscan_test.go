package order

import (
	"slices"
	"testing"
)

// checkTuscan checks a square's rows without keeping them.
func checkTuscan(t *testing.T, n int) {
	t.Helper()
	want := n
	if n == 3 || n == 5 {
		want = n + 1
	}
	beside := make([]bool, n*n)
	rows, pairs := 0, 0
	for row := range TuscanRows(n) {
		rows++
		seen := make([]bool, n)
		if len(row) != n {
			t.Fatalf("n=%d: a row of %d", n, len(row))
		}
		for i, x := range row {
			if x < 0 || x >= n || seen[x] {
				t.Fatalf("n=%d: %v is no permutation", n, row)
			}
			seen[x] = true
			if i > 0 && !beside[row[i-1]*n+x] {
				beside[row[i-1]*n+x] = true
				pairs++
			}
		}
	}
	if rows != want || TuscanCount(n) != want {
		t.Errorf("n=%d: %d rows, counted as %d, want %d", n, rows, TuscanCount(n), want)
	}
	if pairs != n*(n-1) {
		t.Errorf("n=%d: %d pairs are neighbours, want %d", n, pairs, n*(n-1))
	}
}

func TestTuscan(t *testing.T) {
	for n := 1; n <= 130; n++ {
		checkTuscan(t, n)
	}
	for _, n := range []int{199, 200, 201, 257, 393, 513, 514, 777, 1001, 2001} {
		checkTuscan(t, n)
	}
	if slices.Collect(TuscanRows(0)) != nil || slices.Collect(TuscanRows(-1)) != nil {
		t.Error("rows of nothing")
	}
}

// TestRainbow checks, for every odd size up to 2,001, that the row is a permutation whose
// neighbours belong to different rings. The square follows from this row.
func TestRainbow(t *testing.T) {
	for n := 7; n <= 2001; n += 2 {
		row := rainbow(n)
		if len(row) != n {
			t.Errorf("n=%d: no row", n)
			continue
		}
		number, rings := make([]bool, n), make([]bool, n-1)
		for i, x := range row {
			if number[x] {
				t.Fatalf("n=%d: %d occurs twice", n, x)
			}
			number[x] = true
			if i == 0 {
				continue
			}
			r := ring(n-1, row[i-1], x)
			if rings[r] {
				t.Fatalf("n=%d: two pairs of ring %d", n, r)
			}
			rings[r] = true
		}
	}
}

func TestTuscanRowsUseNewMemory(t *testing.T) {
	for _, n := range []int{4, 7} {
		want := slices.Collect(TuscanRows(n))
		for row := range TuscanRows(n) {
			clear(row)
		}
		if got := slices.Collect(TuscanRows(n)); !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("n=%d: writing to a row changed the square", n)
		}
	}
}

func BenchmarkTuscan(b *testing.B) {
	for b.Loop() {
		delete(rainbows.rows, 1001)
		for range TuscanRows(1001) {
		}
	}
}
