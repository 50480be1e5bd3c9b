package verdict

import (
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/templates"
)

// bodiesOf are the bodies of a comment and of the rungs below it.
func bodiesOf(c Comment) []string {
	var out []string
	for k := &c; k != nil; k = k.Below {
		for _, body := range []string{k.Body, k.Plain} {
			if body != "" {
				out = append(out, body)
			}
		}
		for _, i := range k.Inline {
			out = append(out, i.Body)
		}
		if k.Fix != nil && k.Fix.Body != "" {
			out = append(out, k.Fix.Body)
		}
	}
	return out
}

// TestHelpIsTheLastLine: every comment, suggestion and check ends with the link to the page that
// explains odfix.
func TestHelpIsTheLastLine(t *testing.T) {
	const page = "https://odfix.example.com"
	last := strings.TrimSpace(templates.HelpLine(page))
	if !strings.HasSuffix(last, "("+page+")") {
		t.Fatal(last)
	}
	seen := 0
	for _, c := range reports() {
		in := c.s.input(t)
		in.HelpURL, in.Config.Ladder = page, append(in.Config.Ladder, config.Stacked)
		in.Notes = []string{"A note of the server."}
		p := PlanOf(in)
		all := []string{p.Check.Summary}
		for _, k := range p.Comments {
			all = append(all, bodiesOf(k)...)
		}
		for _, body := range all {
			if seen++; !strings.HasSuffix(strings.TrimSpace(body), last) {
				t.Errorf("%s ends in another way:\n%s", c.name, body)
			}
		}
		if !strings.Contains(p.Check.Summary, "A note of the server.") {
			t.Errorf("%s: the note is missing:\n%s", c.name, p.Check.Summary)
		}
	}
	if seen < 100 {
		t.Errorf("only %d bodies", seen)
	}
}

// TestWordsOfStrangers: what a reader sees before the folds is short, and holds no word of odfix's own.
func TestWordsOfStrangers(t *testing.T) {
	for _, c := range reports() {
		for _, k := range PlanOf(c.s.input(t)).Comments {
			for _, body := range bodiesOf(k) {
				for _, word := range []string{"polluter", "state-setter", "Tuscan", "brittle", "victim"} {
					for line := range strings.Lines(body) {
						if !strings.HasPrefix(line, "<!--") && strings.Contains(line, word) {
							t.Errorf("%s: %q in %q", c.name, word, line)
						}
					}
				}
				before, _, _ := strings.Cut(body, "<details>")
				prose, _, _ := strings.Cut(before, "```")
				if n := strings.Count(prose, "\n\n"); n > 5 {
					t.Errorf("%s: %d paragraphs before the change:\n%s", c.name, n, prose)
				}
			}
		}
	}
}

// TestChangeOnce: a comment shows a change once, as a suggestion or as a block to paste.
func TestChangeOnce(t *testing.T) {
	s := newPolluter()
	s.config = func(c *config.Config) { c.Ladder = []config.Rung{config.Comment} }
	body := s.plan(t).Comments[0].Body
	if n := strings.Count(body, "cleanUpSharedState"); n != 1 {
		t.Errorf("the change is shown %d times:\n%s", n, body)
	}
}

// TestTestedCommit: the check says what the tested commit is.
func TestTestedCommit(t *testing.T) {
	in := newPolluter().input(t)
	if in.TestedSHA == in.HeadSHA {
		in.TestedSHA = strings.Repeat("b", 40)
	}
	merge := PlanOf(in).Check.Summary
	if want := "Tested: `" + in.TestedSHA[:10] + "`, the merge of `" + in.HeadSHA[:10] + "`, the head of this pull request"; !strings.Contains(merge, want) {
		t.Errorf("%q is missing in\n%s", want, merge)
	}
	in.TestedSHA = in.HeadSHA
	if head := PlanOf(in).Check.Summary; !strings.Contains(head, "`, the head of this pull request.") || strings.Contains(head, "merge") {
		t.Errorf("%s", head)
	}
}

// TestCountsOfOtherVerdicts: the check of a genuine or flaky test has the counts of the report.
func TestCountsOfOtherVerdicts(t *testing.T) {
	for _, x := range []job.TestReport{genuine, flaky, absent} {
		_, counts, _ := strings.Cut(x.Reason, "(")
		if counts == "" {
			counts = "12 other orders"
		}
		if got := PlanOf(only(x).input(t)).Check.Summary; !strings.Contains(got, strings.TrimSuffix(counts, ")")) {
			t.Errorf("%q is missing in\n%s", counts, got)
		}
	}
}

// TestAlternativePatch: a second proved patch is in a fold. One that is not proved, that fixes less, or
// that the configuration forbids is not.
func TestAlternativePatch(t *testing.T) {
	const fold = "<summary>Alternative: another change that is proved</summary>"
	second := func(change func(*job.Patch)) *pullRequest {
		return as(func(r *job.Report, s *pullRequest) {
			p := r.Tests[0].Patches[0]
			p.SetDiff(strings.ReplaceAll(p.RawDiff(), "cleanUpSharedState", "anotherName"))
			change(&p)
			r.Tests[0].Patches = append(r.Tests[0].Patches, p)
		})
	}
	for name, c := range map[string]struct {
		change func(*job.Patch)
		want   bool
	}{
		"proved":        {func(*job.Patch) {}, true},
		"not proved":    {func(p *job.Patch) { p.Proof.Proved = false }, false},
		"another test":  {func(p *job.Patch) { p.Fixes = nil }, false},
		"the same":      {func(p *job.Patch) { p.SetDiff(strings.ReplaceAll(p.RawDiff(), "anotherName", "cleanUpSharedState")) }, false},
		"no test code":  {func(p *job.Patch) { p.SetDiff("--- a/.github/x\n+++ b/.github/x\n@@ -1 +1 @@\n-a\n+b\n") }, false},
		"unwanted kind": {func(p *job.Patch) { p.Kind = job.FromReflection }, false},
	} {
		body := second(c.change).plan(t).Comments[0].Inline[0].Body
		if got := strings.Contains(body, fold) && strings.Contains(body, "anotherName"); got != c.want {
			t.Errorf("%s: %v:\n%s", name, got, body)
		}
	}
}

// TestCommandsAreNamed: a comment of the App names its commands; one that nobody answers does not.
func TestCommandsAreNamed(t *testing.T) {
	in := newPolluter().input(t)
	for _, answered := range []bool{true, false} {
		in.Commands = answered
		body := PlanOf(in).Comments[0].Inline[0].Body
		for _, command := range []string{"/odfix retry", "/odfix explain", "/odfix ignore " + string(receipt)} {
			if strings.Contains(body, command) != answered {
				t.Errorf("%v: %s:\n%s", answered, command, body)
			}
		}
	}
}
