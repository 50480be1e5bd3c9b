package verdict

import (
	"strings"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/templates"
)

// Settled returns a new body for a comment of odfix on a pull request on which CI passes again. It
// keeps the old body in a fold, without suggestions.
func Settled(m Marker, commit, old, helpURL string) string {
	m.Settled = true
	say := templates.Settled{Kind: m.Kind, Commit: abbreviated(commit), HelpURL: helpURL}
	_, before, _ := strings.Cut(strings.ReplaceAll(old, "\r\n", "\n"), "\n") // the first line is the marker
	if len(before) < maxBody-2000 {
		say.Before = before
	}
	return m.Line() + "\n" + templates.SettledBody(say)
}

// Superseded is the check run of a head that is no longer the newest.
func Superseded(newHead string) Check {
	title, summary := templates.Superseded(abbreviated(newHead))
	return Check{Conclusion: Cancelled, Title: title, Summary: summary}
}

// Green is the check run of a head on which CI passes again.
func Green(commit string) Check {
	title, summary := templates.Green(abbreviated(commit))
	return Check{Conclusion: Success, Title: title, Summary: summary}
}

// Waiting is the check run before a runner begins the investigation.
func Waiting(tests []string) Check {
	title, summary := templates.Waiting(tests)
	return Check{Title: title, Summary: summary}
}

// Progress is the check run during the investigation; seconds have passed since it began.
func Progress(e job.Event, seconds float64) Check {
	title, summary := templates.Progress(e, seconds)
	return Check{Title: title, Summary: summary}
}
