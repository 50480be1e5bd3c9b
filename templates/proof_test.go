package templates

import (
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// TestProofLine counts a check once, as the list of all checks does, however many orders it was made for.
func TestProofLine(t *testing.T) {
	p := fixed()[0]
	seen := job.Check{Name: "an order that was seen to fail passes with the patch", OK: true, Repeats: 1}
	p.Proof.Checks = append(p.Proof.Checks, seen, seen)
	got := proofLine(victim().Tests[0], []*job.Patch{&p}, "")
	if !strings.HasSuffix(got, "fails without it (3 of 3 runs); 2 other checks passed") {
		t.Error(got)
	}
}

// TestAttackTestsOfOtherCauses: a patch can fix tests of several causes. What a comment says of the first
// one is not said of tests with another verdict, or another polluter.
func TestAttackTestsOfOtherCauses(t *testing.T) {
	first := job.TestReport{Test: "a.VTest#one", Verdict: suite.Victim, Polluters: []suite.Order{{"a.PTest#p"}}}
	for name, c := range map[string]struct {
		other job.TestReport
		alike bool
	}{
		"the same polluter":    {job.TestReport{Verdict: suite.Victim, Polluters: []suite.Order{{"a.QTest#q"}, {"a.PTest#p"}}}, true},
		"another polluter":     {job.TestReport{Verdict: suite.Victim, Polluters: []suite.Order{{"a.QTest#q"}}}, false},
		"a test that needs it": {job.TestReport{Verdict: suite.Brittle, StateSetters: []suite.Order{{"a.PTest#p"}}}, false},
	} {
		c.other.Test = "b.WTest#two"
		p := job.Patch{Statements: []string{"A.reset();"}, Fixes: []suite.TestID{first.Test, c.other.Test}}
		if text := CommentBody(Cause{Tests: []job.TestReport{first, c.other}}); strings.Contains(text, "The change also") {
			t.Errorf("%s: without a change: %s", name, text)
		}
		body := CommentBody(Cause{Tests: []job.TestReport{first, c.other}, Patch: []*job.Patch{&p}})
		lead, _, _ := strings.Cut(body, "\n")
		if strings.Contains(lead, "two") != c.alike {
			t.Errorf("%s: %s", name, lead)
		}
		if strings.Contains(body, "The change also fixes `b.WTest#two`, which depends on other tests.") == c.alike {
			t.Errorf("%s: %s", name, body)
		}
	}
}
