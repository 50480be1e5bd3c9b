package investigate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/ci"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// Bounds on the evidence of one commit, which strangers write: logs and reports name as many tests
// as they like.
const (
	mostFailing  = 5_000     // failing tests
	mostEvidence = 16 << 20  // bytes of names in all sources
	mostSame     = 2_000_000 // comparisons of names of Jest, which may differ and mean the same test
	nameCost     = 16        // bytes that a name takes beside its text
)

// keep adds a source. It shortens a long list of failing tests. If the order of tests would take
// too much memory together with those of earlier sources, it is left out.
func (g *gathering) keep(x sourced) {
	own := map[string]string{} // names without the text around them
	name := func(s string) string {
		if _, known := own[s]; !known {
			own[s] = strings.Clone(s)
			g.kept += len(s) + nameCost
		}
		return own[s]
	}
	failed := func(list []string) (out []string) {
		for _, t := range list {
			if len(out) == mostFailing || g.kept > mostEvidence {
				break
			}
			out = append(out, name(t))
		}
		return out
	}
	all := func(list []string) (out []string) {
		for _, t := range list {
			if g.kept > mostEvidence {
				return nil
			}
			g.kept += nameCost
			out = append(out, name(t))
		}
		return out
	}
	if n := len(x.ev.Failed); n > mostFailing {
		g.note("%s names %d failing tests; those after the first %d are left out", x.ev.Source, n, mostFailing)
	}
	x.ev.Failed = failed(x.ev.Failed)
	x.ev.Parts = slices.Clone(x.ev.Parts)
	for i := range x.ev.Parts {
		x.ev.Parts[i].Failed = failed(x.ev.Parts[i].Failed)
	}
	before, long := g.kept, len(x.ev.Tests) > 0
	x.ev.Tests = all(x.ev.Tests)
	for i := range x.ev.Parts {
		x.ev.Parts[i].Tests = all(x.ev.Parts[i].Tests)
	}
	if long && g.kept > mostEvidence {
		g.note("the order of tests in %s is too long to be kept", x.ev.Source)
		x.ev.Tests, x.ev.Provenance, g.kept = nil, suite.Inferred, before // later sources have the room
		for i := range x.ev.Parts {
			x.ev.Parts[i].Tests = nil
		}
	}
	g.found = append(g.found, x)
}

// best is the evidence for one runner's job: the order of the best source, and the failing tests of
// the same module from all sources.
func (g *gathering) best() evidence {
	out := evidence{Notes: g.notes}
	if len(g.found) == 0 {
		return out
	}
	// In a build with several tools, tests that odfix can run come before a better order of tests
	// that it cannot run.
	if ours := slices.DeleteFunc(slices.Clone(g.found), func(x sourced) bool { return !runs(x.ev.Tool) }); len(ours) > 0 {
		g.found = ours
	}
	rank := []suite.Provenance{suite.Exact, suite.Partial, suite.Inferred}
	best := slices.MinFunc(g.found, func(a, b sourced) int {
		return cmp.Or(slices.Index(rank, a.ev.Provenance)-slices.Index(rank, b.ev.Provenance), fileless(a.ev)-fileless(b.ev))
	})
	part, spare := reddest(best.ev)
	in, there := newPartTests(part, best.ev.Tool), newFailingTests(best.ev.Tool)
	out.Event, out.Tool = best.run.Event, best.ev.Tool
	out.Tests = slices.Clone(part.Failed)
	out.Spare = spare
	for _, t := range slices.Concat(out.Tests, out.Spare) {
		there.add(t)
	}
	for _, x := range g.found {
		if x.run.ID == best.run.ID && out.Merged == "" {
			out.Merged = x.merged
		}
		if x.job.Name != "" && !slices.ContainsFunc(out.Jobs, func(j redJob) bool { return j.Name == x.job.Name }) {
			out.Jobs = append(out.Jobs, x.job)
		}
		for _, t := range x.ev.Failed {
			if there.full() || there.has(t) {
				continue
			}
			there.add(t)
			if x.ev.Tool == out.Tool && in.has(t) {
				out.Tests = append(out.Tests, t)
			} else {
				out.Spare = append(out.Spare, t)
			}
		}
	}
	if len(out.Spare) > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("Tests of another module failed, too (%d); one module is "+
			"investigated at a time.", len(out.Spare)))
	}
	out.Order = &job.ObservedOrder{Provenance: best.ev.Provenance, Source: best.ev.Source, Tests: part.Tests,
		Failed: part.Failed, Notes: best.ev.Notes}
	return out
}

// fileless counts the failing tests of Jest that are named by their titles only.
func fileless(ev ci.Evidence) int {
	n := 0
	for _, t := range ev.Failed {
		if ev.Tool == ci.Jest && ci.JestFile(t) == "" {
			n++
		}
	}
	return n
}

// runs reports whether odfix can run the tests of a tool.
func runs(t ci.Tool) bool { return t == "" || t == ci.Jest }

// failingTests are the failing tests so far, by the names that sources give them.
type failingTests struct {
	tool   ci.Tool
	names  map[string]bool
	titled map[string][]string // those of Jest, by their titles
	left   int                 // comparisons that may still be made
}

func newFailingTests(tool ci.Tool) *failingTests {
	return &failingTests{tool, map[string]bool{}, map[string][]string{}, mostSame}
}

func (f *failingTests) add(t string) {
	f.names[t] = true
	if f.tool == ci.Jest {
		f.titled[ci.JestTitles(t)] = append(f.titled[ci.JestTitles(t)], t)
	}
}

// has reports whether the failing test is there already, by the name of this or another source.
func (f *failingTests) has(t string) bool {
	if f.names[t] {
		return true
	}
	if f.tool != ci.Jest {
		return false
	}
	alike := f.titled[ci.JestTitles(t)]
	f.left -= len(alike)
	return slices.ContainsFunc(alike, func(o string) bool { return ci.SameJest(o, t) })
}

// full reports whether no further tests are added.
func (f *failingTests) full() bool { return len(f.names) >= mostFailing || f.left < 0 }

// partTests are the tests of a part of the build.
type partTests struct {
	tool  ci.Tool
	names map[string]bool // of Jest: of their files
	any   bool            // of Jest: some names have no file
}

func newPartTests(p ci.Part, tool ci.Tool) partTests {
	out := partTests{tool: tool, names: map[string]bool{}}
	for _, t := range p.Tests {
		if tool == ci.Jest {
			t = ci.JestFile(t)
		}
		out.names[t], out.any = true, out.any || t == ""
	}
	return out
}

// has reports whether a test belongs to the part of the build. Sources of Jest may name only the
// test's file, or only its titles.
func (p partTests) has(t string) bool {
	if p.tool != ci.Jest {
		return p.names[t]
	}
	file := ci.JestFile(t)
	return file == "" || p.any || p.names[file]
}

// reddest is the module's part of a run that has most failures. Modules run in JVMs of their own,
// so that there is no order between their tests.
func reddest(ev ci.Evidence) (ci.Part, []string) {
	whole := ci.Part{Tests: ev.Tests, Failed: ev.Failed}
	red := suite.Filter(ev.Parts, func(p ci.Part) bool { return len(p.Failed) > 0 })
	if len(red) == 0 {
		return whole, nil
	}
	best := slices.MaxFunc(red, func(a, b ci.Part) int { return len(a.Failed) - len(b.Failed) })
	own := map[string]bool{}
	for _, t := range best.Failed {
		own[t] = true
	}
	spare := suite.Filter(ev.Failed, func(t string) bool { return !own[t] })
	return best, spare
}
