package state

import "github.com/odfix/odfix/internal/suite"

// Unwritten returns the tests that have to run again to find the lines that wrote changed state. It
// is the order of the run up to the last wanted test that leaves a change without a known line. The
// tests before it are included, because they may have made the objects that it changes. If wanted
// is nil, all tests are wanted.
func (p *Pollutions) Unwritten(wanted map[suite.TestID]bool) suite.Order {
	var out suite.Order
	last := 0
	for _, t := range p.Tests {
		out = append(out, t.Test)
		for _, q := range t.Pollutes {
			if q.unwritten() && (wanted == nil || wanted[t.Test]) {
				last = len(out)
			}
		}
	}
	return out[:last]
}

func (q *Pollution) unwritten() bool {
	return q.WrittenBy == "" && q.Path != q.Field && !outside(q.Field)
}

// Written copies the lines from a second run that looked for them, for changes that are the same in
// both runs.
func (p *Pollutions) Written(again *Pollutions) {
	type left struct {
		test                suite.TestID
		path, before, after string
		during              During
	}
	lines := map[left]string{}
	for _, t := range again.Tests {
		for _, q := range t.Pollutes {
			lines[left{t.Test, q.Path, q.Before, q.After, q.During}] = q.WrittenBy
		}
	}
	for _, t := range p.Tests {
		for i := range t.Pollutes {
			if q := &t.Pollutes[i]; q.unwritten() {
				q.WrittenBy = lines[left{t.Test, q.Path, q.Before, q.After, q.During}]
			}
		}
	}
}
