package templates

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// Cause is what a comment says: why tests fail, and the change that fixes it.
// The caller decides about the change and its form; the words are ours.
type Cause struct {
	Language string // of the tests, as in job.Project
	Names    job.Names
	Tests    []job.TestReport // that fail; the first is shown in detail
	Rest     []suite.TestID   // of the same cause, which the change does not fix
	Patch    []*job.Patch     // what is suggested; none: there is nothing to suggest
	None     string           // why there is no patch, where more can be said than the report does
	Short    bool             // the tone
	// Together says of several patches what is proved as one, too, as a part of a sentence; "":
	// nothing.
	Together string

	// Claimed: only a run of the pull request's own code made the report and the checks of the change.
	Claimed bool

	// Setting is a setting of the test runner that fixes the tests, too; "" if there is none.
	Setting string
	// Other is the next best patch that is proved to fix all of the tests; nil: there is none.
	Other *job.Patch

	Suggestion string  // a block that GitHub offers as a change; already Markdown
	Part, Of   int     // which of several suggestions this is
	Instead    *Reason // why the change is no suggestion
	Diff       string  // the change, for reading
	DiffCut    int     // lines of the diff that are not shown
	Apply      string  // a command that applies it, pasted; empty: too long
	Before     string  // what has to be done before the change can be applied
	CheckURL   string
	HelpURL    string // of the page that explains odfix; empty: HelpPage
	Commands   bool   // the App answers commands in comments
	Stacked    bool   // this is the text of a pull request with the change
}

// Reason is why something cannot be, and about which file.
type Reason struct{ Path, Why string }

// CommentBody is the text of a comment, without a marker.
func CommentBody(c Cause) string { return md("comment.md.tmpl", newRemark(c)) }

// PartBody is the text of the second and further suggestions of a review.
func PartBody(c Cause) string { return md("part.md.tmpl", newRemark(c)) }

// remark is a cause as the templates see it.
type remark struct {
	Cause
	Kind      suite.Verdict
	Victims   []string // short where that is clear
	Also      []string // tests that the change fixes, too, and that depend on other tests
	Plural    bool
	By        []string // polluters
	Needs     []string // state-setters
	State     []string // by which these affect the tests
	Begun     bool     // State is what these begin and do not wait for
	Was       string   // what became of State, where that can be said in a few words
	Order     []step
	Passes    bool // Order passes; alone the test fails
	Failure   string
	Joint     bool // some of the tests only share the orders of a cohort
	Matters   bool // State is proved to be what matters
	Cleaner   string
	Seen      string
	From      []string // tests whose statements the change has
	SetUpEach bool     // what was set up once for all tests is set up for each
	Unshared  bool     // what was shared becomes of each instance; Lines are the declarations
	Lines     []string // the statements of the change
	Where     string   // the place of the statements; already Markdown
	Chosen    string
	Proof     string
	Plain     bool // Apply shows the change as it is, so that Diff need not
	Long      bool // the change is folded
	OtherDiff string
	OtherWhy  string
	Ignore    string // a test that a command can name; already Markdown
	Reproduce *job.Command
	NoPatch   string
	Does      string // what Setting does
}

func newRemark(c Cause) remark {
	t := c.Tests[0]
	r := remark{Cause: c, Kind: t.Verdict, Failure: failure(cleaned(t.Failure))}
	name := namer(c.Names, t.MinimalOrder, c.Tests, t.Polluters, t.StateSetters)
	for _, v := range c.Tests {
		if alike(t, v) {
			r.Victims = append(r.Victims, name(v.Test))
		} else {
			r.Also = append(r.Also, name(v.Test))
		}
	}
	r.Plural = len(r.Victims) > 1
	r.Joint = slices.ContainsFunc(c.Tests, func(v job.TestReport) bool { return len(v.MinimalOrder) == 0 })
	r.By, r.Needs = named(t.Polluters, name), named(t.StateSetters, name)
	r.Matters = !slices.ContainsFunc(c.Tests, func(v job.TestReport) bool { return !v.StateMatters || !slices.Equal(v.State, t.State) })
	r.State, r.Was = r.words().statePaths(t)
	r.Begun = unfinished(t.State)
	r.Order, r.Seen = orderSteps(t), seen(t)
	r.Passes = len(r.Order) > 0 && r.Order[len(r.Order)-1].Role == passesHere
	if len(t.Cleaners) > 0 {
		r.Cleaner = strings.Join(named([]suite.Order{t.Cleaners[0].Cleaner}, name), " + ")
	}
	how := "proved"
	if c.Claimed {
		how = "checked"
	}
	r.Does = alternative(c.Setting, len(c.Tests), how)
	if len(c.Patch) > 0 {
		r.change(c.Patch, name)
	} else {
		r.NoPatch = cmp.Or(c.None, r.words().withoutPatch(t))
	}
	r.Plain, r.Long = strings.HasPrefix(c.Apply, "git apply "), strings.Count(c.Apply, "\n") > maxUnfolded || c.Short
	if c.Other != nil {
		r.OtherDiff, r.OtherWhy = excerpt(c.Other.Diff), strings.TrimSuffix(c.Other.Why, ".")
	}
	if id := Harmless(string(t.Test), false); !strings.Contains(id, "`") && len(id) <= maxSpan {
		r.Ignore = id
	}
	for _, v := range c.Tests {
		if len(v.Reproduce) > 0 && len(v.Reproduce[0].Line) <= maxBlock && r.Reproduce == nil {
			r.Reproduce = &v.Reproduce[0]
		}
	}
	return r
}

// alike reports whether what is said of the first test holds for the other one, too: they have one
// verdict, and the polluter and state-setter that are shown.
func alike(first, other job.TestReport) bool {
	has := func(all, shown []suite.Order) bool {
		return len(shown) == 0 || slices.ContainsFunc(all, func(o suite.Order) bool { return slices.Equal(o, shown[0]) })
	}
	return other.Verdict == first.Verdict && has(other.Polluters, first.Polluters) && has(other.StateSetters, first.StateSetters)
}

// maxUnfolded is how many lines of a change are shown before it is folded.
const maxUnfolded = 60

func (c Cause) words() *wording { return wordingOf(c.Language) }

// shortPlace is a field with its class's simple name.
func shortPlace(p string) string {
	parts := strings.Split(p, ".")
	return strings.Join(parts[max(0, len(parts)-2):], ".")
}

// change describes the patches and their proof.
func (r *remark) change(patches []*job.Patch, name func(suite.TestID) string) {
	r.Unshared, r.SetUpEach = true, true
	for _, p := range patches {
		r.SetUpEach = r.SetUpEach && p.Made.SetsUpEach()
		r.Unshared = r.Unshared && p.Made != nil && len(p.Made.Unshare) > 0
		for _, s := range p.Statements {
			if s = strings.Join(strings.Fields(s), " "); !slices.Contains(r.Lines, s) {
				r.Lines = append(r.Lines, s)
			}
		}
	}
	if p := patches[0]; len(patches) == 1 {
		r.Where, r.From = r.where(p, name), named([]suite.Order{p.Helper}, name)
		r.Chosen = strings.TrimSuffix(p.Why, ".")
	}
	r.Proof = proofLine(r.Tests[0], patches, r.Together)
}

// where says where the statements of a patch are, such as "after each test of `ShopTest`".
func (r *remark) where(p *job.Patch, name func(suite.TestID) string) string {
	at := p.At
	switch of := r.Tests[0]; {
	case at != "":
	case p.Location.AtVictim():
		at = of.Test
	case len(of.Polluters) > 0:
		at = of.Polluters[0][len(of.Polluters[0])-1]
	}
	unit := r.Names.Of(at).Unit
	text := strings.NewReplacer("UNIT", Code(unit[strings.LastIndexByte(unit, '.')+1:]), "TEST", Code(name(at))).
		Replace(r.words().spots[p.Location])
	if n := len(p.Also); n > 0 && len(p.Except) > 0 {
		return "after each of " + count(1+n, "test") + ", which gets only what restores the state that it changes"
	} else if n > 0 && text != "" {
		text += ", and in the same way for " + count(n, "more test")
	}
	return text
}

// withoutPatch says why there is no patch, as the end of a sentence.
func (w *wording) withoutPatch(t job.TestReport) string {
	switch {
	case len(t.Patches) > 0:
		return "what was found could not be proved"
	case len(t.NoReset) > 0:
		return w.missing(t) + reflectable(t, "`techniques: [helper, reset, reflection]` in .odfix.yml")
	case strings.HasPrefix(string(t.Unpatched), "time-"):
		return "the time ended before everything was tried"
	case t.Unpatched == job.NoSources:
		return "the sources of the tests cannot be edited"
	case len(t.Cleaners) == 0 && len(t.StateSetters) == 0:
		return "no existing test was found that restores the state, so there is none to learn from"
	}
	return "nothing that was tried could be proved to fix it"
}

// named are the names of the tests of the first group. The others do the same.
func named(groups []suite.Order, name func(suite.TestID) string) []string {
	var out []string
	if len(groups) > 0 {
		for _, id := range groups[0] {
			out = append(out, name(id))
		}
	}
	return out
}

// namer gives short names, where no two tests share one.
func namer(n job.Names, order suite.Order, tests []job.TestReport, groups ...[]suite.Order) func(suite.TestID) string {
	all := slices.Clone(order)
	for _, t := range tests {
		all = append(all, t.Test)
	}
	all = append(all, slices.Concat(slices.Concat(groups...)...)...)
	full := map[string]suite.TestID{}
	clash := map[string]bool{}
	for _, id := range all {
		s := n.Short(id)
		if was, ok := full[s]; ok && was != id {
			clash[s] = true
		}
		full[s] = id
	}
	return func(id suite.TestID) string {
		if s := n.Short(id); !clash[s] {
			return s
		}
		return string(id)
	}
}

// orderSteps is the minimal order with each test's part in it, in words that a stranger to odfix
// knows. The middle of a long one is left out.
func orderSteps(t job.TestReport) []step {
	out := roles(t)
	for i := range out {
		if said, ok := parts[out[i].Role]; ok {
			out[i].Role = said
		}
	}
	if n := len(out); n > maxOrder {
		out = slices.Concat(out[:maxOrder-3], []step{{"", fmt.Sprintf("%d more", n-maxOrder+1)}}, out[n-2:])
	}
	return out
}

// parts are the roles in an order in plain words.
var parts = map[string]string{"polluter": "leaves shared state changed", "state-setter": "sets the state that is needed"}

func cleaned(f *suite.Failure) *suite.Failure {
	if f == nil {
		return nil
	}
	return &suite.Failure{Type: Harmless(f.Type, false), Message: Harmless(f.Message, false)}
}
