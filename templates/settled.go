package templates

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// Settled is a cause that no longer exists.
type Settled struct {
	Kind        suite.Verdict
	Victims, By []string // short names
	How         string   // passes, green, gone
	Commit      string
}

// SettledBody is the text of a comment whose cause is gone.
func SettledBody(s Settled) string {
	return md("settled.md.tmpl", struct {
		Settled
		Plural bool
	}{s, len(s.Victims) > 1})
}

// Superseded is title and summary of a check whose commit is not the newest.
func Superseded(commit string) (title, summary string) {
	newer := "A newer commit"
	if commit != "" {
		newer += ", " + Code(commit) + ","
	}
	return "Superseded by a newer push", newer + " was pushed. odfix stopped the investigation of this one.\n"
}

// CauseGone is title and summary of a check on a commit in which a cause found earlier is gone.
func CauseGone(how, commit string) (title, summary string) {
	what := map[string]string{
		"passes": "The order that failed was run again and passes.", "green": "CI does not fail any more.",
		"gone": "The tests that failed are not there any more.",
	}[how]
	return "Nothing order-dependent is left", fmt.Sprintf("%s This is so as of commit %s.\n", what, Code(commit))
}

// Waiting is title and summary of a check whose investigation has not begun.
func Waiting(tests []string) (title, summary string) {
	return "Waiting for a runner", "CI failed in " + nameList(tests, 5, "test") +
		". odfix will examine next whether the order of tests is the reason.\n"
}

// doing says what happens in each phase.
var doing = map[string]string{
	job.PhaseBuild: "Building the project", job.PhaseDiscover: "Listing the tests", job.PhaseDetect: "Running orders",
	job.PhaseDiagnose: "Looking for the tests that cause the failure", job.PhaseRepair: "Looking for a change that fixes the failure",
	job.PhaseProve: "Proving a change", job.PhaseReproduce: "Looking for a command that reproduces the failure",
}

// Progress is title and summary of a check while the investigation goes on.
func Progress(e job.Event, seconds float64) (title, summary string) {
	title = cmp.Or(doing[e.Phase], "Working")
	var b strings.Builder
	if e.Test != "" {
		b.WriteString("About " + Code(string(e.Test)) + ".\n\n")
	}
	if e.Message != "" {
		b.WriteString("Now: " + Prose(e.Message) + "\n\n")
	}
	if e.Best != "" {
		b.WriteString("Best so far: " + Prose(e.Best) + "\n\n")
	}
	done := ""
	switch {
	case e.Total > 0:
		done = fmt.Sprintf("%d of about %d questions answered", e.Done, max(e.Total, e.Done)) + ", "
	case e.Done > 0:
		done = count(e.Done, "question") + " answered, "
	}
	b.WriteString(done + Seconds(seconds) + " so far.\n")
	return title, b.String()
}
