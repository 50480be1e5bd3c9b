package repair

import (
	"sort"

	"github.com/odfix/odfix/internal/patch"
)

// cleansUp reports whether the statements are added after a polluter.
func (c *Candidate) cleansUp() bool {
	return c.Edit.Location.CleansUp()
}

// short reports whether the patch is one statement, or waits at one place. Such a statement may be added
// at several tests.
func (c *Candidate) short() bool {
	return len(c.Built.Statements) <= 1 || c.Edit.Made != nil && len(c.Edit.Made.Statements)+len(c.Edit.Made.Await) == 1
}

// anew returns the candidate with another edit, without counts.
func (c *Candidate) anew(e Edit, b *Built) *Candidate {
	return &Candidate{Helper: c.Helper, Edit: e, Built: b, Unfinished: c.Unfinished, Left: c.Left, exact: c.exact, unmeasured: c.unmeasured,
		passesTwice: c.passesTwice, untrimmed: c.untrimmed}
}

// all reports whether the candidate fixes every test of the cause in every order that ran.
func (c *Candidate) all(cause Cause) bool {
	return len(c.Fixes) == len(cause.Cases) && c.Fixed == c.Asked
}

// restores reports whether the candidate fixes everything and is known to leave no difference,
// without means that a maintainer would rather avoid.
func (c *Candidate) restores(cause Cause) bool {
	return c.all(cause) && c.exact && !c.reflects() && !c.Edit.Made.RenewsContext()
}

// reflects reports whether it writes fields by reflection.
func (c *Candidate) reflects() bool { return c.Edit.Made != nil && c.Edit.Made.Reflects }

// saves reports whether it saves values in fields of its own.
func (c *Candidate) saves() bool { return c.Edit.Made != nil && len(c.Edit.Made.Fields) > 0 }

// size returns how many statements the patch adds in all locations.
func (c *Candidate) size() int {
	if len(c.Edit.Except) == 0 {
		return len(c.Built.Statements) * len(c.Edit.spots())
	}
	n := 0
	for _, t := range c.Edit.spots() {
		n += len(c.Edit.KeepAt(t))
	}
	return n
}

// rank sorts candidates. It compares, in this order: the number of fixed tests, the number of fixed
// orders (with several polluters), whether the patch does without reflection, and without a new
// Spring context, how exactly it restores the state, whether a test that also fails after itself passes then,
// the number of statements, whether it depends on another test, the number of files, and the location. setUp is Cause.SetUp.
func rank(cs []*Candidate, setUp bool) {
	order := func(at patch.Location) int {
		switch {
		case setUp && at == patch.PolluterTeardown:
			at = patch.PolluterClassTeardown
		case setUp && at == patch.PolluterClassTeardown:
			at = patch.PolluterTeardown
		}
		return locationRank[at]
	}
	sort.SliceStable(cs, func(i, j int) bool {
		a, b := cs[i], cs[j]
		if len(a.Fixes) != len(b.Fixes) {
			return len(a.Fixes) > len(b.Fixes)
		}
		if a.Fixed != b.Fixed {
			return a.Fixed > b.Fixed
		}
		if reflects := a.reflects(); reflects != b.reflects() {
			return !reflects
		}
		if renews := a.Edit.Made.RenewsContext(); renews != b.Edit.Made.RenewsContext() {
			return !renews
		}
		if a.unmeasured != b.unmeasured {
			return b.unmeasured
		}
		if a.Left != b.Left {
			return a.Left < b.Left
		}
		if a.passesTwice != b.passesTwice {
			return a.passesTwice
		}
		if a.size() != b.size() {
			return a.size() < b.size()
		}
		if made := a.Edit.Made != nil; made != (b.Edit.Made != nil) {
			return made
		}
		if len(a.Built.Files) != len(b.Built.Files) {
			return len(a.Built.Files) < len(b.Built.Files)
		}
		return order(a.Edit.Location) < order(b.Edit.Location)
	})
}

// locationRank rates locations. State that is no longer shared cannot be polluted. A polluter that
// cleans up after itself also protects tests that have not failed yet; if it does so once for its
// class, only those of other classes. A setup protects the whole
// class. The start of a test protects only this test. The setup of a block protects none of its tests
// from each other.
var locationRank = map[patch.Location]int{patch.PolluterTeardown: 0, patch.PolluterClassTeardown: 1, patch.PolluterEnd: 2,
	patch.VictimSetup: 3, patch.VictimSetupStart: 4, patch.VictimStart: 5, patch.VictimBlockSetup: 6, patch.Declaration: 0,
	patch.PolluterBody: 0}
