package templates

import (
	"cmp"
	"slices"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// How large the matrix may become. The list of causes holds the rest.
const (
	maxRows    = 150
	maxColumns = 40
)

// pageRow is a test that depends on order, and the effect that the tests of the columns have on it.
type pageRow struct {
	pageLink
	Cause string // the fragment of its cause
	Cells []pageCell
}

// pageCell is the effect of one test on another; no Mark: none was seen.
type pageCell struct{ Mark, Title, Class string }

// matrix shows which test breaks which, or is needed by it. The columns are polluters and
// state-setters, the one of most tests first. There is no matrix for a single column.
func (p *page) matrix(r *job.Report) {
	reports := map[suite.TestID]job.TestReport{}
	for _, t := range r.Tests {
		reports[t.Test] = t
	}
	effects, columns := columnsOf(r)
	if len(columns) < 2 {
		return
	}
	p.MoreColumn = max(0, len(columns)-maxColumns)
	columns = columns[:min(len(columns), maxColumns)]
	for _, k := range columns {
		p.Columns = append(p.Columns, pageLink{p.causeOf(k), joined(effects[k].order), shortOrder(r.Names, effects[k].order)})
	}
	for _, c := range p.Causes {
		for _, t := range c.Tests {
			if len(p.Rows) == maxRows {
				p.MoreRows++
				continue
			}
			row := pageRow{pageLink: pageLink{t.ID, t.Name, t.Short}, Cause: c.ID}
			for i, k := range columns {
				row.Cells = append(row.Cells, newCell(k.role, p.Columns[i].Short, t.Short, effects[k].on[t.id]))
			}
			p.Rows = append(p.Rows, row)
		}
	}
}

func newCell(role job.Role, by, test string, has bool) pageCell {
	switch {
	case !has:
		return pageCell{}
	case role == job.StateSetter:
		return pageCell{"◦", by + " is needed by " + test, "needed"}
	}
	return pageCell{"✕", by + " breaks " + test, "breaks"}
}

// effectKey is a polluter or a state-setter.
type effectKey struct {
	role job.Role
	key  string
}

// effect is the tests on which a polluter or state-setter has one.
type effect struct {
	order suite.Order
	on    map[suite.TestID]bool
}

// columnsOf collects the polluters and state-setters of all tests.
func columnsOf(r *job.Report) (effects map[effectKey]*effect, columns []effectKey) {
	effects = map[effectKey]*effect{}
	for _, t := range r.Tests {
		if !t.Verdict.OrderDependent() {
			continue
		}
		for role, by := range map[job.Role][]suite.Order{job.Polluter: t.Polluters, job.StateSetter: t.StateSetters} {
			for _, o := range by {
				k := effectKey{role, o.Key()}
				if effects[k] == nil {
					effects[k] = &effect{o, map[suite.TestID]bool{}}
					columns = append(columns, k)
				}
				effects[k].on[t.Test] = true
			}
		}
	}
	slices.SortFunc(columns, func(a, b effectKey) int {
		if n := len(effects[b].on) - len(effects[a].on); n != 0 {
			return n
		}
		return cmp.Compare(string(a.role)+a.key, string(b.role)+b.key)
	})
	return effects, columns
}

// causeOf is the fragment of the cause of a polluter or state-setter; "" if it has no section.
func (p *page) causeOf(k effectKey) string {
	for _, c := range p.Causes {
		if c.Role == k.role && slices.ContainsFunc(c.cause.By, func(o suite.Order) bool { return o.Key() == k.key }) {
			return c.ID
		}
	}
	return ""
}
