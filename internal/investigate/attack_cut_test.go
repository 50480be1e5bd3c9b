package investigate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	gh "github.com/google/go-github/v60/github"

	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/investigate/investigatetest"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// active is text that does harm outside of a code span, repeated so that a cut hits it in most places.
var active = strings.Repeat("@acme/team ![EV1L](https://example.com/x.png)z ", 4)

// wantQuoted is for texts whose code spans all have one backtick on each side.
func wantQuoted(t *testing.T, body string) {
	t.Helper()
	parts := strings.Split(body, "`")
	for i, p := range parts {
		open := i%2 == 1 && i == len(parts)-1 // by the last backtick, and not closed
		if (i%2 == 0 || open) && (strings.Contains(p, "EV1L") || strings.Contains(p, "@acme")) {
			t.Errorf("outside of code spans: %q", p)
		}
	}
}

// TestAttackLongComment: texts that are short in characters and long in bytes make a comment that
// is too long. Its cut leaves no code span open.
func TestAttackLongComment(t *testing.T) {
	wide := func(n int) string { return strings.Repeat("𝒜", 195) + fmt.Sprint("a", n) }
	id := func(n int) suite.TestID { return suite.TestID("p." + strings.Repeat("𝒜", 100) + "#" + wide(n)) }
	const lines = 27
	for _, last := range []int{80, 160, 240} {
		h := newHub(t, githubtest.Config{}, "demo.report.json")
		h.runner.Change = func(r *job.Report) {
			made := func(file string) string {
				text := investigatetest.Example(t, "demo", file)
				return patch.Unified(patch.Edit{Path: file, Before: text, After: text + strings.Repeat(strings.Repeat("𝒜", 240)+"\n", lines) +
					strings.Repeat("𝒜", last) + "\n"})
			}
			x := &r.Tests[0]
			x.Verdict, x.Changes = suite.VictimBrittle, nil
			x.Polluters, x.StateSetters = []suite.Order{{id(1), id(2), id(3), id(4)}}, []suite.Order{{id(5), id(6), id(7), id(8)}}
			x.MinimalOrder = suite.Order{id(1), id(2), id(3), id(4), id(5), id(6), id(7), id(8), x.Test}
			x.State = []string{wide(1), wide(2), wide(3)}
			x.FailingOrder = &suite.Seen{Source: strings.Repeat(active, 3)[:490], Provenance: suite.Partial, Order: suite.Order{x.Test}}
			x.Cleaners = []suite.Cleaner{{Polluter: suite.Order{id(1)}, Cleaner: suite.Order{id(11), id(12)}}}
			p := &x.Patches[0]
			p.SetDiff(made(investigatetest.PolluterFile))
			p.Why, p.Statements = strings.Repeat(active[:180]+" a, ", 10), []string{wide(1), wide(2), wide(3)}
			p.Helper, p.At = suite.Order{id(9), id(10)}, id(1)
			other := *p
			other.SetDiff(made("src/test/java/com/example/shop/ReceiptTest.java"))
			x.Patches = append(x.Patches, other)
		}
		p := h.Pull(nil)
		h.red(p, "demo.log")
		h.settled(p, 1)
		all := h.Posted(p).Causes()
		if len(all) != 1 || len(all[0]) < 40_000 {
			t.Fatalf("%d comments, of %d bytes: %.200q", len(all), len(strings.Join(all, "")), all)
		}
		wantQuoted(t, all[0])
	}
}

// TestAttackLongExplanation: the answer to "/odfix explain" joins two texts of a check, each as long as
// GitHub allows.
func TestAttackLongExplanation(t *testing.T) {
	for _, stack := range []int{7900, 7000, 6100} {
		h := newHub(t, githubtest.Config{}, "demo.report.json")
		h.runner.Change = func(r *job.Report) {
			x := &r.Tests[0]
			x.Verdict, x.Patches, x.Polluters, x.MinimalOrder, x.Notes = suite.Genuine, nil, nil, nil, nil
			x.Failure = &suite.Failure{Type: "a.B", Message: "m", Stack: strings.Repeat("\x01", stack)}
			r.Error = &job.Error{Code: "x", Message: "m", Detail: strings.Repeat("\x01", 7875)}
			for i := range 10 {
				x.Notes = append(x.Notes, strings.Repeat(active[:180]+" a, ", 10)+fmt.Sprint(i))
			}
			r.Notes = x.Notes
		}
		p := h.Pull(nil)
		h.red(p, "demo.log")
		h.settled(p, 1)
		p.Comment(h.Ctx, h.Dev, "/odfix explain")
		h.settle()
		all := h.Posted(p).Comments
		i := slices.IndexFunc(all, func(c *gh.IssueComment) bool { return strings.Contains(c.GetBody(), "<!-- odfix:answer") })
		if i < 0 {
			t.Fatal("no answer")
		}
		_, text, _ := strings.Cut(all[i].GetBody(), "<!-- odfix:answer")
		wantIn(t, text, "_cut short_", "[The check](")
		wantQuoted(t, text)
	}
}
