package templates

import (
	"strings"
	"unicode/utf8"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// Texts without Markdown: messages of commits, and annotations of lines.

// FixMessage is a commit's message: a short first line, then why.
func FixMessage(c Cause) string {
	r := newRemark(c)
	var b strings.Builder
	b.WriteString(clip(FixTitle(c), 72) + "\n")
	for _, t := range c.Tests[:min(len(c.Tests), maxTests)] {
		b.WriteString("\n- " + clip(inert(asName(string(t.Test))+" "+Harmless(inShort(t), false)), 500) + ".")
	}
	switch {
	case r.Proof != "" && r.Claimed:
		b.WriteString("\nChecked by the pull request's own workflow run: " + r.Proof + ".")
	case r.Proof != "":
		b.WriteString("\nProved: " + r.Proof + ".")
	}
	return b.String() + "\n"
}

func clip(s string, most int) string {
	if utf8.RuneCountInString(s) > most {
		return string([]rune(s)[:most-1]) + "…"
	}
	return s
}

// AnnotationTitle is one line without Markdown.
func AnnotationTitle(n job.Names, t job.TestReport) string {
	return clip("Order of tests: "+asName(n.Short(t.Test)), maxTitle)
}

// inShort says when a test fails, as a part of a sentence. For an order-dependent test the words are
// odfix's own, not the runner's.
func inShort(t job.TestReport) string {
	after := func(groups []suite.Order) string {
		if len(groups) == 0 {
			return "after other tests"
		}
		return "after " + clip(strings.Join(named(groups, func(t suite.TestID) string { return asName(string(t)) }), " and "), 300)
	}
	switch t.Verdict {
	case suite.Victim:
		return "passes alone, and fails " + after(t.Polluters)
	case suite.Brittle:
		return "fails alone, and passes " + after(t.StateSetters)
	case suite.VictimBrittle:
		return "passes " + after(t.StateSetters) + ", and fails again " + after(t.Polluters)
	}
	return strings.TrimSuffix(t.Reason, ".")
}

// AnnotationMessage says in a sentence, without Markdown, why the lines are marked. Proved: a change
// of them is proved.
func AnnotationMessage(t job.TestReport, proved bool) string {
	s := clip(inert(asName(string(t.Test))+" "+Harmless(inShort(t), false)), 1000) + "."
	if proved {
		s += " A change here is proved to fix it."
	}
	return s
}
