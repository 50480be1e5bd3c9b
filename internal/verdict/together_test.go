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
func allTogether(r *job.Report) *job.Combined {
	c := &job.Combined{Proof: job.Proof{Proved: true}}
	for _, p := range r.Chosen() {
		c.Fixes = append(c.Fixes, p.Fixes...)
	}
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

// TestTogether: patches get one comment, and are called proved together, only if their combined patch is
// proved, and holds all of them.
func TestTogether(t *testing.T) {
	for name, c := range map[string]struct {
		combined func(*job.Combined) *job.Combined
		comments int
	}{
		"proved":       {func(c *job.Combined) *job.Combined { return c }, 1},
		"not proved":   {func(c *job.Combined) *job.Combined { c.Proof.Proved = false; return c }, 2},
		"none":         {func(*job.Combined) *job.Combined { return nil }, 2},
		"one left out": {func(c *job.Combined) *job.Combined { c.Fixes = c.Fixes[:1]; return c }, 2},
	} {
		r, head := twoVictims()
		r.Combined = c.combined(allTogether(r))
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
	r.Combined = allTogether(r)
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

// TestAttackClaimedChange: of a report that no second runner has confirmed, nothing is called proved, also if
// the change is not suggested.
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
