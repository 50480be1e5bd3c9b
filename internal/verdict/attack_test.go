package verdict

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// manyTests is a report with many victims of one polluter. Each has a patch of its own, in a file of its
// own, which claims to repair two of them.
func manyTests(n int) Input {
	in := Input{Report: &job.Report{Names: job.Names{}}, Head: texts{}, Config: config.Defaults(),
		HeadSHA: "aaaaaaaaaaaa", TestedSHA: "bbbbbbbbbbbb"}
	for i := range n {
		file := fmt.Sprintf("src/test/java/a/V%dTest.java", i)
		in.Head[file] = "class V {\n}\n"
		id := suite.TestID(fmt.Sprintf("a.V%dTest#reads", i))
		p := job.Patch{Kind: job.FromHelper, Fixes: []suite.TestID{id, "a.V0Test#reads"}, Proof: job.Proof{Proved: true}}
		p.SetDiff(patch.Unified(patch.Edit{Path: file, Before: in.Head[file], After: "class V {\n    // patched\n}\n"}))
		in.Report.Tests = append(in.Report.Tests, job.TestReport{Test: id, Verdict: suite.Victim, Reason: "fails after P#p",
			Polluters: []suite.Order{{"a.P#p"}}, MinimalOrder: suite.Order{"a.P#p", id}, Patches: []job.Patch{p}})
	}
	return in
}

// TestForgedCrowd: four times as many results are about four times the work, not sixteen times.
func TestForgedCrowd(t *testing.T) {
	work := func(n int) float64 {
		in := manyTests(n)
		return testing.AllocsPerRun(1, func() { PlanOf(in) })
	}
	few, many := work(200), work(800)
	if many > 6*few {
		t.Errorf("%.0f allocations for 200 results, %.0f for 800", few, many)
	}
	if n := len(PlanOf(manyTests(3 * maxTests)).Comments); n != maxComments {
		t.Errorf("%d comments", n)
	}
}

// BenchmarkForgedCrowd measures a plan of many results.
func BenchmarkForgedCrowd(b *testing.B) {
	for _, n := range []int{100, 200, 400, 800} {
		in := manyTests(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				PlanOf(in)
			}
		})
	}
}

// TestForgedFiles: patches of thousands of files cost a bounded number of reads.
func TestForgedFiles(t *testing.T) {
	var edits []patch.Edit
	for i := range 5000 {
		edits = append(edits, patch.Edit{Path: fmt.Sprintf("src/test/java/a/T%d.java", i), Before: "a\n", After: "b\n"})
	}
	in := manyTests(5000)
	in.Report.Tests[0].Patches[0].SetDiff(patch.Unified(edits...))
	if got := Touched(t.Context(), in.Report, in.Config); len(got) > maxTouched {
		t.Errorf("%d files are read", len(got))
	}
	in = manyTests(1)
	if got := Touched(t.Context(), in.Report, in.Config); len(got) != 1 {
		t.Errorf("%q", got)
	}
}

// TestPlanStopsInTime: a plan ends with its context.
func TestPlanStopsInTime(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := New(ctx, manyTests(3)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestAttackCarriedTexts: a report has many patches of the same large files. The texts and differences
// of all causes, which are in memory together, are bounded.
func TestAttackCarriedTexts(t *testing.T) {
	in := Input{Head: map[string]string{"A.java": "a\n" + strings.Repeat("y", 900<<10) + "\n"}, Tested: map[string]string{}}
	kept, off := 0, 0
	for i := range 40 {
		c := in.onHead(fmt.Sprintf("diff --git a/A.java b/A.java\n--- a/A.java\n+++ b/A.java\n@@ -1 +1 @@\n-a\n+%d\n", i))
		for _, e := range c.edits {
			kept += len(e.After) + len(c.diff)
		}
		if c.off != nil {
			off++
		}
	}
	if kept > maxCarried || off == 0 || off > 30 {
		t.Errorf("%d bytes are kept, %d of 40 changes are left out", kept, off)
	}
}

// TestAttackJoinedTexts: pairs of patches of the same large files are joined, each pair in a cause of its
// own. What may be in memory for all of them is bounded; the other patches get comments of their own.
func TestAttackJoinedTexts(t *testing.T) {
	in := Input{Report: &job.Report{Names: job.Names{}}, Head: texts{}, Config: config.Defaults(), HeadSHA: "aaaaaaaaaaaa", TestedSHA: "aaaaaaaaaaaa"}
	long := "a\nb\n" + strings.Repeat("y", 900<<10) + "\nc\nd\n"
	in.Head["src/test/java/a/XTest.java"] = long
	const pairs = 60
	for i := range 2 * pairs {
		id := suite.TestID(fmt.Sprintf("a.V%dTest#reads", i))
		hunk := fmt.Sprintf("@@ -1 +1 @@\n-a\n+%d\n", i)
		if i%2 == 1 {
			hunk = fmt.Sprintf("@@ -5 +5 @@\n-d\n+%d\n", i)
		}
		p := job.Patch{Kind: job.FromHelper, Fixes: []suite.TestID{id}, Proof: job.Proof{Proved: true}}
		p.SetDiff("diff --git a/src/test/java/a/XTest.java b/src/test/java/a/XTest.java\n--- a/src/test/java/a/XTest.java\n" +
			"+++ b/src/test/java/a/XTest.java\n" + hunk)
		maker := suite.TestID(fmt.Sprintf("a.P#p%d", i/2))
		in.Report.Tests = append(in.Report.Tests, job.TestReport{Test: id, Verdict: suite.Victim, Polluters: []suite.Order{{maker}},
			MinimalOrder: suite.Order{maker, id}, Patches: []job.Patch{p}})
	}
	b := &builder{ctx: t.Context(), in: in, combined: map[string]bool{}}
	in.Report.Combined = &job.Combined{Proof: job.Proof{Proved: true}}
	for _, p := range in.Report.Chosen() {
		b.combined[p.RawDiff()] = true
	}
	g, chosen := &grouping{b: b, byDiff: map[string]*cause{}, byMaker: map[string][]*cause{}}, b.choices()
	for _, x := range in.Report.Tests {
		g.add(x, chosen[x.Test].first(), "")
	}
	if n := len(g.all); n <= pairs || n == 2*pairs || g.joining > maxJoining {
		t.Errorf("%d causes of %d pairs, with %d bytes", n, pairs, g.joining)
	}
	causes, err := b.causes()
	if err != nil {
		t.Fatal(err)
	}
	if len(causes) != 2*pairs { // no pair is all that is proved together
		t.Errorf("%d causes", len(causes))
	}
	for _, c := range causes {
		if c.tree != nil {
			t.Error("the patched texts are kept")
		}
	}
}

// TestAttackUnreadTexts: a file that was left out because there are too many or too large ones does not
// count as missing, so no patch makes it anew over the one that is there.
func TestAttackUnreadTexts(t *testing.T) {
	in := Input{Head: map[string]string{}, Tested: map[string]string{}, Read: map[string]bool{"B.java": true}}
	for path, off := range map[string]bool{"A.java": true, "B.java": false} {
		c := in.onHead("diff --git a/" + path + " b/" + path + "\nnew file mode 100644\n--- /dev/null\n+++ b/" + path + "\n@@ -0,0 +1 @@\n+a\n")
		if (c.off != nil) != off {
			t.Errorf("%s: %+v", path, c)
		}
	}
}

// TestAttackManyLines: texts of very short lines take more memory while they are compared than their
// size says.
func TestAttackManyLines(t *testing.T) {
	in := Input{Head: map[string]string{"A.java": "a\n" + strings.Repeat("\n", 1<<20)}, Tested: map[string]string{}}
	c := in.onHead("diff --git a/A.java b/A.java\n--- a/A.java\n+++ b/A.java\n@@ -1 +1 @@\n-a\n+b\n")
	if c.off == nil {
		t.Error("a million lines are carried")
	}
	g := grouping{b: &builder{in: in}}
	p := &job.Patch{}
	p.SetDiff("diff --git a/A.java b/A.java\n--- a/A.java\n+++ b/A.java\n@@ -1 +1 @@\n-a\n+b\n")
	if g.affordable(&cause{}, p, []string{"A.java"}) {
		t.Error("a million lines are joined")
	}
}
