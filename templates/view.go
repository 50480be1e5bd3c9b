package templates

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// How much of a list is shown; the report holds all of it.
const (
	maxTests    = 5
	maxGroups   = 3
	maxOrder    = 8
	maxDiff     = 31
	maxCommands = 4
	maxNotes    = 4
	maxAligned  = 80 // columns
)

// answer is a whole report as the templates see it.
type answer struct {
	Options
	Blocks   []block
	Together *together
	Passing  list   // named tests that pass
	Summary  string // one line for reports of several blocks
	Cost     string
	Notes    list
	Finished bool
}

// block is one cause and its failing tests.
type block struct {
	OK        bool // there is a proved patch
	Headline  string
	Others    list   // further tests of the same cause
	Shown     string // which tests share orders, where not all do
	Failure   string
	Order     []step
	OrderNote string
	Groups    []group
	Patch     *patchView
	NoPatch   string // why there is none, where one could be expected
	// Alternative is a setting of the test runner that fixes the tests, too.
	Alternative string
	Reproduce   []job.Command
	Notes       list
}

// step is one line of the minimal order.
type step struct{ Test, Role string }

// group is a labelled list: polluters, state-setters, cleaners.
type group struct {
	Label string
	list
}

// list is the beginning of a list and how much is left out.
type list struct {
	Items []string
	More  int
}

func capped(items []string, n int) list {
	if len(items) <= n {
		return list{Items: items}
	}
	return list{items[:n], len(items) - n}
}

// patchView is what a block shows of a patch.
type patchView struct {
	Proved bool
	What   string
	Lines  []string
	Hidden int // lines of the diff that are not shown
	Why    string
	Proof  proof
}

// proof is the checks of a proof.
type proof struct {
	Label        string
	Held, Broken []job.Check
}

// together is the patches of several causes as one.
type together struct {
	What  string
	Proof proof
}

func newAnswer(r *job.Report, o Options) answer {
	a := answer{
		Options: o, Cost: costLine(r.Cost), Notes: capped(r.Notes, maxNotes),
		Finished: r.Finished, Together: newTogether(r.Combined),
	}
	for _, c := range causes(r) {
		w := wordingOf(r.Project.Language)
		b := newBlock(c, r.Finished, w)
		b.Alternative = second(r, c.patch, w)
		if s := r.SettingFor(c.tests); s != "" {
			b.Alternative = s + " in Jest's configuration " + alternative(s, len(c.tests), "proved") + "."
		}
		a.Blocks = append(a.Blocks, b)
	}
	_, passing := r.Split()
	var names []string
	for _, t := range passing {
		names = append(names, string(t.Test))
	}
	a.Passing = capped(names, maxTests)
	if len(a.Blocks) > 1 || len(passing) > 0 {
		a.Summary = summary(r, decided(causes(r)))
	}
	return a
}

// decided counts the causes that are known.
func decided(all []cause) (n int) {
	for _, c := range all {
		if c.tests[0].Verdict != suite.Undecided {
			n++
		}
	}
	return n
}

func newBlock(c cause, finished bool, w *wording) block {
	t := c.tests[0]
	b := block{
		OK: c.patch != nil && c.patch.Proof.Proved, Headline: headline(t),
		Failure: failure(t.Failure), Notes: capped(t.Notes, maxNotes),
		Reproduce: reproduction(t, c.patch),
	}
	var others []string
	for _, o := range c.tests[1:] {
		others = append(others, string(o.Test))
	}
	b.Others, b.Shown = capped(others, maxTests), shownBy(c)
	if b.Shown != "" { // which takes the lines of three
		b.Others = capped(others, maxTests-3)
	}
	if t.Verdict.OrderDependent() {
		b.Order, b.OrderNote = steps(t), orderNote(t)
		b.Groups = groups(t, w)
		b.NoPatch = w.noPatch(t, c.patch, finished)
	}
	if c.patch != nil {
		b.Patch = newPatch(*c.patch, w)
	}
	return b
}

// second describes the next patch that is proved for the same tests; "" if there is none.
func second(r *job.Report, p *job.Patch, w *wording) string {
	if p == nil || !p.Proof.Proved {
		return ""
	}
	other := r.Second(p)
	if other == nil {
		return ""
	}
	out := w.patchLine(*other) + "; it is proved, too, and is in report.json."
	if place := other.Location.Place(); slices.Contains(patch.Places, place) && place != p.Location.Place() {
		out += fmt.Sprintf(" To get it as odfix.patch: --place %s.", place)
	}
	return out
}

// reproduction is the commands that show the failure. If the report has none, those of the proof
// that must fail show it, too.
func reproduction(t job.TestReport, p *job.Patch) []job.Command {
	out := t.Reproduce
	if len(out) == 0 && p != nil {
		for _, c := range p.Proof.Commands {
			if c.Exit != 0 {
				out = append(out, c)
			}
		}
	}
	return out[:min(len(out), maxCommands)]
}

func newPatch(p job.Patch, w *wording) *patchView {
	out := &patchView{Proved: p.Proof.Proved, What: w.patchLine(p), Why: p.Why, Proof: newProof(p.Proof)}
	for l := range strings.Lines(p.Diff) {
		if !strings.HasPrefix(l, "diff --git ") && !strings.HasPrefix(l, "index ") {
			out.Lines = append(out.Lines, strings.TrimRight(l, "\n"))
		}
	}
	if n := len(out.Lines); n > maxDiff {
		out.Lines, out.Hidden = out.Lines[:maxDiff], n-maxDiff
	}
	return out
}

func newProof(p job.Proof) proof {
	out := proof{Label: "Proved"}
	if !p.Proved {
		out.Label = "Not proved"
	}
	for _, c := range p.Checks {
		switch {
		case !c.OK:
			out.Broken = append(out.Broken, c)
		case !slices.Contains(out.Held, c): // said once, however many orders it was checked for
			out.Held = append(out.Held, c)
		}
	}
	return out
}

func newTogether(c *job.Combined) *together {
	if c == nil {
		return nil
	}
	what := fmt.Sprintf("together change %s and fix %s", count(len(c.Files), "file"), count(len(c.Fixes), "test"))
	return &together{what, newProof(c.Proof)}
}

// steps is the minimal order with each test's role. A long one lacks its middle.
func steps(t job.TestReport) []step {
	out := roles(t)
	if n := len(out); n > maxOrder {
		dots := step{fmt.Sprintf("… %d more …", n-maxOrder), ""}
		out = slices.Concat(out[:maxOrder-3], []step{dots}, out[n-3:])
	}
	return aligned(out)
}

// aligned pads the tests' names to one length, so that the roles stand below each other. If a
// name is very long, it pads none.
func aligned(steps []step) []step {
	longest := 0
	for _, s := range steps {
		longest = max(longest, utf8.RuneCountInString(s.Test))
	}
	for i, s := range steps {
		if pad := longest - utf8.RuneCountInString(s.Test); s.Role != "" && longest < maxAligned {
			steps[i].Test += strings.Repeat(" ", pad)
		}
	}
	return steps
}

// roles are the tests of the minimal order with their roles.
func roles(t job.TestReport) []step {
	var out []step
	for i, id := range t.MinimalOrder {
		out = append(out, step{string(id), role(t, id, i == len(t.MinimalOrder)-1)})
	}
	return out
}

// passesHere is the role of a test at the end of an order that it needs.
const passesHere = "passes here, and fails alone"

func role(t job.TestReport, id suite.TestID, last bool) string {
	in := func(groups []suite.Order) bool {
		return slices.ContainsFunc(groups, func(g suite.Order) bool { return slices.Contains(g, id) })
	}
	switch {
	case last && t.Verdict != suite.Victim && !slices.ContainsFunc(t.Polluters, func(p suite.Order) bool { return within(p, t.MinimalOrder) }):
		return passesHere
	case last:
		return "fails here"
	case in(t.Polluters):
		return "polluter"
	case in(t.StateSetters):
		return "state-setter"
	}
	return ""
}

// within reports whether an order has all of some tests.
func within(tests, o suite.Order) bool {
	return !slices.ContainsFunc(tests, func(t suite.TestID) bool { return !slices.Contains(o, t) })
}

// groups are the polluters and so on that the minimal order does not show.
func groups(t job.TestReport, w *wording) []group {
	var out []group
	add := func(label string, orders []suite.Order) {
		if len(orders) == 0 {
			return
		}
		out = append(out, group{label, capped(names(orders), maxGroups)})
	}
	if len(t.Polluters) > 1 {
		add("Polluters", t.Polluters)
	}
	if len(t.StateSetters) > 1 {
		add("State-setters", t.StateSetters)
	}
	add("Cleaners", cleaners(t))
	if len(t.State) > 0 {
		out = append(out, group{"State", stateList(t, w)})
	}
	return out
}

// stateList is the state through which a test is affected, and what was proved of it.
func stateList(t job.TestReport, w *wording) list {
	places := capped(w.stateLines(t), maxGroups)
	places.Items = slices.Clone(places.Items)
	places.Items[len(places.Items)-1] += matters(t)
	return places
}

// matters says what was proved of the state between two tests.
func matters(t job.TestReport) string {
	switch {
	case !t.StateMatters && t.Verdict == suite.Brittle:
		return " (set by its state-setter, and read by the test; that it is what matters was not proved)"
	case !t.StateMatters && unfinished(t.State):
		return " (not waited for; that it is what matters was not proved)"
	case !t.StateMatters:
		return " (left changed, and read by the test; that it is what matters was not proved)"
	case t.Verdict == suite.Brittle:
		return " (with only that undone, it fails again)"
	case unfinished(t.State):
		return " (with only that waited for, it passes)"
	}
	return " (with only that restored, it passes)"
}

func joined(o suite.Order) string {
	var ids []string
	for _, t := range o {
		ids = append(ids, string(t))
	}
	return strings.Join(ids, " + ")
}
