package verdict

import (
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/templates"
)

// Settlement says why a cause that has a comment is no longer present.
type Settlement string

// The settlements.
const (
	Passes Settlement = "passes" // the order that failed was run again, and passes
	Green  Settlement = "green"  // CI does not fail any more
	Gone   Settlement = "gone"   // its tests no longer exist
)

// Settled returns a new body for the comment of a cause that is no longer present. It names the
// commit that removed the cause, and contains no suggestion.
func Settled(m Marker, how Settlement, commit string) string {
	m.Settled = true
	return m.Line() + "\n" + templates.SettledBody(templates.Settled{
		Victims: m.shortened(m.Victims), By: m.shortened(m.By), Kind: m.Kind, How: string(how), Commit: abbreviated(commit),
	})
}

// Superseded is the check run of a head that is no longer the newest.
func Superseded(newHead string) Check {
	title, summary := templates.Superseded(abbreviated(newHead))
	return Check{Conclusion: Cancelled, Title: title, Summary: summary}
}

// CauseGone is the check run of a head on which the earlier cause is no longer present.
func CauseGone(how Settlement, commit string) Check {
	title, summary := templates.CauseGone(string(how), abbreviated(commit))
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
