package order

// sparse is the order without the tests for which it has nothing new. A test stays that meets what
// another test left, and had not met it; so does the test that left it. A test that goes stands
// between two that stay at most, so that no test that stays meets less than before.
func (r *reacher) sparse(o []int) []int {
	keep := make([]bool, len(r.t.ids))
	for _, f := range r.flows {
		for m := range f.meetings(o) {
			for _, by := range f.newly(m) {
				keep[m.test] = true
				if by != bare {
					keep[by] = true
				}
			}
		}
	}
	var out []int
	for _, x := range o {
		if keep[x] {
			out = append(out, x)
		}
	}
	return out
}

// newly are those of the two in front of it that the test of a meeting had not met.
func (f *flow) newly(m meeting) []int {
	var by []int
	if f.need[m.last][m.test] {
		by = append(by, m.last)
	}
	if f.strict[m.lastTouch][m.test] {
		by = append(by, m.lastTouch)
	}
	return by
}

// settle takes the tests out of all that is to be reached of which enough is known, and notes which
// tests may have made them fail.
func (r *reacher) settle(o Options) {
	if o.Settled == nil {
		return
	}
	for x, id := range r.t.ids {
		if r.settled[x] || !o.Settled(id) {
			continue
		}
		r.settled[x] = true
		if !r.asked {
			r.usually.found++
		}
		if o.Sparse && o.Failing != nil {
			r.blame(x, o.Failing(id))
		}
		for _, f := range r.flows {
			f.open[x] = 0
			for p := range f.need {
				delete(f.need[p], x)
				delete(f.strict[p], x)
			}
		}
	}
}
