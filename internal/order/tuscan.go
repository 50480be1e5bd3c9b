package order

import (
	"iter"
	"slices"
)

// TuscanRows yields rows of the numbers 0..n-1. Each row contains each number once, and the numbers
// of every ordered pair are neighbours in some row. There are n rows: a Tuscan square (Golomb and
// Taylor, "Tuscan squares - a new family of combinatorial designs", Ars Combinatoria 20B, 1985).
// For n = 3 and 5 no square exists, and there are n+1 rows, as in Li et al., "Systematically
// Producing Test Orders to Detect Order-Dependent Flaky Tests", ISSTA 2023.
//
// Even n: the zigzag 0, -1, 1, -2, … and its shifts (Williams, "Experimental designs balanced for
// the estimation of residual effects of treatments", 1949). Li et al. use the same rows. Their
// orders of three tests are <1,2,3>, <2,1,3>, <3,2,1>, <3,1,2>: four rows without the fourth
// number.
//
// Odd n: squares exist from 7 on, by Tillson's theorem ("A Hamiltonian decomposition of K*2m, 2m >=
// 8", JCT B 29, 1980). odfix uses another construction. Walecki's cycles (Lucas, "Récréations
// mathématiques", 1892), each in both directions, are n-1 rings that together contain every ordered
// pair once. One pair is cut from each ring so that the cut pairs form the n-th row; see rainbow.
// Each n up to 4,001 has such a row. A larger n without such a row gets n+1 rows: those of n+1
// numbers, with the last number left out.
//
// Each row is new memory.
func TuscanRows(n int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		s := newSquare(n)
		for i := range s.rows {
			if !yield(s.row(i)) {
				return
			}
		}
	}
}

// TuscanCount is the number of rows that TuscanRows yields.
func TuscanCount(n int) int { return newSquare(n).rows }

// square computes any row of TuscanRows, in the memory of about one row.
type square struct {
	n, rows int
	last    []int // odd n: the row that takes one pair from each ring
	opened  []int // ring -> the number before which it is cut
}

func newSquare(n int) *square {
	s := &square{n: max(n, 0), rows: max(n, 0)}
	if n < 2 || n%2 == 0 {
		return s
	}
	if s.last = rainbow(n); s.last == nil {
		s.rows = n + 1
		return s
	}
	s.opened = make([]int, n-1)
	for i := 1; i < n; i++ {
		s.opened[ring(n-1, s.last[i-1], s.last[i])] = s.last[i]
	}
	return s
}

// row is the i-th row, in new memory.
func (s *square) row(i int) []int {
	switch {
	case s.n%2 == 0 || s.n == 1:
		return williams(s.n, i)
	case s.last == nil:
		return slices.DeleteFunc(williams(s.n+1, i), func(x int) bool { return x == s.n })
	case i == 0:
		return slices.Clone(s.last)
	}
	return s.walecki(i - 1)
}

// zigzag is the k-th member of 0, 1, -1, 2, -2, …
func zigzag(k int) int {
	if k%2 == 1 {
		return (k + 1) / 2
	}
	return -k / 2
}

func mod(a, n int) int { return ((a % n) + n) % n }

// williams computes the rows for even n. The differences along a zigzag are all different, so its n
// shifts contain each pair once.
func williams(n, shift int) []int {
	row := make([]int, n)
	for k := range row {
		row[k] = mod(shift-zigzag(k), n)
	}
	return row
}

// walecki computes the rows for odd n. Ring r is ∞ (written n-1) followed by the zigzag from r,
// modulo n-1. The second half of the rings is the first half read backwards. Each ring is opened at
// the pair that the last row takes from it.
func (s *square) walecki(r int) []int {
	m := s.n - 1
	row := make([]int, 0, 2*s.n)
	row = append(row, m)
	for k := range m {
		row = append(row, mod(r+zigzag(k), m))
	}
	start := slices.Index(row, s.opened[r])
	row = append(row, row[:start]...)
	return slices.Clip(row[start:])
}

// ring returns the number of the ring in which v follows u. m is even, and also represents ∞.
// Adding one to u and v adds one to the ring.
func ring(m, u, v int) int {
	if u == m {
		return v
	}
	if v == m {
		return mod(u+m/2, m)
	}
	if d := mod(v-u, m); d%2 == 1 {
		return mod(u+(d-1)/2, m)
	} else {
		return mod(u+d/2+m/2, m)
	}
}
