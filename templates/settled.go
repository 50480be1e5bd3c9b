package templates

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// Settled is a failure with a comment that CI does not show any more.
type Settled struct {
	Kind    suite.Verdict
	Commit  string
	Before  string // the comment as it was, without its marker; Markdown of ours
	HelpURL string // as in Cause
}

// SettledBody is the text of a comment once CI passes again.
func SettledBody(s Settled) string {
	s.Before = withoutOffer(strings.TrimSuffix(strings.TrimSpace(s.Before), strings.TrimSpace(HelpLine(s.HelpURL))))
	return md("settled.md.tmpl", struct {
		Settled
		Dependent bool
	}{s, s.Kind.OrderDependent()})
}

// offer begins a suggestion.
var offer = regexp.MustCompile("(?m)^(```+)suggestion$")

// withoutOffer turns suggestions into plain blocks, which GitHub does not offer to commit.
func withoutOffer(body string) string { return strings.TrimSpace(offer.ReplaceAllString(body, "$1")) }

// Superseded is title and summary of a check whose commit is not the newest.
func Superseded(commit string) (title, summary string) {
	newer := "A newer commit"
	if commit != "" {
		newer += ", " + Code(commit) + ","
	}
	return "Superseded by a newer push", newer + " was pushed. odfix stopped the investigation of this one.\n"
}

// Green is title and summary of a check on a commit on which CI passes again.
func Green(commit string) (title, summary string) {
	return "CI passes again", fmt.Sprintf("CI passes as of commit %s; the order dependence reported on this pull request no "+
		"longer shows. CI ran the tests in one order; odfix tried no others.\n", Code(commit))
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
