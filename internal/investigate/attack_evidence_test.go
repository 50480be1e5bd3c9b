package investigate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/ci"
	"github.com/odfix/odfix/internal/suite"
)

// TestAttackMuchEvidence: a log of a fork's pull request names as many failing tests and as long
// orders as its author likes, before anybody has approved it. The time to choose among them grows with
// their number only, and few of them are kept.
func TestAttackMuchEvidence(t *testing.T) {
	for _, tool := range []ci.Tool{"", ci.Jest} {
		g := gathering{}
		for source := range 12 {
			ev := ci.Evidence{Tool: tool, Provenance: suite.Exact, Source: fmt.Sprintf("log %d", source)}
			for i := range 60_000 {
				name := fmt.Sprintf("a.b%d.C%dTest#m%d", source, i%100, i)
				if tool == ci.Jest { // names that all may mean the same test
					name = fmt.Sprintf("%s/b%d_%d.test.js#cart is empty", strings.Repeat("a/", 20), source, i)
				}
				ev.Tests, ev.Failed = append(ev.Tests, name), append(ev.Failed, name)
			}
			ev.Parts = []ci.Part{{Module: "m", Tests: ev.Tests, Failed: ev.Failed}}
			g.keep(sourced{ev: ev})
		}
		ev := g.best()
		if n := len(ev.Tests) + len(ev.Spare); n == 0 || n > 2*mostFailing || len(ev.Order.Failed) > mostFailing {
			t.Errorf("%q: %d failing tests are kept, %d of the order", tool, n, len(ev.Order.Failed))
		}
		if g.kept > mostEvidence+(1<<20) {
			t.Errorf("%q: %d bytes of names are kept", tool, g.kept)
		}
		orders := 0
		for _, x := range g.found {
			if len(x.ev.Tests) > 0 {
				orders++
			}
		}
		if notes := strings.Join(ev.Notes, " "); orders == 0 || orders == len(g.found) || !strings.Contains(notes, "too long to be kept") ||
			!strings.Contains(notes, "after the first 5000 are left out") {
			t.Errorf("%q: %d orders of %d sources, notes %q", tool, orders, len(g.found), notes)
		}
	}
}
