package state

import "github.com/odfix/odfix/internal/suite"

// Unwritten are the tests, in the order in which they ran, up to the last one that is wanted and
// leaves something changed below a static field of which it is not known which line wrote it; those
// in front may have made what it changes. Wanted is nil where all are.
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

// Written takes the lines over from a run that was asked for them, where the same test made the
// same of the same place there.
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
