package templates

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// Check is what a check run shows of a report.
type Check struct {
	Report *job.Report
	Causes []CheckCause
	Commit string // that was tested
	Head   string // of the pull request, if Commit is the merge of it; empty: Commit is the head
	Of     string // what Commit belongs to, where there is no pull request, such as "your checkout"
	Notes  []string
	// LeftOut is how many of the causes get no comment, since one pull request gets no more.
	LeftOut int
	// HelpURL and Claimed are as in Cause.
	HelpURL string
	Claimed bool
}

// CheckCause is one cause with its suggestion.
type CheckCause struct {
	Cause
	Whole string // the diff as far as it may be shown
	More  int    // lines of it that are not
}

// maxTitle is how many characters of a title people see.
const maxTitle = 140

// CheckTitle is one line without Markdown.
func CheckTitle(c Check) string {
	s := Harmless(checkTitle(c), false)
	if utf8.RuneCountInString(s) > maxTitle {
		s = string([]rune(s)[:maxTitle-1]) + "…"
	}
	return s
}

// fixed counts the order-dependent tests that the proved changes fix.
func (c Check) fixed(dependent int) string {
	shown := slices.ContainsFunc(c.Causes, func(k CheckCause) bool { return len(k.Patch) > 0 })
	n, repaired := 0, c.Report.Repaired()
	for _, t := range c.Report.Tests {
		if t.Verdict.OrderDependent() && repaired[t.Test] {
			n++
		}
	}
	change := "proved change"
	if c.Claimed {
		change = "change"
	}
	switch {
	case !shown || n == 0:
		return "no " + change
	case n == dependent:
		return "a " + change + " for all"
	}
	return fmt.Sprintf("a %s for %d of the tests", change, n)
}

// errorTitles say what prevented a job, by the error's code. The runner's own words are in the summary.
var errorTitles = map[string]string{
	"budget":       "the time ended",
	"build-broken": "the project does not build",
	"disk-full":    "the disk is full",
	"no-network":   "the network cannot be reached",
	"no-pom":       "there is no pom.xml",
	"no-such-test": "the failing test was not found",
	"no-tests":     "no test can run",
	"runner-died":  "the runner ended early",
	"stopped":      "the job was stopped",
}

func checkTitle(c Check) string {
	r := c.Report
	if r.Error != nil {
		if what := errorTitles[r.Error.Code]; what != "" {
			return "odfix could not find out: " + what
		}
		return "odfix could not find out"
	}
	by := verdicts(r)
	dependent := len(by[suite.Victim]) + len(by[suite.Brittle]) + len(by[suite.VictimBrittle])
	switch {
	case len(r.Tests) == 0:
		return "Nothing to look into"
	case dependent == 1 && len(r.Tests) == 1:
		return "Order-dependent: " + asName(r.Names.Short(r.Tests[0].Test)) + " " + lowered(r.Names, r.Tests[0])
	case dependent > 0:
		return fmt.Sprintf("%s, %s; %s", count(dependent, "order-dependent test"), count(len(c.Causes), "cause"), c.fixed(dependent))
	case len(by[suite.Genuine]) == len(r.Tests):
		return "Not order-dependent: " + plural(len(r.Tests), "the test fails", "the tests fail") + " in every order that was tried"
	case len(by[suite.Regression]) == len(r.Tests):
		return "Not order-dependent: the change makes " + plural(len(r.Tests), "the test", "the tests") + " fail"
	case len(by[suite.FlakyOther]) == len(r.Tests):
		return "Flaky, but not because of the order of tests"
	case len(by[suite.NotReproduced]) == len(r.Tests):
		return "Not reproduced: " + plural(len(r.Tests), "the test passed", "the tests passed") + " in every order tried"
	case len(by[suite.Undecided]) == len(r.Tests):
		return "No certain answer"
	}
	return "No order-dependent test: " + tally(r)
}

// lowered is what a lone order-dependent test does, in few words.
func lowered(n job.Names, t job.TestReport) string {
	short := namer(n, t.MinimalOrder, []job.TestReport{t}, t.Polluters, t.StateSetters)
	name := func(t suite.TestID) string { return asName(short(t)) }
	if t.Verdict == suite.Victim && len(t.Polluters) > 0 {
		return "fails after " + strings.Join(named(t.Polluters, name), " + ")
	}
	if len(t.StateSetters) > 0 {
		return "needs " + strings.Join(named(t.StateSetters, name), " + ")
	}
	return "depends on the tests before it"
}

func plural(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}

func verdicts(r *job.Report) map[suite.Verdict][]job.TestReport {
	out := map[suite.Verdict][]job.TestReport{}
	for _, t := range r.Tests {
		out[t.Verdict] = append(out[t.Verdict], t)
	}
	return out
}

func tally(r *job.Report) string {
	by := verdicts(r)
	var out []string
	for _, a := range adjectives {
		if n := len(by[a.verdict]); n > 0 {
			out = append(out, fmt.Sprintf("%d %s", n, a.words))
		}
	}
	return strings.Join(out, ", ")
}

// CheckSummary is the check run's summary, in Markdown.
func CheckSummary(c Check) string { return md("summary.md.tmpl", newOverview(c)) }

// CheckSections are the parts of the check run's text, in Markdown, the most
// important first; the code that posts them leaves out what does not fit.
func CheckSections(c Check) []string {
	var out []string
	for _, k := range c.Causes {
		out = append(out, md("cause.md.tmpl", newCauseView(k)))
	}
	for _, t := range c.Report.Tests {
		if !t.Verdict.OrderDependent() {
			out = append(out, md("test.md.tmpl", newTestView(c.Report.Names, t)))
		}
	}
	return append(out, md("about.md.tmpl", newOverview(c)))
}

// overview is a report as the summary sees it.
type overview struct {
	Check
	Lines     []string    // of the causes
	MoreLines int         // that do not fit
	Tests     []otherTest // those that are not order-dependent
	MoreTests int
	Cost      string
	About     []string // notes of the report
}

// otherTest is a test that is not order-dependent, in a sentence: its name, its reason, and what
// follows from that.
type otherTest struct {
	Name   string
	Names  job.Names
	Reason string
	Then   string
}

func newOverview(c Check) overview {
	o := overview{Check: c, About: c.Report.Notes[:min(len(c.Report.Notes), maxListed)]}
	if r := c.Report; r.Cost.Total > 0 {
		o.Cost = fmt.Sprintf("odfix ran %s of tests in %s.", countOrders(r.Cost), Seconds(r.Cost.Total))
	}
	size := 0
	for i, k := range c.Causes {
		line := md("cause line", newRemark(k.Cause))
		if size += len(line); size > maxLines {
			o.MoreLines = len(c.Causes) - i
			break
		}
		o.Lines = append(o.Lines, line)
	}
	by := verdicts(c.Report)
	for _, a := range adjectives {
		name := namer(c.Report.Names, nil, by[a.verdict])
		for _, t := range by[a.verdict] {
			if a.verdict.OrderDependent() {
				continue
			}
			if len(o.Tests) == maxOtherTests {
				o.MoreTests++
				continue
			}
			reason := strings.TrimSuffix(cmp.Or(t.Reason, "has no certain result"), ".")
			o.Tests = append(o.Tests, otherTest{name(t.Test), about(c.Report.Names, t), reason, consequences[t.Verdict]})
		}
	}
	return o
}

// maxLines bounds the lines about causes in the summary, in bytes, so that the rest of it fits, too.
const maxLines = 30000

// maxOtherTests is how many tests that are not order-dependent the summary names.
const maxOtherTests = 20

// countOrders counts the orders that a result took.
func countOrders(c job.Cost) string {
	n := 0
	for _, k := range c.Questions {
		n += k
	}
	return count(n, "order")
}

// causeView is a cause in the check run's text: everything that is known.
type causeView struct {
	remark
	Whole  string
	More   int
	Checks []job.Check
	Tried  []tried
	Notes  []string
}

// tried is an order that was run, in words.
type tried struct {
	Why, Order, Outcome, Times string
}

func newCauseView(k CheckCause) causeView {
	t := k.Tests[0]
	v := causeView{remark: newRemark(k.Cause), Whole: k.Whole, More: k.More, Notes: t.Notes, Tried: triedOf(k.Names, t)}
	v.Notes = v.Notes[:min(len(v.Notes), maxListed)]
	for _, p := range k.Patch {
		for _, c := range p.Proof.Checks {
			if len(v.Checks) < 3*maxListed && !slices.Contains(v.Checks, c) {
				v.Checks = append(v.Checks, c)
			}
		}
	}
	return v
}

// testView is a test that is not order-dependent.
type testView struct {
	Names                                       job.Names
	Test, Verdict, Reason, Failure, Stack, Seen string
	Tried                                       []tried
	Notes                                       []string
}

func newTestView(n job.Names, t job.TestReport) testView {
	v := testView{Names: about(n, t), Test: string(t.Test), Verdict: string(t.Verdict), Reason: strings.TrimSuffix(t.Reason, "."),
		Failure: failure(cleaned(t.Failure)), Tried: triedOf(n, t), Notes: t.Notes[:min(len(t.Notes), maxListed)], Seen: seen(t)}
	for _, a := range adjectives {
		if a.verdict == t.Verdict {
			v.Verdict = verdictTitles[t.Verdict]
		}
	}
	if t.Failure != nil {
		v.Stack = excerpt(t.Failure.Stack)
	}
	return v
}

func seen(t job.TestReport) string {
	if t.FailingOrder == nil {
		return ""
	}
	if t.FailingOrder.Source == "" {
		return fmt.Sprintf("%s (%s)", sourceOf(t.FailingOrder), count(len(t.FailingOrder.Order), "test"))
	}
	return fmt.Sprintf("%s (%s; %s)", t.FailingOrder.Source, count(len(t.FailingOrder.Order), "test"), known[t.FailingOrder.Provenance])
}

// sourceOf says where an order comes from. What only a runner says of that is not shown.
func sourceOf(s *suite.Seen) string { return cmp.Or(s.Source, "an order that odfix ran") }

// known says how much of an order is known.
var known = map[suite.Provenance]string{
	suite.Exact: "their order is known exactly", suite.Partial: "their order is known in part", suite.Inferred: "their order is inferred",
}

// maxListed is how many notes are shown.
const maxListed = 10

// maxTried is how many orders are listed.
const maxTried = 12

func triedOf(n job.Names, t job.TestReport) []tried {
	var out []tried
	for _, a := range t.Evidence[:min(len(t.Evidence), maxTried)] {
		var ids []string
		for _, id := range job.Ends(a.Order) {
			ids = append(ids, n.Short(id))
		}
		if more := len(a.Order) - len(ids); more > 0 {
			ids = slices.Insert(ids, 2, fmt.Sprintf("… %d more …", more))
		}
		why := strings.Replace(a.Why, "minimal order: "+string(a.Outcome), "the shortest order", 1)
		why = strings.Replace(why, "with a cleaner between", "with a test between that restores the state", 1)
		out = append(out, tried{Why: cmp.Or(why, "tried"), Order: strings.Join(ids, ", "),
			Outcome: outcomes[a.Outcome], Times: repeated(a)})
	}
	return out
}

// outcomes are the words for outcomes of orders that were run.
var outcomes = map[suite.Outcome]string{
	suite.Pass: "passes", suite.Fail: "fails", suite.Skip: "is skipped", suite.Flaky: "sometimes passes and sometimes fails",
	suite.Unresolved: "has no result",
}

// repeated says how often an order that was run had its outcome.
func repeated(a suite.Answer) string {
	switch {
	case a.Repeats < 2:
		return ""
	case a.Outcome == suite.Flaky:
		return fmt.Sprintf("%d runs", a.Repeats)
	}
	return fmt.Sprintf("%d of %d runs", a.Repeats, a.Repeats)
}

// OtherBody is the text of a comment on tests that are not order-dependent.
func OtherBody(n job.Names, tests []job.TestReport, checkURL, helpURL string) string {
	name := namer(n, nil, tests)
	var names []string
	for _, t := range tests {
		names = append(names, name(t.Test))
	}
	return md("other.md.tmpl", struct {
		Kind     suite.Verdict
		Tests    []string
		Plural   bool
		Reason   string
		CheckURL string
		HelpURL  string
	}{tests[0].Verdict, names, len(tests) > 1, strings.TrimSuffix(tests[0].Reason, "."), checkURL, helpURL})
}

// FixTitle is the title of a pull request with the change.
func FixTitle(c Cause) string {
	r := newRemark(c)
	title := "Make " + inert(asName(r.Victims[0])) + " independent of the order of tests"
	if n := len(r.Victims); n > 1 {
		title = fmt.Sprintf("Make %s independent of their order", count(n, "test"))
	}
	return clip(title, maxTitle)
}
