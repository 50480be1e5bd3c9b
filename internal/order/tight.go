package order

// maxTight is the largest number of children for which tight sets are computed.
const maxTight = 64

// tightSets returns the numbers k for which the pairs left between the k largest children need k-1
// links from every order left, or nearly so; see lowerBound.
func (m *matcher) tightSets(p *pairs) []int {
	if !m.tight || p.between == nil || len(m.bySize) > maxTight || m.n.fixed {
		return nil
	}
	k := len(m.bySize)
	var tight []int
	inside, needs := 0, make([]int, k)
	for i, c := range m.bySize {
		for _, d := range m.bySize[:i] {
			inside += int(p.between[c*k+d] + p.between[d*k+c])
		}
		if i > 0 {
			needs[i] = (inside + i - 1) / i
			m.open = max(m.open, needs[i])
		}
	}
	for i := 1; i < k-1; i++ {
		if needs[i] >= m.open {
			tight = append(tight, i+1)
		}
	}
	return tight
}

// open is a lower bound for the number of orders that cover what is left.
func (p *pairs) open() int {
	k := len(p.groupOut)
	open := (p.total + k - 2) / max(k-1, 1)
	for c := range k {
		open = max(open, p.groupOut[c], p.groupIn[c])
	}
	if p.between != nil && k <= 64 {
		for i, x := range p.between {
			open = max(open, int(x+p.across[i]))
		}
	}
	return open
}
