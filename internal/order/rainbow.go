package order

import "sync"

// rainbow returns, for odd n, a row that takes exactly one pair from each ring (see walecki). It
// returns nil if there is no such row (n = 3, 5) or none was found.
//
// The numbers 0..m-1, with m = n-1, are first put in a circle by steps of d1 and d2 in turn, so
// that its m pairs belong to different rings. Then the number m, which represents ∞, is inserted
// and the circle is opened. To do this, the circle is cut at three positions, and the three pieces
// and ∞ are joined in another order. The three new pairs must belong to the same rings as the three
// pairs that were cut. For each circle this takes time in proportion to n, because two cuts
// determine the third.
func rainbow(n int) []int {
	rainbows.Lock()
	defer rainbows.Unlock()
	if row, ok := rainbows.rows[n]; ok {
		return row
	}
	row := findRainbow(n - 1)
	rainbows.rows[n] = row
	return row
}

var rainbows = struct {
	sync.Mutex
	rows map[int][]int
}{rows: map[int][]int{
	3: nil, 5: nil,
	// These rows were found by trying all rows. For these n, no circle can be joined in this
	// manner.
	7:  {0, 1, 3, 5, 6, 4, 2},
	9:  {0, 1, 3, 4, 6, 8, 5, 2, 7},
	17: {0, 1, 2, 3, 4, 5, 6, 9, 7, 16, 14, 10, 8, 13, 15, 11, 12},
}}

// proven are pairs of steps; h = m/2 is added where the third or fourth number is 1. For each odd
// size from 11 to 4,001 except 17, one of them works: the first if h is odd, the second if h is
// twice an odd number. The others were found by trial.
var proven = [][4]int{
	{-1, 5, 0, 0}, {-1, 5, 1, 0}, {-1, -13, 1, 0}, {-13, -1, 0, 1}, {-11, -3, 0, 1}, {-5, -5, 0, 0},
	{-1, -5, 1, 0}, {-13, -21, 0, 0}, {-11, -27, 1, 0}, {-13, -9, 0, 0}, {-11, 29, 1, 0},
	{-13, 3, 0, 1}, {-17, -29, 0, 0}, {-19, -7, 0, 1}, {-27, -11, 0, 1}, {-15, 5, 0, 1}, {-17, 39, 1, 0},
}

func findRainbow(m int) []int {
	for _, p := range proven {
		if c := newCircle(m, mod(p[0]+p[2]*m/2, m), mod(p[1]+p[3]*m/2, m)); c != nil {
			if row := c.join(); row != nil {
				return row
			}
		}
	}
	return nil
}

// circle holds 0..m-1 in a circle. The pair from at[i] to at[i+1] belongs to ring rings[i].
type circle struct {
	m     int
	at    []int
	rings []int
	cutOf []int // ring -> i
}

// newCircle returns nil if the steps do not visit all numbers and rings.
func newCircle(m, d1, d2 int) *circle {
	if m%2 != 0 || mod(d1+d2, 2) != 0 {
		return nil
	}
	c := &circle{m: m, at: make([]int, 0, m), rings: make([]int, 0, m), cutOf: make([]int, m)}
	for i := range c.cutOf {
		c.cutOf[i] = -1
	}
	seen := make([]bool, m)
	x := 0
	for i := range m {
		d := d1
		if i%2 == 1 {
			d = d2
		}
		next := mod(x+d, m)
		r := ring(m, x, next)
		if seen[x] || c.cutOf[r] >= 0 {
			return nil
		}
		seen[x], c.cutOf[r] = true, i
		c.at, c.rings = append(c.at, x), append(c.rings, r)
		x = next
	}
	if x != 0 {
		return nil
	}
	return c
}

// joints are the orders in which pieces 0, 1, 2 and ∞ (3) can be joined.
var joints = permutations(4)

func permutations(n int) [][]int {
	if n == 0 {
		return [][]int{nil}
	}
	var out [][]int
	for _, p := range permutations(n - 1) {
		for at := 0; at <= len(p); at++ {
			q := append(append(append([]int(nil), p[:at]...), n-1), p[at:]...)
			out = append(out, q)
		}
	}
	return out
}

// join cuts after positions i < j < k of the circle. i is 0 or 1, because the circle looks the same
// from every second position.
func (c *circle) join() []int {
	for i := range 2 {
		for _, way := range joints {
			for known := i + 1; known < c.m; known++ {
				if row := c.third(i, known, way); row != nil {
					return row
				}
			}
		}
	}
	return nil
}

// third finds the missing cut, given i and known. A new pair that does not touch the missing cut
// belongs to the ring of the missing cut, unless it belongs to the ring of one of the two known
// cuts.
func (c *circle) third(i, known int, way []int) []int {
	for _, cuts := range [2][3]int{{i, known, -1}, {i, -1, known}} {
		for s := 1; s < len(way); s++ {
			r, ok := c.ringBetween(cuts, way[s-1], way[s])
			if !ok || r == c.rings[i] || r == c.rings[known] {
				continue
			}
			full := cuts
			for x := range full {
				if full[x] < 0 {
					full[x] = c.cutOf[r]
				}
			}
			if full[0] < full[1] && full[1] < full[2] && c.fits(full, way) {
				return c.row(full, way)
			}
			break // this pair alone decides
		}
	}
	return nil
}

// ends returns the first and the last position of piece p; -1 if it is not known.
func (c *circle) ends(cuts [3]int, p int) (first, last int) {
	first, last = cuts[p], cuts[(p+1)%3]
	if first >= 0 {
		first = (first + 1) % c.m
	}
	return first, last
}

// ringBetween returns the ring of the pair that joins piece a to piece b.
func (c *circle) ringBetween(cuts [3]int, a, b int) (int, bool) {
	u, v := c.m, c.m
	if a < 3 {
		_, last := c.ends(cuts, a)
		if last < 0 {
			return 0, false
		}
		u = c.at[last]
	}
	if b < 3 {
		first, _ := c.ends(cuts, b)
		if first < 0 {
			return 0, false
		}
		v = c.at[first]
	}
	return ring(c.m, u, v), true
}

// fits reports whether the new pairs belong to the rings of the pairs that were cut.
func (c *circle) fits(cuts [3]int, way []int) bool {
	var need, got [3]int
	for x := range 3 {
		need[x] = c.rings[cuts[x]]
		got[x], _ = c.ringBetween(cuts, way[x], way[x+1])
	}
	for _, p := range [...][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		if got[0] == need[p[0]] && got[1] == need[p[1]] && got[2] == need[p[2]] {
			return true
		}
	}
	return false
}

func (c *circle) row(cuts [3]int, way []int) []int {
	out := make([]int, 0, c.m+1)
	for _, p := range way {
		if p == 3 {
			out = append(out, c.m)
			continue
		}
		first, last := c.ends(cuts, p)
		for i := first; ; i = (i + 1) % c.m {
			out = append(out, c.at[i])
			if i == last {
				break
			}
		}
	}
	return out
}
