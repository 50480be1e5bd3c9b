package detect

// maxCounted is the largest number of tests for which pairs are counted: 32 MiB of bits.
const maxCounted = 1 << 14

// pairs is the set of ordered pairs of tests that ran directly after each other, both with a
// result.
type pairs struct {
	n    int
	bits []uint64
	Share
}

func newPairs(in Input) *pairs {
	n := len(in.Tests)
	p := &pairs{n: n}
	if n > maxCounted {
		return p
	}
	p.bits = make([]uint64, (n*n+63)/64)
	p.Of = n * (n - 1)
	if in.Isolated {
		p.Of = 0
		sizes := map[string]int{}
		for _, t := range in.Tests {
			sizes[in.Groups.Top(t)]++
		}
		for _, k := range sizes {
			p.Of += k * (k - 1)
		}
	}
	return p
}

func (p *pairs) add(a, b int) {
	if p.bits == nil || a == b {
		return
	}
	i := a*p.n + b
	if p.bits[i/64]&(1<<(i%64)) == 0 {
		p.bits[i/64] |= 1 << (i % 64)
		p.Covered++
	}
}
