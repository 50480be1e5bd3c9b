package repair

import (
	"sort"

	"github.com/odfix/odfix/internal/patch"
)

// cleansUp reports whether the statements stand after a polluter.
func (c *Candidate) cleansUp() bool {
	return c.Edit.Place == patch.PolluterTeardown || c.Edit.Place == patch.PolluterEnd
}

// short reports whether it is one statement, wherever that stands.
func (c *Candidate) short() bool {
	return len(c.Built.Statements) <= 1 || c.Edit.Made != nil && len(c.Edit.Made.Statements) == 1
}

// anew is the candidate with another edit, of which nothing is counted yet.
func (c *Candidate) anew(e Edit, b *Built) *Candidate {
	return &Candidate{Helper: c.Helper, Edit: e, Built: b, Unfinished: c.Unfinished, untrimmed: c.untrimmed}
}

// all reports whether it fixes every test of the cause in every order that was asked.
func (c *Candidate) all(cause Cause) bool {
	return len(c.Cures) == len(cause.Cases) && c.Cured == c.Asked
}

// reflects reports whether it writes fields by reflection.
func (c *Candidate) reflects() bool { return c.Edit.Made != nil && c.Edit.Made.Reflects }

// size is how many statements the patch adds, wherever they stand.
func (c *Candidate) size() int { return len(c.Built.Statements) * len(c.Edit.spots()) }

// rank sorts candidates: what fixes most tests, then most orders (several polluters), then what
// does without reflection, the fewest statements, what leans on no test, the fewest files, and the
// place.
func rank(cs []*Candidate) {
	sort.SliceStable(cs, func(i, j int) bool {
		a, b := cs[i], cs[j]
		if len(a.Cures) != len(b.Cures) {
			return len(a.Cures) > len(b.Cures)
		}
		if a.Cured != b.Cured {
			return a.Cured > b.Cured
		}
		if reflects := a.reflects(); reflects != b.reflects() {
			return !reflects
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
		return placeRank[a.Edit.Place] < placeRank[b.Edit.Place]
	})
}

// placeRank: what is no longer shared nobody can spoil; a polluter that cleans up after itself
// protects tests nobody has seen fail yet; a setup protects the whole class; a test's start only
// itself.
var placeRank = map[patch.Place]int{patch.PolluterTeardown: 0, patch.PolluterEnd: 1, patch.VictimSetup: 2, patch.VictimStart: 3,
	patch.Declaration: 0}
