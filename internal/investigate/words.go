package investigate

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/templates"
)

// buttons are on every check that has ended.
var buttons = []github.Button{{ID: "retry", Label: "Try again", Description: "Run the investigation once more"}}

// code shows foreign text as what it is: one line, in quotes it cannot leave.
func code(s string) string {
	s = templates.Harmless(s, false)
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") || s == "" {
		s = " " + s + " "
	}
	return fence + s + fence
}

// block shows foreign lines.
func block(language, s string) string {
	fence := "```"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	return fence + language + "\n" + strings.TrimSuffix(s, "\n") + "\n" + fence + "\n"
}

func list(b *strings.Builder, items []string, most int) {
	for _, it := range items[:min(len(items), most)] {
		b.WriteString("- " + code(it) + "\n")
	}
	if n := len(items) - most; n > 0 {
		fmt.Fprintf(b, "- and %d more\n", n)
	}
}

func queuedText(ev evidence) string {
	var b strings.Builder
	b.WriteString("odfix looks whether these depend on the order of tests:\n\n")
	list(&b, ev.Tests, 20)
	if ev.Order != nil {
		fmt.Fprintf(&b, "\nCI's order of tests is from the %s (%s).\n", code(ev.Order.Source), ev.Order.Provenance)
	}
	for _, n := range ev.Notes {
		b.WriteString("\n" + code(n) + "\n")
	}
	return b.String()
}

func progressText(ev evidence, e job.Event) string {
	var b strings.Builder
	b.WriteString(queuedText(ev))
	if e.Message != "" {
		b.WriteString("\nNow: " + code(e.Message) + "\n")
	}
	if e.Best != "" {
		b.WriteString("\nSo far: " + code(e.Best) + "\n")
	}
	return b.String()
}

func badConfigText(branch string, problems []config.Problem) string {
	var b strings.Builder
	fmt.Fprintf(&b, "odfix does nothing in this repository until its configuration on %s can be read:\n\n", code(branch))
	for _, p := range problems {
		fmt.Fprintf(&b, "- %s\n", code(p.String()))
	}
	return b.String()
}

// endedCheck is for investigations that came to no report.
func endedCheck(i store.Investigation) github.Check {
	switch i.State {
	case store.Superseded:
		return github.Check{Conclusion: "cancelled", Title: "A newer push took its place", Summary: "Nothing is said of this commit."}
	case store.Cancelled:
		return github.Check{Conclusion: "cancelled", Title: "Nobody waits for this any more", Summary: "It ended because " + i.Reason + "."}
	case store.Expired:
		return github.Check{Conclusion: "neutral", Title: "It took too long", Summary: "The investigation did not end in the time it may take, so nothing is known."}
	}
	return github.Check{Conclusion: "neutral", Title: "odfix could not find out", Summary: "Nothing is known of why these tests failed: " + code(i.Reason)}
}

// verdictCheck is the check of a report.
func verdictCheck(r *job.Report, ev evidence) github.Check {
	c := github.Check{Conclusion: "neutral"}
	var b strings.Builder
	if r.Error != nil {
		c.Title = "odfix could not find out"
		fmt.Fprintf(&b, "%s\n\n%s\n", code(r.Error.Message), code(r.Error.Hint))
		if r.Error.Detail != "" {
			b.WriteString("\n" + block("", templates.Harmless(r.Error.Detail, true)))
		}
	}
	n := map[job.Verdict]int{}
	for _, t := range r.Tests {
		n[t.Verdict]++
		fmt.Fprintf(&b, "- %s %s: %s\n", code(string(t.Test)), verdictWords[t.Verdict], code(t.Reason))
	}
	if c.Title == "" {
		c.Title = verdictTitle(r, n)
	}
	if ev.Order != nil {
		fmt.Fprintf(&b, "\nCI's order of tests is from the %s (%s).\n", code(ev.Order.Source), ev.Order.Provenance)
	}
	fmt.Fprintf(&b, "\n%d test executions in %.0f seconds, on %s.\n", r.Cost.Tests, r.Cost.Total, ev.Tested)
	if !r.Finished {
		b.WriteString("\nThe time was over before all was tried; what stands here holds.\n")
	}
	c.Summary = b.String()
	return c
}

var verdictWords = map[job.Verdict]string{
	job.Victim: "is a victim of the order of tests", job.Brittle: "needs another test before it", job.VictimBrittle: "is brittle and a victim of the order of tests",
	job.FlakyOther: "is flaky whatever the order", job.Genuine: "does not depend on the order of tests", job.NotReproduced: "did not fail here", job.Undecided: "is unresolved",
}

func verdictTitle(r *job.Report, n map[job.Verdict]int) string {
	dependent := n[job.Victim] + n[job.Brittle] + n[job.VictimBrittle]
	switch {
	case len(r.Tests) == 0:
		return "Nothing could be found out"
	case dependent > 0 && len(r.Chosen()) > 0:
		return fmt.Sprintf("%s on the order of tests; a proved patch is suggested", depend(dependent))
	case dependent > 0:
		return depend(dependent) + " on the order of tests"
	case n[job.Genuine] > 0:
		return "Not order-dependent"
	case n[job.FlakyOther] > 0:
		return "Flaky, whatever the order of tests"
	case n[job.NotReproduced] > 0:
		return "The failure could not be reproduced"
	}
	return "Nothing certain could be found out"
}

func depend(n int) string {
	if n == 1 {
		return "1 test depends"
	}
	return fmt.Sprintf("%d tests depend", n)
}

// fingerprint names a cause so that it holds over pushes: no line, no commit.
func fingerprint(r *job.Report, p *job.Patch) string {
	var names []string
	for _, t := range p.Cures {
		names = append(names, string(t))
	}
	for _, t := range r.Tests {
		if slices.Contains(p.Cures, t.Test) {
			for _, o := range append(slices.Clone(t.Polluters), t.StateSetters...) {
				names = append(names, o.Key())
			}
		}
	}
	slices.Sort(names)
	sum := sha256.Sum256([]byte(strings.Join(slices.Compact(names), "\n")))
	return hex.EncodeToString(sum[:8])
}

func marker(fingerprint string) string { return "<!-- odfix " + fingerprint + " -->" }

// patchComment is what is said of a patch on the pull request.
func patchComment(r *job.Report, p *job.Patch) string {
	var b strings.Builder
	for _, t := range r.Tests {
		if slices.Contains(p.Cures, t.Test) {
			fmt.Fprintf(&b, "%s %s: %s.\n\n", code(string(t.Test)), verdictWords[t.Verdict], code(t.Reason))
		}
	}
	b.WriteString("This patch was proved to mend it:\n\n")
	b.WriteString(block("diff", templates.Harmless(p.Diff, true)))
	return b.String()
}
