package repair

import (
	"slices"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// spot is a location at one test.
type spot struct {
	location patch.Location
	at       suite.TestID
}

func (s spot) atVictim() bool { return s.location.AtVictim() }

// maxCleaningUp bounds the polluters of a cause in whose teardowns statements are tried.
const maxCleaningUp = 3

// cleaningUp returns the tests that could clean up, the last polluter first. All of them are needed to
// make the test fail, so it can be enough that one of them cleans up. Those that are known to change
// the state come before the others. Of several with one teardown it returns the last.
func (p *Patcher) cleaningUp(cause Cause) []suite.TestID {
	others := suite.Filter(cause.Polluter, func(t suite.TestID) bool { return !slices.Contains(cause.Writers, t) })
	from := suite.Join(others, cause.Writers)
	var out []suite.TestID
	for _, t := range slices.Backward(from) {
		if !slices.ContainsFunc(out, func(o suite.TestID) bool { return sameSpot(p.Groups, patch.PolluterTeardown, o, t) }) {
			out = append(out, t)
		}
	}
	return out[:min(len(out), maxCleaningUp)]
}

// spots returns where a patch for the cause may be added.
func (p *Patcher) spots(cause Cause) []spot {
	var out []spot
	each, once := patch.PolluterTeardown, patch.PolluterClassTeardown
	if cause.SetUp {
		each, once = once, each
	}
	for _, t := range p.cleaningUp(cause) {
		out = append(out, spot{each, t}, spot{once, t}, spot{patch.PolluterEnd, t})
	}
	first := cause.Cases[0].Test
	out = append(out, spot{patch.VictimSetup, first})
	if cause.Brittle() {
		out = append(out, spot{patch.VictimSetupStart, first}) // what a brittle test needs, its setup may need already
	}
	out = append(out, spot{patch.VictimStart, first})
	if cause.Twice && !cause.Brittle() {
		slices.SortStableFunc(out[1:], func(a, b spot) int { return rankAtVictim(a) - rankAtVictim(b) })
	}
	if !cause.Brittle() {
		out = append(out, spot{patch.VictimBlockSetup, first}) // what a brittle test needs is set up for itself
	}
	return suite.Filter(out, func(s spot) bool { return p.Place == "" || s.location == p.Place || s.location.Place() == p.Place })
}

// rankAtVictim puts the locations at the failing test first.
func rankAtVictim(s spot) int {
	if s.atVictim() {
		return 0
	}
	return 1
}

// trials returns the spots in which statements are tried: first those of the chosen place, and among
// these first those of the likeliest location.
func (p *Patcher) trials(cause Cause, likeliest patch.Location) []spot {
	first := cause.Cases[0].Test
	out := []spot{{patch.VictimStart, first}}
	for _, t := range p.cleaningUp(cause) {
		out = append(out, spot{patch.PolluterTeardown, t})
	}
	out = append(out, spot{patch.VictimSetup, first})
	if cause.Brittle() {
		out = append(out, spot{patch.VictimSetupStart, first})
	}
	rank := func(s spot) int {
		r := 0
		if p.Place != "" && s.location.Place() != p.Place {
			r = 2
		}
		if s.location != likeliest {
			r++
		}
		return r
	}
	slices.SortStableFunc(out, func(a, b spot) int { return rank(a) - rank(b) })
	return out
}
