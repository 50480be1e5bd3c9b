package job

import (
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

// Each order-dependent test without a proved patch has a reason, and no other test has one.
func TestExplainMissing(t *testing.T) {
	polluter := []suite.Order{{"P#p"}}
	r := &Report{Tests: []TestReport{
		{Test: "A#refused", Verdict: suite.Victim, Polluters: polluter, Unpatched: ProofFailed},
		{Test: "A#proved", Verdict: suite.Victim, Polluters: polluter, Unpatched: NoTimeForProof,
			Patches: []Patch{{Fixes: []suite.TestID{"A#proved"}, Proof: Proof{Proved: true}}}},
		{Test: "A#known", Verdict: suite.Victim, Polluters: polluter, State: []string{"a.B.c"}},
		{Test: "A#hidden", Verdict: suite.Victim, Polluters: polluter},
		{Test: "A#open", Verdict: suite.Victim},
		{Test: "A#genuine", Verdict: suite.Genuine},
	}}
	for _, c := range []struct {
		stopped bool
		want    []Unpatched
	}{
		{false, []Unpatched{ProofFailed, "", NothingRestores, StateUnknown, CauseUnknown, ""}},
		{true, []Unpatched{ProofFailed, "", NoTimeForSearch, NoTimeForSearch, NoTimeForCause, ""}},
	} {
		for i := range r.Tests[2:5] {
			r.Tests[2+i].Unpatched = ""
		}
		r.ExplainMissing(c.stopped)
		for i, want := range c.want {
			if got := r.Tests[i].Unpatched; got != want {
				t.Errorf("stopped %t: %s: %q, not %q", c.stopped, r.Tests[i].Test, got, want)
			}
		}
	}
}
