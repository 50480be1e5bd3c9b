package verdict

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// TestAnnotationsWhereNothingElseStands: lines with a comment need no second word.
func TestAnnotationsWhereNothingElseStands(t *testing.T) {
	if got := newPolluter().plan(t).Check.Annotations; len(got) != 0 {
		t.Errorf("beside a suggestion: %v", got)
	}
	s := newPolluter()
	s.config = func(c *config.Config) { c.Ladder = []config.Rung{config.Comment} }
	got := s.plan(t).Check.Annotations
	if len(got) != 1 || got[0].Path != importerFile || got[0].Start != 5 || got[0].End != 7 || got[0].Level != "notice" {
		t.Errorf("beside a comment: %v", got)
	}
	s = changed(importerFile, "a\nb\nc\n", map[int]string{3: "C\n"}, map[int]string{1: "A\n"})
	s.config = func(c *config.Config) { c.Ladder = []config.Rung{config.Comment} }
	if got := s.plan(t).Check.Annotations; len(got) != 1 || got[0].Start != 1 || got[0].End != 1 {
		t.Errorf("on the first line: %v", got)
	}
}

// TestCaps: many tests with long and hostile names stay within what GitHub takes.
func TestCaps(t *testing.T) {
	for _, letter := range []string{"x", "<", "\x01", "ü", "`", "@a "} {
		in := hostileInput("a", suite.Victim)
		r := in.Report
		one := r.Tests[0]
		r.Tests = nil
		for i := range 100 {
			v := one
			v.Test = suite.TestID(strings.Repeat(letter, 1000) + strconv.Itoa(i))
			v.Polluters = []suite.Order{slices.Repeat(suite.Order{v.Test}, 30)}
			v.MinimalOrder = v.Polluters[0]
			v.Notes = slices.Repeat([]string{string(v.Test)}, 100)
			v.Patches = slices.Clone(one.Patches)
			v.Patches[0].Fixes = []suite.TestID{v.Test}
			r.Tests = append(r.Tests, v)
		}
		p := PlanOf(in)
		if len(p.Comments) != 1 {
			t.Errorf("%q: %d comments", letter, len(p.Comments))
		}
		harmlessPlan(t, p)
	}
}

// TestFirstOfACause: hundreds of tests that were shown together get one comment, which describes one
// that has an order of its own.
func TestFirstOfACause(t *testing.T) {
	in := hostileInput("a", suite.Victim)
	r := in.Report
	own := r.Tests[0]
	own.Test, own.MinimalOrder = "a.OwnTest#first", suite.Order{"a.PolluterTest#p", "a.OwnTest#first"}
	own.Polluters = []suite.Order{own.MinimalOrder[:1]}
	r.Tests = nil
	for i := range 300 {
		v := own
		v.Test, v.MinimalOrder, v.Patches = suite.TestID("a.CrowdTest#t"+strconv.Itoa(i)), nil, nil
		r.Tests = append(r.Tests, v)
		own.Patches[0].Fixes = append(own.Patches[0].Fixes, v.Test)
	}
	own.Patches[0].Fixes = append(own.Patches[0].Fixes, own.Test)
	r.Tests = append(r.Tests, own)
	p := PlanOf(in)
	if len(p.Comments) != 1 || !strings.Contains(p.Comments[0].Plain, "(fails here)") || len(p.Comments[0].Plain) > 10000 {
		t.Fatalf("%d comments: %+v", len(p.Comments), p.Comments)
	}
	harmlessPlan(t, p)
}

// TestOrderOfACause: the first test with a minimal order comes first; the others stay in the report's
// order.
func TestOrderOfACause(t *testing.T) {
	for _, c := range []struct{ report, want string }{
		{"AB", "AB"}, {"ab", "ab"}, {"aB", "Ba"}, {"abCdE", "CabdE"}, {"AbC", "AbC"},
	} {
		var r job.Report
		for _, name := range c.report { // a capital letter: with a minimal order
			v := another(suite.TestID(name))
			v.MinimalOrder = nil
			if unicode.IsUpper(name) {
				v.MinimalOrder = suite.Order{v.Test}
			}
			r.Tests = append(r.Tests, v)
		}
		b := builder{ctx: t.Context(), in: Input{Report: &r}}
		causes, err := b.causes()
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, one := range causes[0].tests {
			got += string(one.Test)
		}
		if got != c.want {
			t.Errorf("%s became %s, want %s", c.report, got, c.want)
		}
	}
}

// TestFit: the check's text is cut between sections, and says so.
func TestFit(t *testing.T) {
	part := strings.Repeat("x", 30000)
	got := fit([]string{part, part, part})
	if len(got) > maxText || strings.Count(got, part) != 2 || !strings.Contains(got, "There is more") {
		t.Errorf("%d bytes, %d parts", len(got), strings.Count(got, part))
	}
	if got := fit([]string{strings.Repeat("`ü", 40000)}); len(got) > maxText || !strings.Contains(got, "There is more") {
		t.Errorf("%d bytes", len(got))
	}
	more := strings.Repeat("z", 1000)
	for n := maxText - len(part) - 60; n <= maxText-len(part); n++ { // around the length that still fits
		second := strings.Repeat("y", n)
		got := fit([]string{part, second, more})
		if len(got) > maxText || !strings.HasPrefix(got, part+"\n") || !strings.HasSuffix(got, "There is more than fits here.\n") ||
			n == maxText-len(part)-60 && !strings.Contains(got, second) {
			t.Errorf("%d bytes with a second part of %d", len(got), n)
		}
	}
	if got := fit([]string{"a", "b"}); got != "a\nb\n" {
		t.Errorf("%q", got)
	}
}

// TestStages: what the check says before and after an investigation.
func TestStages(t *testing.T) {
	var b strings.Builder
	for _, c := range []Check{
		Waiting([]string{string(receipt)}),
		Progress(job.Event{Phase: job.PhaseBuild}, 2),
		Progress(job.Event{Phase: job.PhaseDiagnose,
			Message: "looking for the polluter of com.example.shop.ReceiptTest#printsTheTotal", Test: receipt,
			Done: 12, Total: 40, Best: "polluter CatalogueImportTest#reads"}, 75.2),
		Progress(job.Event{Phase: "unheard of", Done: 50, Total: 40}, 200),
		Superseded(strings.Repeat("d", 40)),
		Green(strings.Repeat("e", 40)),
	} {
		b.WriteString(shownAs(Plan{Check: c}) + "\n")
	}
	old := newPolluter().plan(t).Comments[0]
	b.WriteString(anyMarker.ReplaceAllString(Settled(old.Marker, strings.Repeat("e", 40), old.Inline[0].Body, ""), "<!-- marker -->"))
	golden(t, "stages", b.String())
}
