package pull

import (
	"testing"
	"time"

	"github.com/odfix/odfix/internal/github"
)

func TestOutcomeOfRuns(t *testing.T) {
	at := func(minute int) time.Time { return time.Date(2026, 11, 1, 12, minute, 0, 0, time.UTC) }
	run := func(actor int64, from, to int, conclusion string) github.Run {
		r := github.Run{Path: "ci.yml", Event: "pull_request", Status: "completed", Conclusion: conclusion,
			Actor: github.Actor{ID: actor}, Created: at(from), Updated: at(to)}
		if conclusion == "" {
			r.Status = "in_progress"
		}
		return r
	}
	numbered := func(id int64, r github.Run) github.Run {
		r.ID = id
		return r
	}
	other := run(1, 4, 5, "success")
	other.Path = "lint.yml"
	for name, c := range map[string]struct {
		runs      []github.Run
		good, bad bool
	}{
		"none":                    {},
		"success":                 {[]github.Run{run(1, 0, 2, "success")}, true, false},
		"failure":                 {[]github.Run{run(1, 0, 2, "failure")}, false, true},
		"later success":           {[]github.Run{run(1, 0, 2, "failure"), run(1, 3, 5, "success")}, true, false},
		"later, under way":        {[]github.Run{run(1, 0, 2, "failure"), run(1, 3, 5, "")}, false, true},
		"later failure":           {[]github.Run{run(1, 0, 2, "failure"), run(1, 3, 5, "failure")}, false, true},
		"cancelled":               {[]github.Run{run(1, 0, 2, "cancelled")}, false, true},
		"to be approved":          {[]github.Run{run(1, 0, 2, "action_required")}, false, true},
		"skipped":                 {[]github.Run{run(1, 0, 2, "skipped")}, false, false},
		"cancelled, then success": {[]github.Run{run(1, 0, 2, "cancelled"), run(1, 3, 5, "success")}, true, false},
		"cancelled by another's":  {[]github.Run{numbered(1, run(1, 0, 4, "cancelled")), numbered(2, run(2, 3, 5, "success"))}, true, false},
		"success before":          {[]github.Run{numbered(1, run(2, 0, 2, "success")), numbered(2, run(1, 3, 4, "cancelled"))}, true, true},
		"did not start":           {[]github.Run{run(1, 0, 0, "startup_failure"), other}, true, true},
		"later, cancelled":        {[]github.Run{run(1, 0, 2, "failure"), run(1, 3, 5, "cancelled")}, false, true},
		"later, skipped":          {[]github.Run{run(1, 0, 2, "failure"), run(1, 3, 5, "skipped")}, false, true},
		"later, to be approved":   {[]github.Run{run(1, 0, 2, "failure"), run(1, 3, 5, "action_required")}, false, true},
		"at the same time":        {[]github.Run{run(1, 0, 2, "failure"), run(1, 1, 5, "success")}, true, true},
		"success of another one":  {[]github.Run{run(1, 0, 2, "failure"), run(2, 3, 5, "success")}, true, true},
		"success of another file": {[]github.Run{run(1, 0, 2, "failure"), other}, true, true},
	} {
		if good, bad := outcome(c.runs); good != c.good || bad != c.bad {
			t.Errorf("%s: good %v, bad %v", name, good, bad)
		}
	}
}

// TestAttackGreenElsewhere: the success of a run for another fork's branch, or of one that a comment started, is
// none of this pull request.
func TestAttackGreenElsewhere(t *testing.T) {
	const repository, fork, other = 1, 2, 3
	run := func(head int64, event string) github.Run {
		r := github.Run{Event: event, Status: "completed", Conclusion: "success"}
		r.HeadRepository.ID = head
		return r
	}
	for name, c := range map[string]struct {
		runs []github.Run
		want bool
	}{
		"none":           {nil, false},
		"its fork":       {[]github.Run{run(fork, "pull_request")}, true},
		"the repository": {[]github.Run{run(repository, "push")}, true},
		"another fork":   {[]github.Run{run(other, "pull_request")}, false},
		"deleted":        {[]github.Run{run(0, "pull_request")}, false},
		"a comment":      {[]github.Run{run(repository, "issue_comment")}, false},
	} {
		if got := (CI{repository, c.runs, github.Tally{}}).Green(fork); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	red := run(0, "pull_request")
	red.Conclusion = "failure"
	if (CI{repository, []github.Run{red}, github.Tally{Green: 1}}).Green(fork) {
		t.Error("the failed run for a deleted fork does not count")
	}
	if !(CI{repository, nil, github.Tally{Green: 1}}).Green(fork) {
		t.Error("another CI system does not count")
	}
}
