package templates

import (
	"fmt"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/shell"
	"github.com/odfix/odfix/internal/suite"
)

// How much of a cause the page shows; report.json holds all of it.
const (
	maxSteps       = 40 // of an order
	maxPagePatches = 5
	maxPageChanges = 12
	maxAlternative = 10 // polluters
	maxOpen        = 3  // tests of a cause that are shown unfolded
	maxDetailed    = 60 // tests of a cause that have a section
)

// pageCause is one cause: a section of the page, with all that is known of it.
type pageCause struct {
	ID, Title string
	Role      job.Role
	By        []string // the tests that each alone have the effect, the first one first
	MoreBy    int
	Effect    string // "breaks 3 tests"
	Proved    bool
	Searched  bool // patches were searched for
	New       int  // tests that the last detection did not find
	Changes   []pageChange
	State     []string // places without known values
	StateNote string
	Patches   []pagePatch
	NoPatch   string
	Commands  []pageCommand
	Cohorts   []string
	Tests     []pageTest
	Detailed  int // of Tests, which have a section; the others are rows of a table

	cause job.Cause
}

// maxNamed is how many tests of a cause the overview names.
const maxNamed = 3

// First are the tests that the overview names.
func (c *pageCause) First() []pageTest { return c.Tests[:min(maxNamed, len(c.Tests))] }

// Further counts the other tests.
func (c *pageCause) Further() int { return max(0, len(c.Tests)-maxNamed) }

// pageChange is a state before and after the cause ran.
type pageChange struct{ Path, Before, After string }

// pageTest is one order-dependent test.
type pageTest struct {
	ID, Name, Short string
	Sentence        string
	Failure, Stack  string
	Order           []step
	OrderNote       string
	Groups          []pageGroup
	Notes           []string
	FoundAfter      string
	Commands        []pageCommand
	New, Open       bool

	id suite.TestID
}

type pageGroup struct {
	Label string
	Items []string
}

// pagePatch is a patch with its diff in lines and its proof.
type pagePatch struct {
	Proved    bool
	What, Why string
	Diff      []pageLine
	Checks    []job.Check
	Commands  []pageCommand
}

// pageLine is a line of a diff. Kind is the class of its colour.
type pageLine struct{ Kind, Text string }

// causes makes a section for each cause. A test belongs to the first cause that names it.
func (p *page) causes(r *job.Report) {
	byID := map[suite.TestID]job.TestReport{}
	var rest []suite.TestID // without a cause
	for _, t := range r.Tests {
		if t.Verdict.OrderDependent() {
			byID[t.Test] = t
			if !slices.ContainsFunc(r.Detection.Causes, func(c job.Cause) bool { return slices.Contains(c.Tests, t.Test) }) {
				rest = append(rest, t.Test)
			}
		}
	}
	known := r.Detection.Causes
	if len(rest) > 0 {
		known = append(slices.Clone(known), job.Cause{Role: job.NotKnown, Tests: rest})
	}
	for _, c := range oneUnknown(known) {
		var tests []job.TestReport
		for _, t := range c.Tests {
			if found, ok := byID[t]; ok {
				tests = append(tests, found)
				delete(byID, t)
			}
		}
		if len(tests) > 0 {
			p.Causes = append(p.Causes, newPageCause(r, c, tests))
			p.Tests += len(tests)
		}
	}
}

func newPageCause(r *job.Report, c job.Cause, tests []job.TestReport) *pageCause {
	w := wordingOf(r.Project.Language)
	out := &pageCause{Role: c.Role, Searched: r.SearchedPatches(), cause: c, ID: anchor("cause", "unknown"), Title: "Cause not known yet",
		Effect: plural(len(tests), "1 test depends", fmt.Sprintf("%d tests depend", len(tests))) + " on the order"}
	if len(c.By) > 0 {
		all := names(c.By)
		out.By, out.MoreBy = all[:min(maxAlternative, len(all))], max(0, len(all)-maxAlternative)
		out.ID, out.Title = anchor("cause", string(c.Role)+"\n"+c.By[0].Key()), shortOrder(r.Names, c.By[0])
		out.Effect = "breaks " + count(len(tests), "test")
		if c.Role == job.StateSetter {
			out.Effect = "is needed by " + count(len(tests), "test")
		}
	}
	slices.SortStableFunc(tests, func(a, b job.TestReport) int { return boolOrder(!hasOrders(r, a), !hasOrders(r, b)) })
	out.state(tests, w)
	out.patches(r, tests, w)
	for _, t := range tests {
		detailed := hasOrders(r, t) && out.Detailed < maxDetailed
		if detailed {
			out.Detailed++
		}
		out.Tests = append(out.Tests, newPageTest(r, t, detailed && len(tests) <= maxOpen))
	}
	for _, x := range r.Detection.Cohorts {
		if slices.ContainsFunc(tests, func(t job.TestReport) bool { return slices.Contains(x.Tests, t.Test) && r.Joint(&t) }) {
			out.Cohorts = append(out.Cohorts, cohortSentence(x))
		}
	}
	return out
}

// hasOrders reports whether a test has orders of its own to show.
func hasOrders(r *job.Report, t job.TestReport) bool {
	return len(t.MinimalOrder)+len(t.Polluters)+len(t.StateSetters) > 0 && !r.Joint(&t)
}

// boolOrder sorts false before true.
func boolOrder(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// state is what the cause leaves changed, from the first test for which values are known.
func (c *pageCause) state(tests []job.TestReport, w *wording) {
	for _, t := range tests {
		if len(t.State) == 0 {
			continue
		}
		c.Changes, c.State = nil, nil
		for _, place := range t.State {
			changes := below(t, place)
			if len(changes) == 0 {
				c.State = append(c.State, w.listed(place))
			}
			for _, x := range changes {
				path := x.Path
				if !strings.HasPrefix(path, place) {
					path = w.changed(x)
				}
				c.Changes = append(c.Changes, pageChange{path, x.Before, x.After})
			}
		}
		c.StateNote = stateNote(t)
		c.Changes = c.Changes[:min(len(c.Changes), maxPageChanges)]
		if len(c.Changes) > 0 {
			return
		}
	}
	if len(c.State) == 0 && c.cause.Location != "" {
		c.State, c.StateNote = []string{w.listed(c.cause.Location)}, "It leaves this changed. Whether that is the reason was not tried."
	}
}

// stateNote says what was proved of the state.
func stateNote(t job.TestReport) string {
	switch {
	case unfinished(t.State) && t.StateMatters:
		return "Confirmed: with only this waited for, the test passes."
	case unfinished(t.State):
		return "Not waited for. That it is what matters was not proved."
	case t.StateMatters && t.Verdict == suite.Brittle:
		return "Confirmed: with only this undone, the test fails again."
	case t.StateMatters:
		return "Confirmed: with only this restored, the test passes."
	case t.Verdict == suite.Brittle:
		return "Set by the state-setter, and read by the test. That it is what matters was not proved."
	}
	return "Left changed, and read by the test. That it is what matters was not proved."
}

// patches are the different best patches of the tests.
func (c *pageCause) patches(r *job.Report, tests []job.TestReport, w *wording) {
	var seen []string
	for _, t := range tests {
		b := r.Best(t.Test)
		if b == nil || slices.Contains(seen, b.RawDiff()) || len(seen) == maxPagePatches {
			continue
		}
		seen = append(seen, b.RawDiff())
		x := pagePatch{Proved: b.Proof.Proved, What: w.patchLine(*b), Why: b.Why, Diff: diffLines(b.Diff), Checks: onceEach(b.Proof.Checks)}
		for _, k := range b.Proof.Commands {
			x.Commands = append(x.Commands, pageCommand{k.What + exits(k.Exit), inFolder(k)})
		}
		c.Patches = append(c.Patches, x)
		c.Proved = c.Proved || x.Proved
	}
	if len(c.Patches) == 0 {
		c.NoPatch = w.noPatch(tests[0], nil, r.Finished)
		switch {
		case c.Role == job.NotKnown:
			c.NoPatch = ""
		case !c.Searched:
			c.NoPatch = NotSearched
		}
		words := []string{"odfix", "fix", "--test", string(tests[0].Test)}
		if m := r.Project.Module; m != "" && m != "." {
			words = append(words, "--module", m)
		}
		c.Commands = []pageCommand{{"Search for a patch", shell.Line(words...)}}
	}
}

// onceEach are the checks, each once, however many orders it was made in.
func onceEach(checks []job.Check) []job.Check {
	var out []job.Check
	for _, c := range checks {
		if !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}

// exits says which exit status confirms a command's claim, unless it is 0.
func exits(status int) string {
	switch {
	case status > 0:
		return fmt.Sprintf(" (exit status %d)", status)
	case status < 0:
		return " (any exit status but 0)"
	}
	return ""
}

// inFolder is a command with the change of folder that it needs.
func inFolder(c job.Command) string {
	if c.Dir == "." || c.Dir == "" {
		return c.Line
	}
	return "cd " + shell.Quote(c.Dir) + " && " + c.Line
}

// diffLines are the lines of a diff with their colours.
func diffLines(diff string) []pageLine {
	var out []pageLine
	for l := range strings.Lines(diff) {
		l = strings.TrimRight(l, "\n")
		kind := ""
		switch {
		case strings.HasPrefix(l, "diff --git "), strings.HasPrefix(l, "index "):
			continue
		case strings.HasPrefix(l, "--- "), strings.HasPrefix(l, "+++ "):
			kind = "file"
		case strings.HasPrefix(l, "@@"):
			kind = "hunk"
		case strings.HasPrefix(l, "+"):
			kind = "add"
		case strings.HasPrefix(l, "-"):
			kind = "del"
		}
		out = append(out, pageLine{kind, l})
	}
	return out
}

func newPageTest(r *job.Report, t job.TestReport, open bool) pageTest {
	out := pageTest{
		id: t.Test, ID: anchor("test", string(t.Test)), Name: string(t.Test), Short: r.Names.Short(t.Test), Open: open,
		Sentence: headline(t), Failure: failure(t.Failure), OrderNote: orderNote(t), Notes: t.Notes,
	}
	if t.Failure != nil {
		out.Stack = t.Failure.Stack
	}
	out.Order = cutSteps(t)
	for _, g := range []struct {
		label  string
		orders []suite.Order
	}{{"Polluters", t.Polluters}, {"State-setters", t.StateSetters}, {"Cleaners", cleaners(t)}} {
		if len(g.orders) > 0 {
			out.Groups = append(out.Groups, pageGroup{g.label, names(g.orders)})
		}
	}
	for _, k := range reproduction(t, r.Best(t.Test)) {
		out.Commands = append(out.Commands, pageCommand{"Reproduce: " + k.What + exits(k.Exit), inFolder(k)})
	}
	for _, f := range r.Detection.Finds {
		if f.Test == t.Test {
			out.FoundAfter = fmt.Sprintf("Found after %s, %s, %s.", count(f.Orders, "order"),
				count(f.Executions, "test execution"), Seconds(f.Seconds))
		}
	}
	return out
}

// cutSteps returns the minimal order. Of a long order, it returns the first tests and the last.
func cutSteps(t job.TestReport) []step {
	out := roles(t)
	if n := len(out); n > maxSteps {
		out = slices.Concat(out[:maxSteps-1], []step{{fmt.Sprintf("… %d more …", n-maxSteps), ""}}, out[n-1:])
	}
	return out
}
