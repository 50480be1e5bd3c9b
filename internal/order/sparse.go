package order

// worthwhile is the part of the mean gain that a test is to have for a promising order to hold it: with the mean itself, orders get so small that what some tests
// are to meet comes late.
const worthwhile = 0.5

// sparse is the order without the tests for which it has nothing new, or (r.choosy) much less than for others. Who meets what somebody
// left, and had not met it, stays, and so does who left it: whoever goes stands between them at most, so that nobody who stays meets
// less than before. Whose turn has not come waits for a later order, in which the others gain less, too.
func (r *reacher) sparse(o []int) []int {
	gain := r.gains(o)
	least := 0.0
	if r.choosy {
		least = worthwhile * r.usual(o, gain)
	}
	keep := make([]bool, len(r.t.ids))
	for _, f := range r.flows {
		for m := range f.meetings(o) {
			if gain[m.test] < least {
				continue
			}
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

// gains are, by test, of how many flows the order is expected to show for the first time that the test depends on them.
func (r *reacher) gains(o []int) []float64 {
	out := make([]float64, len(r.t.ids))
	for _, f := range r.flows {
		if len(f.leaders) == 0 {
			continue
		}
		for x, likely := range f.shows(o) {
			out[x] += f.open[x] * likely
		}
	}
	return out
}

// usual is the mean gain of the tests that meet what they had not met; no more than the greatest, whatever rounding does.
func (r *reacher) usual(o []int, gain []float64) float64 {
	fresh := make([]bool, len(r.t.ids))
	for _, f := range r.flows {
		for m := range f.meetings(o) {
			fresh[m.test] = fresh[m.test] || len(f.newly(m)) > 0
		}
	}
	sum, most, n := 0.0, 0.0, 0
	for x, is := range fresh {
		if is {
			sum, n, most = sum+gain[x], n+1, max(most, gain[x])
		}
	}
	return min(most, sum/float64(max(1, n)))
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

// settle takes the tests out of all that is to be reached of which enough is known, and accuses who may have made them fail.
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
			r.accuse(x, o.Failing(id))
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
