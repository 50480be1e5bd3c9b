package templates

import (
	"fmt"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// How much of a detection is shown on a terminal; the files contain everything.
const (
	maxCauses = 12
	maxNames  = 6
	maxOthers = 5
)

// detected is a detection as its text shows it.
type detected struct {
	answer
	Headline  string
	Coverage  string
	Guarantee []string
	Exhausted bool
	But       string // for whom the guarantee does not hold
	Causes    []foundCause
	MoreFound int // causes that are not shown
	Others    []others
	Next      NextCommands
	Page      string
}

// foundCause is one cause: a row of the table.
type foundCause struct {
	By       string // the polluter
	More     int    // polluters
	Does     string // "Breaks 3"
	Tests    list
	State    list   // state that carries it
	Location string // state that may carry it, where State is empty
	Failure  string
	Patch    *patchView
	SameAs   string // the earlier cause whose patch fixes this one, too; Patch is empty then
	NoPatch  string // why there is no patch, where one was searched
	Notes    list
}

// others are tests with another verdict than order-dependent.
type others struct {
	Title string
	list
}

// Detect is the answer to `odfix detect`. Page is the path of its page; empty: there is none.
func Detect(r *job.Report, next NextCommands, page string, o Options) string {
	r = clean(r)
	if r.Detection == nil {
		return ""
	}
	d := r.Detection
	v := detected{
		answer: newAnswer(r, o), Headline: detectHeadline(r), Coverage: coverage(d), Guarantee: d.Guarantee, Exhausted: d.Exhausted,
		But: exceptions(d), Others: otherTests(r), Next: next, Page: page,
	}
	shown := map[string]string{} // the cause that shows a patch, by its diff
	for _, c := range oneUnknown(d.Causes) {
		if len(v.Causes) == maxCauses {
			v.MoreFound++
			continue
		}
		v.Causes = append(v.Causes, newFoundCause(r, c, shown))
	}
	return render("detect.txt.tmpl", v, o)
}

func detectHeadline(r *job.Report) string {
	d := r.Detection
	if len(d.Finds) == 0 {
		return "No order-dependent test was found in " + count(d.Orders, "order") + "."
	}
	s := count(len(d.Finds), "order-dependent test")
	known := 0
	for _, c := range d.Causes {
		if c.Role != job.NotKnown {
			known++
		}
	}
	if known > 0 {
		s += ", " + count(known, "cause")
	}
	proved, patches := 0, map[string]bool{}
	for _, t := range r.Tests {
		if p := r.Proved(t.Test); p != nil {
			proved++
			patches[p.RawDiff()] = true
		}
	}
	if proved > 0 {
		s += fmt.Sprintf(", %d with a proved patch", proved)
	}
	switch {
	case proved > 1 && len(patches) == 1:
		s += " (one patch)"
	case proved > 1:
		s += fmt.Sprintf(" (%d patches)", len(patches))
	}
	return s + "."
}

// Searched says in a sentence what a detection ran.
func Searched(r *job.Report) string {
	r = clean(r)
	if r.Detection == nil {
		return ""
	}
	return "odfix detect ran " + coverage(r.Detection) + "."
}

// coverage says what was run.
func coverage(d *job.Detection) string {
	s := count(d.Orders, "order")
	if d.OrdersAll > 0 {
		s = fmt.Sprintf("%d of %s", d.Orders, count(d.OrdersAll, "order"))
	}
	s += fmt.Sprintf(" (%s), %s", d.Technique, count(d.Executions, "test execution"))
	if d.PairsAll > 0 {
		s += fmt.Sprintf(", %s of all pairs of tests", percent(d.Pairs, d.PairsAll))
	}
	s += ", " + Seconds(d.Seconds)
	if d.Remembered > 0 {
		s += fmt.Sprintf("; %s taken over from before", count(d.Remembered, "run"))
	}
	return s
}

// exceptions says for which tests nothing is guaranteed, although every order was run.
func exceptions(d *job.Detection) string {
	if n := len(d.LeftOut) + len(d.Missing); n > 0 && d.Exhausted {
		return fmt.Sprintf("but for %s that could not run, listed above", count(n, "test"))
	}
	return ""
}

// percent does not call anything whole that is not.
func percent(part, of int) string {
	p := 100 * float64(part) / float64(of)
	if part < of && p > 99.9 {
		p = 99.9
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", p), ".0") + "%"
}

// oneUnknown puts the tests whose cause is not known into one entry, the last.
func oneUnknown(causes []job.Cause) []job.Cause {
	var out []job.Cause
	unknown := job.Cause{Role: job.NotKnown}
	for _, c := range causes {
		if c.Role == job.NotKnown {
			unknown.Tests = append(unknown.Tests, c.Tests...)
		} else {
			out = append(out, c)
		}
	}
	if len(unknown.Tests) > 0 {
		out = append(out, unknown)
	}
	return out
}

func newFoundCause(r *job.Report, c job.Cause, shown map[string]string) foundCause {
	w := wordingOf(r.Project.Language)
	out := foundCause{By: "Causes not found out yet", Does: fmt.Sprintf("Depend %d", len(c.Tests))}
	if len(c.By) > 0 {
		out.By, out.More = joined(c.By[0]), len(c.By)-1
		verb := "Breaks"
		if c.Role == job.StateSetter {
			verb = "Needed by"
		}
		out.Does = fmt.Sprintf("%s %d", verb, len(c.Tests))
	}
	var names []string
	for _, t := range c.Tests {
		names = append(names, string(t))
	}
	if out.Tests = capped(names, maxNames); c.Location != "" {
		out.Location = w.listed(c.Location) + " (left changed; whether it is the cause was not tried)"
	}
	for _, t := range r.Tests {
		if t.Test == c.Tests[0] {
			out.Failure, out.Notes = failure(t.Failure), capped(t.Notes, maxNotes)
		}
		p := r.Best(t.Test)
		if p == nil || out.Patch != nil || out.SameAs != "" || !slices.Contains(c.Tests, t.Test) {
			continue
		}
		// A cohort's patch is mostly not in the report of its first test.
		if out.SameAs = shown[p.RawDiff()]; out.SameAs == "" {
			out.Patch = newPatch(*p, w)
			shown[p.RawDiff()] = out.By
		}
	}
	out.describe(r, c, w)
	return out
}

// describe adds the state through which the cause affects its tests, with what was proved of it if it is the same
// for all, and why a test has no patch.
func (f *foundCause) describe(r *job.Report, c job.Cause, w *wording) {
	var lines []string
	var without []*job.TestReport
	first, same := (*job.TestReport)(nil), true
	for i := range r.Tests {
		t := &r.Tests[i]
		if !slices.Contains(c.Tests, t.Test) {
			continue
		}
		if first == nil {
			first = t
		}
		same = same && t.StateMatters == first.StateMatters && slices.Equal(t.State, first.State)
		if len(t.State) > 0 {
			lines = suite.AppendNew(lines, w.stateLines(*t)...)
		}
		if r.Best(t.Test) == nil && (t.Unpatched != "" || len(t.NoReset) > 0) {
			without = append(without, t)
		}
	}
	if len(without) > 0 {
		f.NoPatch = w.noPatch(*without[0], nil, r.Finished)
	}
	switch n := len(without); {
	case n == 0 || f.Patch == nil && f.SameAs == "":
	case n == 1:
		f.NoPatch = string(without[0].Test) + " has " + f.NoPatch
	default:
		f.NoPatch = fmt.Sprintf("%s and %d more have %s", without[0].Test, n-1, f.NoPatch)
	}
	switch {
	case len(lines) == 0:
		return
	case same:
		f.State = stateList(*first, w)
	default:
		f.State = capped(lines, maxGroups)
	}
	f.Location = ""
}

// otherTests are the lists below the table.
func otherTests(r *job.Report) []others {
	var out []others
	for _, o := range otherLists(r) {
		out = append(out, others{fmt.Sprintf("%s (%d)", o.Title, len(o.Items)), capped(o.Items, maxOthers)})
	}
	return out
}

// maxOtherFailure is how long a failure is that is listed with its test, in characters.
const maxOtherFailure = 160

type otherList struct {
	Title string
	Items []string
}

// otherLists are the tests with other verdicts than order-dependent.
func otherLists(r *job.Report) []otherList {
	var out []otherList
	add := func(title string, items []string) {
		if len(items) > 0 {
			out = append(out, otherList{title, items})
		}
	}
	verdict := func(v suite.Verdict) (items []string) {
		for _, t := range r.Tests {
			if t.Verdict == v {
				item := fmt.Sprintf("%s: %s", t.Test, t.Reason)
				if f := failure(t.Failure); f != "" {
					item += ": " + cut(f, maxOtherFailure)
				}
				items = append(items, item)
			}
		}
		return items
	}
	unsure := func(of []job.Unsure) (items []string) {
		for _, u := range of {
			items = append(items, fmt.Sprintf("%s: %s", u.Test, u.Why))
		}
		return items
	}
	add("Flaky in one and the same order", verdict(suite.FlakyOther))
	add("Fail in every order: not a matter of order", verdict(suite.Genuine))
	add("Not certain", unsure(r.Detection.Undecided))
	add("Left out", unsure(r.Detection.LeftOut))
	var gone []string
	for _, t := range r.Detection.Missing {
		gone = append(gone, string(t))
	}
	add("Not there when they were to run", gone)
	return out
}
