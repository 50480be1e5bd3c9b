package verdict

import (
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// manyCauses is a report with many causes. Each has a patch of its own, which changes the first and the
// last line of one file with long lines between, so that each comment is about as large as the lines.
func manyCauses(n, line int) Input {
	const file = "src/test/java/a/XTest.java"
	between := strings.Repeat(strings.Repeat("y", line)+"\n", 6)
	in := Input{Report: &job.Report{Names: job.Names{}}, Head: texts{file: "a\n" + between + "d\n"}, Config: config.Defaults(),
		HeadSHA: "aaaaaaaaaaaa", TestedSHA: "aaaaaaaaaaaa", Number: 7, Commands: true}
	in.Config.Ladder = []config.Rung{config.Suggestion, config.FileComment, config.Comment, config.Stacked, config.Commit}
	in.Config.Comments.Tone = config.Full
	in.Files = []File{{Path: file, Status: "added", Patch: "@@ -0,0 +1,8 @@\n+a\n+" + strings.ReplaceAll(between, "\n", "\n+") + "d\n"}}
	for i := range n {
		id := suite.TestID(fmt.Sprintf("a.V%dTest#reads", i))
		p := job.Patch{Kind: job.FromHelper, Fixes: []suite.TestID{id}, Proof: job.Proof{Proved: true}}
		p.SetDiff("diff --git a/" + file + " b/" + file + "\n--- a/" + file + "\n+++ b/" + file +
			fmt.Sprintf("\n@@ -1 +1 @@\n-a\n+%d\n@@ -8 +8 @@\n-d\n+%d\n", i, i))
		maker := suite.TestID(fmt.Sprintf("a.P#p%d", i))
		in.Report.Tests = append(in.Report.Tests, job.TestReport{Test: id, Verdict: suite.Victim, Polluters: []suite.Order{{maker}},
			MinimalOrder: suite.Order{maker, id}, Patches: []job.Patch{p}})
	}
	return in
}

// TestAttackLargePlans: what stays in memory while the comments of a report are posted is bounded, in
// number and in bytes, and the check says that there is more.
func TestAttackLargePlans(t *testing.T) {
	for line, full := range map[int]bool{10: true, 6000: false} {
		p := PlanOf(manyCauses(400, line))
		n, rungs, size := len(p.Comments), 0, 0
		for i := range p.Comments {
			size += len(p.Comments[i].Plain)
			for k := &p.Comments[i]; k != nil; k = k.Below {
				rungs++
				size += len(k.Body)
				if unsafe.StringData(k.Plain) != unsafe.StringData(p.Comments[i].Plain) {
					size += len(k.Plain)
				}
				for _, x := range k.Inline {
					size += len(x.Body)
				}
				if k.Fix != nil {
					size += len(k.Fix.Body) + len(k.Fix.Message)
					for _, text := range k.Fix.Files {
						size += len(text)
					}
				}
			}
		}
		if size > maxPosted || n > maxComments || (n == maxComments) != full || n < 5 || rungs < 4*n {
			t.Errorf("lines of %d bytes: %d comments on %d rungs, %d bytes", line, n, rungs, size)
		}
		said := fmt.Sprintf("%d causes of 400 have no comment on the pull request", 400-n)
		if !strings.Contains(p.Check.Summary, said) || len(p.Check.Summary) > maxText || len(p.Check.Annotations) > maxAnnotations {
			t.Errorf("lines of %d bytes: %d annotations, and %q", line, len(p.Check.Annotations), p.Check.Summary)
		}
	}
	if p := PlanOf(manyCauses(2, 10)); len(p.Comments) != 2 || strings.Contains(p.Check.Summary, "no comment") {
		t.Errorf("%d comments on two causes, and %q", len(p.Comments), p.Check.Summary)
	}
}

// TestAttackManyPolluters: a cause of very many polluters has the files of a few looked for among those
// of the pull request. Otherwise a place for plans, of which all customers have two, is held for minutes.
func TestAttackManyPolluters(t *testing.T) {
	o := make(suite.Order, 50_000)
	for i := range o {
		o[i] = suite.TestID(fmt.Sprintf("a.P%d#p", i))
	}
	c := cause{tests: []job.TestReport{{Test: "a.V#v", Polluters: []suite.Order{o}, StateSetters: []suite.Order{o}}}}
	if got := c.concerned(); len(got) > mostConcerned || got[0] != o[0] || got[len(got)-1] != "a.V#v" {
		t.Errorf("%d tests are looked for, %s first", len(got), got[0])
	}
	if few := (cause{tests: []job.TestReport{{Test: "a.V#v", Polluters: []suite.Order{o[:2]}}}}).concerned(); len(few) != 3 {
		t.Errorf("of three tests, %v", few)
	}
}

// TestAttackCarriedLines: files with very many lines at the head, and few at the tested commit, are
// not even split.
func TestAttackCarriedLines(t *testing.T) {
	in := Input{Head: texts{"A.java": "a\n" + strings.Repeat("\n", 250_000)}, Tested: texts{"A.java": "a\n"}}
	c := in.onHead("diff --git a/A.java b/A.java\n--- a/A.java\n+++ b/A.java\n@@ -1 +1 @@\n-a\n+b\n")
	if c.off == nil || !strings.Contains(c.off.Why, "too large together") || len(in.carriers) > 0 || in.carried > 0 {
		t.Errorf("%+v, %d texts are compared, %d bytes", c.off, len(in.carriers), in.carried)
	}
}

// TestAttackCarriedPatches: the texts of a file are split and compared once for all causes. Only
// patches that may get a comment are carried to the head, also if no comment is possible.
func TestAttackCarriedPatches(t *testing.T) {
	for name, ladder := range map[string][]config.Rung{"comments": {config.Comment}, "no rung that is possible": {config.Suggestion}} {
		in := manyCauses(400, 10)
		in.Config.Ladder = ladder
		in.Files = nil
		b := &builder{ctx: t.Context(), in: in}
		p, err := b.plan()
		if err != nil {
			t.Fatal(err)
		}
		once := 2 * cost(in.Head["src/test/java/a/XTest.java"])
		each := once + cost(in.Report.Tests[399].Patches[0].RawDiff())
		if len(b.in.carriers) != 1 || b.in.carried > once+maxComments*each || b.in.carried < maxComments*once {
			t.Errorf("%s: %d files are compared, %d bytes of changes", name, len(b.in.carriers), b.in.carried)
		}
		if len(p.Comments) != maxComments && ladder[0] == config.Comment || len(p.Check.Text) < maxText/2 ||
			!strings.Contains(p.Check.Summary, "380 causes of 400 have no comment") {
			t.Errorf("%s: %d comments, %q, a text of %d bytes", name, len(p.Comments), p.Check.Summary, len(p.Check.Text))
		}
	}
}
