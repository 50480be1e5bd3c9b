package investigate

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/ci"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// Bounds on the evidence of one commit, which strangers write: logs and reports name as many tests
// as they like. Bytes are those of names as JSON.
const (
	mostFailing      = 5_000     // failing tests
	mostFailingBytes = 1 << 20   // of all sources
	mostOrderBytes   = 6 << 20   // of the order of one source
	mostEvidence     = 8 << 20   // bytes of the orders of all sources
	mostSame         = 2_000_000 // comparisons of names of Jest, which may differ and mean the same test
	nameCost         = 32        // bytes that a name takes beside its text, at most
	mostSources      = 200       // logs and reports with failing tests
)

// keep adds a source: its failing tests, and the part of the build that reddest chooses. It shortens
// long lists of failing tests. If the order of tests would take too much memory, alone or together
// with those of earlier sources, it is left out. Nothing else of the source stays in memory.
func (g *gathering) keep(x sourced) {
	if len(g.found) == mostSources {
		g.note("%s is left out, since there are too many logs and reports", x.ev.Source)
		return
	}
	if g.names == nil {
		g.names = map[string]string{}
	}
	seen := map[string]bool{}
	failed := func(list []string) (out []string) {
		for _, t := range list {
			if seen[t] {
				continue
			}
			if len(out) == mostFailing || g.failing > mostFailingBytes {
				break
			}
			g.failing += nameCost
			if _, known := g.names[t]; !known {
				own := strings.Clone(t) // without the text around it
				g.names[own] = own
				g.failing += jsonBytes(own)
			}
			t = g.names[t]
			seen[t] = true
			out = append(out, t)
		}
		return slices.Clip(out)
	}
	order := 0
	full := func() bool { return order > mostOrderBytes || g.kept+order > mostEvidence }
	all := func(list []string) (out []string) {
		for _, t := range list {
			if full() {
				return nil
			}
			order += nameCost + jsonBytes(t) // each time: so it is stored
			out = append(out, strings.Clone(t))
		}
		return slices.Clip(out)
	}
	part, others := reddest(x.ev)
	red := ci.Part{Failed: failed(part.Failed)} // before those of other parts
	kept := ci.Evidence{Provenance: x.ev.Provenance, Source: x.ev.Source, Tool: x.ev.Tool, Notes: x.ev.Notes}
	kept.Failed = slices.Concat(red.Failed, failed(others[:min(len(others), mostFailing-len(red.Failed))]))
	if len(red.Failed) == 0 {
		g.note("%s is left out, since there are too many failing tests", x.ev.Source)
		return
	}
	if left := len(x.ev.Failed) - len(kept.Failed); left > 0 {
		g.note("%s names %d failing tests; %d of them are left out", x.ev.Source, len(x.ev.Failed), left)
	}
	red.Tests = all(part.Tests)
	if len(part.Tests) > 0 && full() {
		g.note("the order of tests in %s is too long to be kept", x.ev.Source)
		red.Tests, kept.Provenance, order = nil, suite.Inferred, 0 // later sources have the room
	}
	kept.Tests, kept.Parts = red.Tests, []ci.Part{red}
	g.kept += order
	for _, t := range kept.Failed {
		if kept.Tool == ci.Jest && ci.JestFile(t) == "" {
			x.fileless++
		}
	}
	x.ev = kept
	g.found = append(g.found, x)
}

// jsonBytes is the length of a text as JSON, where a character can have six bytes.
func jsonBytes(s string) int {
	b, err := json.Marshal(s)
	if err != nil {
		return 6 * len(s)
	}
	return len(b)
}

// best is the evidence for one runner's job: the order of the best source, and the failing tests of
// the same module from all sources.
func (g *gathering) best() evidence {
	out := evidence{Notes: g.notes}
	if len(g.found) == 0 {
		return out
	}
	// Runs for other branches count only if no test failed in those of this pull request.
	origin := func(x sourced) origin { return originOf(x.run, &g.pull) }
	if own := slices.DeleteFunc(slices.Clone(g.found), func(x sourced) bool { return origin(x) == elsewhere }); len(own) > 0 {
		g.found = own
	}
	rank := []suite.Provenance{suite.Exact, suite.Partial, suite.Inferred}
	best := slices.MinFunc(g.found, func(a, b sourced) int {
		return cmp.Or(cmp.Compare(origin(a), origin(b)), slices.Index(rank, a.ev.Provenance)-slices.Index(rank, b.ev.Provenance), a.fileless-b.fileless,
			cmp.Compare(b.run.ID, a.run.ID)) // the newest
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
		if x.run.ID == best.run.ID && out.Merged == "" && origin(x) != elsewhere {
			out.Merged = x.merged
		}
		// Reports do not say whether Gradle or Maven wrote them, but a log that names the same tests does.
		if out.Tool == "" && best.job.URL == "" && x.ev.Tool == ci.Gradle && x.run.ID == best.run.ID && slices.ContainsFunc(x.ev.Failed, in.has) {
			out.Tool = ci.Gradle
		}
		if x.job.Name != "" && !slices.ContainsFunc(out.Jobs, func(j redJob) bool { return j.Name == x.job.Name }) {
			out.Jobs = append(out.Jobs, x.job)
		}
		for _, t := range x.ev.Failed {
			if there.full() || there.has(t) {
				continue
			}
			there.add(t)
			if sameLanguage(x.ev.Tool, out.Tool) && in.has(t) {
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

// sameLanguage reports whether tests of two tools are in one language.
func sameLanguage(a, b ci.Tool) bool { return (a == ci.Jest) == (b == ci.Jest) }

// failingTests are the failing tests so far, by the names that sources give them.
type failingTests struct {
	tool   ci.Tool
	names  map[string]bool
	titled map[string][]ci.JestTest // those of Jest, by their titles
	left   int                      // comparisons that may still be made
}

func newFailingTests(tool ci.Tool) *failingTests {
	return &failingTests{tool, map[string]bool{}, map[string][]ci.JestTest{}, mostSame}
}

func (f *failingTests) add(t string) {
	f.names[t] = true
	if f.tool == ci.Jest {
		test := ci.JestTestOf(t)
		f.titled[test.Titles] = append(f.titled[test.Titles], test)
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
	test := ci.JestTestOf(t)
	alike := f.titled[test.Titles]
	f.left -= len(alike)
	return slices.ContainsFunc(alike, test.Same)
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
