package investigate

import (
	"fmt"
	"strings"

	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/pull"
	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/verdict"
	"github.com/odfix/odfix/templates"
)

// buttons are on every completed check run.
var buttons = []github.Button{{ID: "retry", Label: "Try again", Description: "Run the investigation once more"}}

// signed ends a check's summary with the link to the page that explains odfix.
func (s *Service) signed(c github.Check) github.Check {
	c.Summary += "\n" + templates.HelpLine(s.o.HelpURL)
	return c
}

func badConfigText(branch string, problems []config.Problem) string {
	var b strings.Builder
	fmt.Fprintf(&b, "odfix does nothing in this repository until its configuration on %s can be read:\n\n", templates.Code(branch))
	for _, p := range problems {
		fmt.Fprintf(&b, "- %s\n", templates.Code(p.String()))
	}
	return b.String()
}

// endedCheck is the check run of an investigation without a report.
func endedCheck(i store.Investigation) github.Check {
	switch i.State {
	case store.Superseded:
		return pull.CheckOf(verdict.Superseded(i.SupersededBy))
	case store.Cancelled:
		return github.Check{Conclusion: "cancelled", Title: "This result is no longer needed", Summary: "It ended because " + i.Reason + "."}
	case store.Expired:
		return github.Check{Conclusion: "neutral", Title: "It took too long",
			Summary: "The investigation did not end in the time it may take, so nothing is known."}
	}
	return github.Check{Conclusion: "neutral", Title: "odfix could not find out",
		Summary: "Nothing is known of why these tests failed: " + templates.Code(i.Reason)}
}

// runButton is on the check of a commit that has to be approved.
var runButton = github.Button{ID: commandRun, Label: "Run", Description: "Approve this commit and investigate it"}

// waitingCheck says that a maintainer has to approve the commit.
func waitingCheck(p *github.Pull, ev evidence, cfg config.Approval) github.Check {
	var b strings.Builder
	fmt.Fprintf(&b, "%s failed. To find out why, odfix would run code of %s, whom GitHub does not call a contributor to this repository. "+
		"So a person who can write to the repository has to approve the commit %s first, in one of these ways:\n\n",
		count(len(ev.Tests)), templates.Code(p.Author.Login), templates.Code(p.HeadSHA[:10]))
	fmt.Fprintf(&b, "- the button \"%s\" of this check,\n- the comment `%s`,\n- the label %s, which approves the commit that is the newest then.\n\n",
		runButton.Label, approval(p.HeadSHA), templates.Code(string(cfg.Label)))
	b.WriteString("The approval is for this commit. Another commit needs another one.\n")
	return github.Check{Conclusion: "neutral", Title: fmt.Sprintf("Pull request #%d waits for a maintainer's approval", p.Number), Summary: b.String(),
		Buttons: []github.Button{runButton}}
}

func count(tests int) string {
	if tests == 1 {
		return "A test"
	}
	return fmt.Sprintf("%d tests", tests)
}

// noteLine is a note, in which names are foreign input.
func noteLine(n string) string { return templates.Prose(n) + "\n" }
