package verdict

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// allTogether is the combined patch of a report's best patches, as far as this package reads it.
func allTogether(t *testing.T, r *job.Report, texts map[string]string) *job.Combined {
	t.Helper()
	c := &job.Combined{Proof: job.Proof{Proved: true}}
	tree := patch.Tree{Read: func(path string) (string, error) { return texts[path], nil }, Proves: true}
	for _, p := range r.Chosen() {
		if err := tree.Add(p.RawDiff()); err != nil {
			t.Fatal(err)
		}
		c.Fixes = append(c.Fixes, p.Fixes...)
	}
	c.SetDiff(tree.Diff())
	return c
}

// twoVictims are victims of one polluter, each with a patch of a file of its own.
func twoVictims() (*job.Report, map[string]string) {
	r, head := &job.Report{}, map[string]string{}
	for n, v := range []suite.TestID{"a.V#1", "a.V#2"} {
		file := fmt.Sprintf("src/test/java/a/F%dTest.java", n+1)
		head[file] = "1\n2\n3\n4\n5\n"
		p := job.Patch{Kind: job.FromHelper, Fixes: []suite.TestID{v}, Files: []string{file}, Proof: job.Proof{Proved: true}}
		p.SetDiff(patch.Unified(patch.Edit{Path: file, Before: head[file], After: strings.Replace(head[file], "3\n", "3\nx\n", 1)}))
		r.Tests = append(r.Tests, job.TestReport{Test: v, Verdict: suite.Victim, Polluters: []suite.Order{{"a.P#p"}},
			MinimalOrder: suite.Order{"a.P#p", v}, Patches: []job.Patch{p}})
	}
	return r, head
}

// TestTogether: patches get one comment, and are called proved together, only if their combined
// patch is proved, and holds all of them.
func TestTogether(t *testing.T) {
	for name, c := range map[string]struct {
		combined func(*job.Combined) *job.Combined
		comments int
	}{
		"proved":       {func(c *job.Combined) *job.Combined { return c }, 1},
		"not proved":   {func(c *job.Combined) *job.Combined { c.Proof.Proved = false; return c }, 2},
		"none":         {func(*job.Combined) *job.Combined { return nil }, 2},
		"one left out": {func(c *job.Combined) *job.Combined { c.Fixes = c.Fixes[:1]; return c }, 2},
		"another one":  {func(c *job.Combined) *job.Combined { c.SetDiff(strings.Replace(c.RawDiff(), "+x", "+y", 1)); return c }, 2},
	} {
		r, head := twoVictims()
		r.Combined = c.combined(allTogether(t, r, head))
		sha := strings.Repeat("a", 40)
		plan, err := New(t.Context(), Input{Report: r, Head: head, HeadSHA: sha, TestedSHA: sha, Config: config.Defaults()})
		if err != nil {
			t.Fatal(err)
		}
		said := slices.ContainsFunc(plan.Comments, func(k Comment) bool { return strings.Contains(k.Body, "all of them together") })
		if len(plan.Comments) != c.comments || said != (c.comments == 1) {
			t.Errorf("%s: %d comments, called proved together %v", name, len(plan.Comments), said)
		}
	}
}

// TestAnnotationsNameTheirTest: the mark in a file names the test that the change there fixes.
func TestAnnotationsNameTheirTest(t *testing.T) {
	r, head := twoVictims()
	r.Combined = allTogether(t, r, head)
	sha := strings.Repeat("a", 40)
	plan, err := New(t.Context(), Input{Report: r, Head: head, HeadSHA: sha, TestedSHA: sha, Config: config.Defaults()})
	if err != nil || len(plan.Check.Annotations) != 2 {
		t.Fatalf("%+v, %v", plan.Check.Annotations, err)
	}
	for n, a := range plan.Check.Annotations {
		if want := fmt.Sprintf("V#%d", n+1); !strings.Contains(a.Title, want) {
			t.Errorf("%s: %q, want %s", a.Path, a.Title, want)
		}
	}
}

// TestAttackClaimedChange: of a report that no second runner has confirmed, nothing is called
// proved, also if the change is not suggested.
func TestAttackClaimedChange(t *testing.T) {
	r, head := twoVictims()
	for i := range r.Tests {
		r.Tests[i].Patches[0].Kind = job.FromReflection
	}
	sha := strings.Repeat("a", 40)
	plan, err := New(t.Context(), Input{Report: r, Head: head, HeadSHA: sha, TestedSHA: sha, Config: config.Defaults(), Claimed: true})
	if err != nil {
		t.Fatal(err)
	}
	text := plan.Check.Summary + plan.Check.Text + plan.Comments[0].Body
	if strings.Contains(text, "proved") || !strings.Contains(text, "there is a change, but of the kind") {
		t.Error(text)
	}
}

// TestAttackLeftOut: the combined patch of a report is one of its two patches, and says that the
// other is left out, though it fixes no further test. Nobody has run both together.
func TestAttackLeftOut(t *testing.T) {
	r, head := twoVictims()
	one, two := &r.Tests[0].Patches[0], &r.Tests[1].Patches[0]
	two.Fixes = []suite.TestID{"a.V#2", "a.V#1"}
	c := &job.Combined{Fixes: two.Fixes, LeftOut: []string{"The patch for a.V#1 is left out: x."}, Proof: job.Proof{Proved: true}}
	c.SetDiff(two.RawDiff())
	r.Combined = c
	sha := strings.Repeat("a", 40)
	plan, err := New(t.Context(), Input{Report: r, Head: head, HeadSHA: sha, TestedSHA: sha, Config: config.Defaults()})
	if err != nil || len(one.Fixes) != 1 {
		t.Fatal(err)
	}
	for _, k := range plan.Comments {
		if strings.Contains(k.Body, "together") {
			t.Error(k.Body)
		}
	}
}

// TestPartOfTheWhole: a cause has two of the three patches that are proved together.
func TestPartOfTheWhole(t *testing.T) {
	r, head := twoVictims()
	file := "src/test/java/a/F3Test.java"
	head[file] = "1\n2\n"
	p := job.Patch{Kind: job.FromHelper, Fixes: []suite.TestID{"a.V#3"}, Files: []string{file}, Proof: job.Proof{Proved: true}}
	p.SetDiff(patch.Unified(patch.Edit{Path: file, Before: head[file], After: "1\nx\n2\n"}))
	r.Tests = append(r.Tests, job.TestReport{Test: "a.V#3", Verdict: suite.Victim, Polluters: []suite.Order{{"a.Q#q"}},
		MinimalOrder: suite.Order{"a.Q#q", "a.V#3"}, Patches: []job.Patch{p}})
	r.Combined = allTogether(t, r, head)
	sha := strings.Repeat("a", 40)
	plan, err := New(t.Context(), Input{Report: r, Head: head, HeadSHA: sha, TestedSHA: sha, Config: config.Defaults()})
	if err != nil || len(plan.Comments) != 3 {
		t.Fatalf("%d comments, %v", len(plan.Comments), err)
	}
	for _, k := range plan.Comments {
		if strings.Contains(k.Body, "together") {
			t.Error(k.Body)
		}
	}
}

// TestOtherStateSetters: tests with one polluter that need different tests before them have comments of
// their own where no patch fixes both.
func TestOtherStateSetters(t *testing.T) {
	for setter, comments := range map[suite.TestID]int{"a.S#1": 1, "a.S#2": 2} {
		r := &job.Report{}
		for v, s := range map[suite.TestID]suite.TestID{"a.V#1": "a.S#1", "a.V#2": setter} {
			r.Tests = append(r.Tests, job.TestReport{Test: v, Verdict: suite.VictimBrittle, Polluters: []suite.Order{{"a.P#p"}},
				StateSetters: []suite.Order{{s}}, MinimalOrder: suite.Order{s, "a.P#p", v}})
		}
		sha := strings.Repeat("a", 40)
		plan, err := New(t.Context(), Input{Report: r, HeadSHA: sha, TestedSHA: sha, Config: config.Defaults()})
		if err != nil || len(plan.Comments) != comments {
			t.Errorf("%s: %d comments, %v", setter, len(plan.Comments), err)
		}
	}
}
