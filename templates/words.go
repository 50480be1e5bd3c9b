package templates

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

func headline(t job.TestReport) string {
	form, ok := sentences[t.Verdict]
	if !ok {
		form = "%s: " + string(t.Verdict) + ": it %s."
	}
	reason := strings.TrimSuffix(t.Reason, ".")
	return fmt.Sprintf(form, t.Test, cmp.Or(reason, "is "+string(t.Verdict)))
}

// shownBy counts the tests of one cause that have a shortest order of their own, and those that
// share orders; "" where none share any.
func shownBy(c cause) string {
	own := len(c.tests) - c.joint
	if c.joint == 0 || own == 0 {
		return ""
	}
	by := "1 by a shortest order of its own"
	if own > 1 {
		by = fmt.Sprintf("%d by shortest orders of their own", own)
	}
	return fmt.Sprintf("%s, %d by orders that they share: each fails after the polluter in two that run them in "+
		"opposite directions, and passes in the same two without it (cohorts in report.json)", by, c.joint)
}

func failure(f *suite.Failure) string {
	if f == nil {
		return ""
	}
	first := firstLine(f.Message)
	kind := f.Type[strings.LastIndexByte(f.Type, '.')+1:]
	switch {
	case assertion.MatchString(kind) && first == "":
		return "an assertion failed"
	case assertion.MatchString(kind) && strings.HasPrefix(first, "Expected ") && strings.Contains(first, " but "):
		return first
	case assertion.MatchString(kind):
		return first + expectation(f.Message)
	case kind == "" || first == "":
		return kind + first
	}
	return kind + ": " + first
}

// firstLine is the first line of a message that says anything, since some libraries begin with an empty
// one. It goes on with the next line after a colon, a comma or an open bracket, and with what was found
// instead. AssertJ's messages say what was expected in their last lines.
func firstLine(message string) string {
	var out string
	for line := range strings.SplitSeq(message, `\n`) { // line breaks are escaped by now
		line = strings.TrimSpace(line)
		open := strings.HasSuffix(out, ":") || strings.HasSuffix(out, ",") || strings.Count(out, "<") > strings.Count(out, ">")
		more := out == "" || open || strings.HasPrefix(line, "but was") || strings.HasPrefix(out, "Expecting")
		switch {
		case line == "":
			continue
		case more && len(out) > mostOfMessage:
			return out + " …"
		case !more:
			return out
		}
		out = strings.TrimSpace(out + " " + line)
	}
	return out
}

// mostOfMessage is how long the lines of a message are that are joined.
const mostOfMessage = 200

// assertion is what libraries call the error of an assertion. Its message says more than its name.
var assertion = regexp.MustCompile(`^\w*(Assertion(Failed)?Error|ComparisonFailure|MultipleFailuresError)$`)

// expectation is what was expected and received, where Jest says so in a line each.
func expectation(message string) string {
	var out []string
	for line := range strings.SplitSeq(message, `\n`) {
		if strings.HasPrefix(line, "Expected") || strings.HasPrefix(line, "Received") {
			out = append(out, strings.Join(strings.Fields(line), " "))
		}
	}
	if len(out) == 0 || len(out) > 2 {
		return ""
	}
	return " (" + strings.Join(out, ", ") + ")"
}

// orderNote names the order that the minimal order is a part of.
func orderNote(t job.TestReport) string {
	seen, what := t.FailingOrder, "fail"
	if t.Verdict == suite.Brittle || t.Verdict == suite.VictimBrittle {
		seen, what = t.PassingOrder, "pass"
	}
	if seen == nil || len(seen.Order) <= len(t.MinimalOrder) {
		return ""
	}
	return fmt.Sprintf("the shortest part of the %s in which it was seen to %s (%s)", count(len(seen.Order), "test"), what, sourceOf(seen))
}

// patchLine describes the patch in a line.
func (w *wording) patchLine(p job.Patch) string {
	s := "a change"
	if n := len(p.Statements); n > 0 {
		s = count(n, "statement")
		if kept := p.Made.Kept(); kept > 0 && (w.variables || kept < n) {
			if !w.variables { // a class's fields are among its statements
				n -= kept
			}
			s = count(n, "statement") + " with " + count(kept, w.holder()) + " for the former " + plural(kept, "value", "values")
		}
	}
	if p.Made != nil && len(p.Made.Unshare) > 0 {
		s = w.unsharing(p)
	}
	if p.Made != nil && len(p.Made.Annotate) > 0 {
		s = count(len(p.Made.Annotate), "annotation") + " of the polluter"
		if !p.Made.RenewsContext() {
			s += "'s " + w.group
		}
	}
	if where := w.places[p.Location]; where != "" {
		s += " " + where
	}
	if len(p.Helper) > 0 {
		s += ", learned from " + joined(p.Helper)
	}
	if p.Made != nil && len(p.Made.Unshare) == 0 {
		s += ", " + w.restores(p.Made.Resets) + by[p.Kind]
	}
	if n := len(p.Fixes); n > 1 {
		s += fmt.Sprintf(", fixes %d tests", n)
	}
	return s
}

// holder returns the noun for what holds a former value.
func (w *wording) holder() string {
	if w.variables {
		return "variable"
	}
	return "field"
}

// restores says what a patch without a helper does to state.
func (w *wording) restores(place string) string {
	verb := "to restore "
	switch {
	case strings.HasPrefix(place, job.LeftFile):
		verb = "to remove "
	case strings.HasPrefix(place, state.LeftOpen):
		verb = "to close "
	case strings.HasPrefix(place, state.Unfinished):
		verb = "to wait for "
	}
	return verb + w.state(place)
}

// by names the way in which a kind of patch restores state, where that is unusual.
var by = map[string]string{job.FromReflection: " by reflection"}

// unsharing describes a patch that makes shared fields fields of each test.
func (w *wording) unsharing(p job.Patch) string {
	if at, ok := strings.CutSuffix(p.Made.Unshare[0], patch.BlockSetUp); ok {
		file, line, _ := strings.Cut(at[strings.LastIndexByte(at, '/')+1:], ":")
		line, _, _ = strings.Cut(line, ",")
		return "what line " + line + " of " + file + " sets up for all tests is set up for each"
	}
	if at, ok := strings.CutSuffix(p.Made.Unshare[0], patch.BlockVariable); ok {
		file, line, _ := strings.Cut(at[strings.LastIndexByte(at, '/')+1:], ":")
		s := "what line " + line + " of " + file + " makes once"
		if n := len(p.Made.Unshare); n > 1 {
			s = "what " + count(n, "declaration") + " of " + file + " make once"
		}
		return s + " is made for each test"
	}
	if class, ok := strings.CutSuffix(p.Made.Unshare[0], patch.ClassSetUp); ok {
		return "what " + class[strings.LastIndex(class, ".")+1:] + " sets up for all its tests is set up for each"
	}
	s := w.state(strings.Join(p.Made.Unshare, ", ")) + " made a field of each test"
	if n := len(p.Made.Unshare); n > 1 {
		s = w.state(strings.Join(p.Made.Unshare, ", ")) + " made fields of each test"
	}
	if n := len(p.Statements) - len(p.Made.Unshare); n > 0 {
		s += ", with " + count(n, "declaration") + " that " + plural(n, "uses", "use") + " what was shared"
	}
	return s
}

// NotSearched says why a detection without --fix has no patch.
const NotSearched = "no patch was searched for (odfix detect --fix searches for one)"

// noPatch says why there is no patch where one could be expected.
func (w *wording) noPatch(t job.TestReport, p *job.Patch, finished bool) string {
	switch {
	case p != nil:
		return ""
	case unfinished(t.State) && notWaiting[t.Unpatched]:
		return "none: no way was found to make the polluter wait such that all tests pass; other code than the test's own may begin it"
	case len(t.NoReset) > 0:
		return "none: " + w.missing(t) + reflectable(t, "odfix fix --technique reflection")
	case unpatched[t.Unpatched] != "":
		return "none: " + unpatched[t.Unpatched]
	case !finished:
		return "none so far"
	case len(t.Notes) > 0:
		return "none" // the notes say why
	case len(t.Cleaners) == 0 && len(t.StateSetters) == 0:
		return "none: no test was found that could serve as a helper, from whose statements a patch is made"
	}
	return "none of the helpers' statements made a patch that could be proved"
}

// unpatched says why there is no patch, and what would help.
var unpatched = map[job.Unpatched]string{
	job.NoTimeForCause:  "the time ended before the cause was confirmed (--budget gives more)",
	job.NoTimeForSearch: "the time ended before all statements that may restore the state were tried (--budget gives more)",
	job.NoTimeForProof:  "one was found, and the time ended before it was proved (--budget gives more)",
	job.ProofFailed:     "one was found, and it fails in other orders; perhaps another test changes the state, too, or needs it as it is",
	job.ProofBuild:      "one was found, and the project's own build refuses it",
	job.ProofWorse: "one was found, and other tests get worse with it, or the setup or teardown of a class; perhaps they need the " +
		"state as it is",
	job.ProofCheck:      "one was found, and a check of its proof does not hold",
	job.CauseUnknown:    "it is not known which test changes the state; an order in which the test was seen to fail may show it (--order)",
	job.StateUnknown:    "no test restores the state, and odfix does not see which state it is; if you know a method that resets it, let a test call that method, and run odfix again",
	job.NothingRestores: "no test restores the state, and no method that odfix tried does either; a method that resets it would be enough",
	job.ClassInitialiser: "a static initialiser keeps what it found, and nothing that a test can call runs it again; a class that reads the " +
		"value each time, instead of keeping it, would be enough",
	job.HelperUnusable: "the statements of the tests that restore the state do not restore it elsewhere; a method that resets it would be enough",
	job.NoSources:      "the sources of the tests cannot be edited",
}

// notWaiting are reasons that speak of a reset, which does not help where a test does not wait.
var notWaiting = map[job.Unpatched]bool{job.NothingRestores: true, job.HelperUnusable: true, job.StateUnknown: true}

// summary counts verdicts and patches over a report.
func summary(r *job.Report, causes int) string {
	var dependent, proved, undecided int
	failing, passing := r.Split()
	for _, t := range failing {
		if t.Verdict == suite.Undecided {
			undecided++
		}
		if t.Verdict.OrderDependent() {
			dependent++
		}
		if r.Proved(t.Test) != nil {
			proved++
		}
	}
	known := ", " + count(causes, "cause")
	if causes == 0 {
		known = ""
	}
	if len(passing) == 0 {
		return fmt.Sprintf("%s%s: %d order-dependent, %d with a proved patch%s.",
			count(len(failing), "failing test"), known, dependent, proved, undecidedToo(undecided))
	}
	if undecided > 0 {
		return fmt.Sprintf("%s, %d of which %s here%s: %d order-dependent, %d with a proved patch%s.", count(len(r.Tests), "named test"),
			len(passing), plural(len(passing), "passes", "pass"), known, dependent, proved, undecidedToo(undecided))
	}
	s := fmt.Sprintf("%d of %s %s; ", len(failing), count(len(r.Tests), "named test"), plural(len(failing), "fails", "fail"))
	switch {
	case proved < len(failing):
		return s + fmt.Sprintf("%s: %d order-dependent, %d with a proved patch.", count(causes, "cause"), dependent, proved)
	case causes == 1:
		return s + "a patch is proved."
	}
	return s + "a patch is proved for each."
}

// undecidedToo ends a list of counts; "" for none.
func undecidedToo(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d undecided", n)
}

// costLine says what the answer took.
func costLine(c job.Cost) string {
	if c.Total == 0 {
		return "" // a report of another tool: nothing is known
	}
	asked := 0
	for _, n := range c.Questions {
		asked += n
	}
	var prices []string
	for _, p := range []suite.Price{suite.Fresh, suite.Warm, suite.Batched} {
		if n := c.Questions[p]; n > 0 {
			prices = append(prices, fmt.Sprintf("%d %s", n, p))
		}
	}
	s := fmt.Sprintf("%s (%s) in %s", count(asked, "order run"), strings.Join(prices, ", "), Seconds(c.Total))
	if len(prices) < 2 {
		s = fmt.Sprintf("%s in %s", count(asked, "order run"), Seconds(c.Total))
	}
	if c.FirstPatch > 0 {
		s += " (first patch proved after " + Seconds(c.FirstPatch) + ")"
	}
	var phases []string
	for _, p := range slices.SortedFunc(maps.Keys(c.Seconds), byPhase) {
		if c.Seconds[p] >= 0.05 {
			phases = append(phases, p+" "+Seconds(c.Seconds[p]))
		}
	}
	if len(phases) > 0 {
		s += ": " + strings.Join(phases, ", ")
	}
	return s
}

// byPhase puts phases into the order of work, unknown ones last.
func byPhase(a, b string) int {
	at := func(p string) int {
		if i := slices.Index(job.Phases, p); i >= 0 {
			return i
		}
		return len(job.Phases)
	}
	return cmp.Or(cmp.Compare(at(a), at(b)), strings.Compare(a, b))
}

// Seconds is a duration for people: "0.4s", "12s", "3m5s".
func Seconds(s float64) string {
	d := time.Duration(s * float64(time.Second))
	switch {
	case s < 9.95:
		return fmt.Sprintf("%.1fs", s)
	case s < 119.5:
		return fmt.Sprintf("%.0fs", s)
	}
	d = d.Round(time.Second)
	return fmt.Sprintf("%dm%ds", int(d.Minutes()), int(d.Seconds())%60)
}

// count is "1 test", "2 tests"; "order run" becomes "orders run".
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if first, rest, ok := strings.Cut(what, " "); ok && rest == "run" {
		return fmt.Sprintf("%d %ss %s", n, first, rest)
	}
	return fmt.Sprintf("%d %ss", n, what)
}
