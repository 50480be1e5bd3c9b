package proof

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

const (
	testSource = "src/test/java/a/ATest.java"
	testText   = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n"
)

func readSource(string) (string, error) { return testText, nil }

// after is a patch that inserts a line behind another one.
func after(line, insert string, fixes ...suite.TestID) *job.Patch {
	p := &job.Patch{Fixes: fixes, Proof: job.Proof{Proved: true}}
	p.SetDiff(patch.Unified(patch.Edit{Path: testSource, Before: testText,
		After: strings.Replace(testText, line+"\n", line+"\n"+insert+"\n", 1)}))
	return p
}

// instead is a patch that replaces a line.
func instead(line, other string, fixes ...suite.TestID) *job.Patch {
	p := &job.Patch{Fixes: fixes, Proof: job.Proof{Proved: true}}
	p.SetDiff(patch.Unified(patch.Edit{Path: testSource, Before: testText, After: strings.Replace(testText, line+"\n", other+"\n", 1)}))
	return p
}

// judge proves what holds none of the words.
func judge(words ...string) func(context.Context, merged) ([]repair.Check, bool, error) {
	return func(_ context.Context, m merged) ([]repair.Check, bool, error) {
		for _, w := range words {
			if strings.Contains(m.tree.Diff(), w) {
				return []repair.Check{{Name: "every order", Detail: "a#2: fail\nmore"}}, false, nil
			}
		}
		return []repair.Check{{Name: "every order", OK: true}}, true, nil
	}
}

func TestJoinDropsThePatchTakenLast(t *testing.T) {
	one, two, clash := after("two", "ONE", "a#1"), after("seven", "TWO", "a#2"), instead("three", "CLASH", "a#3", "a#4")
	for name, c := range map[string]struct {
		chosen  []*job.Patch
		bad     []string
		fixes   []suite.TestID
		leftOut []string
	}{
		"all hold": {[]*job.Patch{one, two}, nil, []suite.TestID{"a#1", "a#2"}, nil},
		// The clash was never in the tree, so that it is not to blame.
		"the last fits nowhere and those before fail": {[]*job.Patch{one, two, clash}, []string{"TWO"}, nil, []string{
			"The patch for a#2 is left out; together they failed: every order: a#2: fail.",
			"The patch for a#3 and 1 more is left out: " + testSource,
		}},
		"what is left holds": {[]*job.Patch{one, after("four", "MORE", "a#5"), two}, []string{"TWO"},
			[]suite.TestID{"a#1", "a#5"}, []string{
				"The patch for a#2 is left out; together they failed",
			}},
		"none hold": {[]*job.Patch{one, two}, []string{"ONE"}, nil, []string{"The patch for a#2 is left out; together"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, checks, leftOut, err := joiner{readSource, judge(c.bad...)}.join(t.Context(), c.chosen)
			if err != nil || (got == nil) != (c.fixes == nil) {
				t.Fatalf("%+v, %v", got, err)
			}
			if got != nil {
				if diff := cmp.Diff(c.fixes, got.Fixes); diff != "" || !got.Proof.Proved || len(checks) == 0 ||
					!slices.Equal(got.LeftOut, leftOut) {
					t.Errorf("%+v\n%s", got, diff)
				}
			}
			if len(leftOut) != len(c.leftOut) {
				t.Fatalf("left out: %q", leftOut)
			}
			for i, want := range c.leftOut {
				if !strings.HasPrefix(leftOut[i], want) {
					t.Errorf("left out: %q, want %q", leftOut[i], want)
				}
			}
		})
	}
}

// TestJoinSaysWhatWasLeftOutHoweverItEnds: also where the proof breaks off.
func TestJoinSaysWhatWasLeftOutHoweverItEnds(t *testing.T) {
	chosen := []*job.Patch{after("two", "ONE", "a#1"), after("four", "MORE", "a#5"), after("seven", "TWO", "a#2"),
		instead("three", "CLASH", "a#3")}
	broken := errors.New("the budget is used up")
	tries := 0
	c, _, leftOut, err := joiner{readSource, func(ctx context.Context, m merged) ([]repair.Check, bool, error) {
		if tries++; tries == 2 {
			return nil, false, broken
		}
		return judge("ONE")(ctx, m)
	}}.join(t.Context(), chosen)
	if c != nil || !errors.Is(err, broken) || len(leftOut) != 2 {
		t.Errorf("%+v, %q, %v", c, leftOut, err)
	}
}
