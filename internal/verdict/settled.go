package verdict

import (
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/templates"
)

// Settlement is how a cause that was commented on came to its end.
type Settlement string

// The settlements.
const (
	Passes Settlement = "passes" // the order that failed was run again, and passes
	Green  Settlement = "green"  // CI does not fail any more
	Gone   Settlement = "gone"   // its tests no longer exist
)

// Settled replaces the body of a comment whose cause is gone. It names the commit that ended the
// cause, and holds no suggestion any more.
func Settled(m Marker, how Settlement, commit string) string {
	m.Settled = true
	return m.Line() + "\n" + templates.SettledBody(templates.Settled{
		Victims: m.shortened(m.Victims), By: m.shortened(m.By), Kind: m.Kind, How: string(how), Commit: abbreviated(commit),
	})
}

// Superseded is the check run of a head that is not the newest any more.
func Superseded(newHead string) Check {
	title, summary := templates.Superseded(abbreviated(newHead))
	return Check{Conclusion: Cancelled, Title: title, Summary: summary}
}

// CauseGone is the check run of a head on which nothing is left of what was found before.
func CauseGone(how Settlement, commit string) Check {
	title, summary := templates.CauseGone(string(how), abbreviated(commit))
	return Check{Conclusion: Success, Title: title, Summary: summary}
}

// Waiting is the check run before a runner has taken the investigation.
func Waiting(tests []string) Check {
	title, summary := templates.Waiting(tests)
	return Check{Title: title, Summary: summary}
}

// Progress is the check run while the investigation goes on; seconds have passed since it began.
func Progress(e job.Event, seconds float64) Check {
	title, summary := templates.Progress(e, seconds)
	return Check{Title: title, Summary: summary}
}
