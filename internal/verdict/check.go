package verdict

import (
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suggest"
	"github.com/odfix/odfix/templates"
)

// Check is a completed check run.
type Check struct {
	Conclusion  string
	Title       string
	Summary     string // Markdown, as Text
	Text        string
	Annotations []Annotation
}

// The conclusions used. Neutral blocks no merge: CI is red already, and a verdict on the failure is
// not a second failure.
const (
	Neutral   = "neutral"
	Success   = "success"
	Cancelled = "cancelled"
)

// Annotation marks lines of a file at the head commit.
type Annotation struct {
	Path       string
	Start, End int
	Level      string // notice, warning, failure
	Title      string
	Message    string
}

// GitHub's limits. GitHub counts characters; here they are bytes, to be safe.
const (
	maxText        = 64000
	maxAnnotations = 50
)

// check is the content of the check run. left is the number of causes that get no comment because of
// the limits for comments.
func (b *builder) check(all []finding, left int) Check {
	v := templates.Check{Report: b.in.Report, Commit: abbreviated(b.in.TestedSHA), Of: b.in.Of, Claimed: b.in.Claimed, HelpURL: b.in.HelpURL,
		Notes: b.in.Notes, LeftOut: left}
	if b.in.TestedSHA != b.in.HeadSHA {
		v.Head = abbreviated(b.in.HeadSHA)
	}
	for _, f := range all {
		k := templates.CheckCause{Cause: b.words(f.cause)}
		k.CheckURL = "" // the check does not link to itself
		k.Whole, k.More = cut(f.change.diff, 1000, 30000)
		v.Causes = append(v.Causes, k)
	}
	return Check{
		Conclusion: Neutral, Title: templates.CheckTitle(v),
		Summary: fit([]string{templates.CheckSummary(v)}), Text: fit(templates.CheckSections(v)),
		Annotations: b.annotations(all),
	}
}

// fit joins sections as long as there is room.
func fit(sections []string) string {
	const left = "\nThere is more than fits here.\n"
	var b strings.Builder
	for _, s := range sections {
		s += "\n"
		if b.Len()+len(s)+len(left) > maxText {
			if b.Len() == 0 { // a single part that is too long: its beginning, as plain text
				b.WriteString(suggest.Block("", strings.ToValidUTF8(s[:maxText/2], "")) + "\n")
			}
			b.WriteString(left)
			break
		}
		b.WriteString(s)
	}
	return b.String()
}

// of is the test whose change touches a file.
func (f finding) of(path string) job.TestReport {
	for _, p := range f.patches {
		if !slices.Contains(p.Files, path) {
			continue
		}
		for _, t := range f.tests {
			if slices.Contains(p.Fixes, t.Test) {
				return t
			}
		}
	}
	return f.tests[0]
}

// annotations mark the lines of the head commit that the changes touch, except lines with a
// comment. There are at most maxAnnotations.
func (b *builder) annotations(all []finding) []Annotation {
	var out []Annotation
	for _, f := range all {
		if f.rung == config.Suggestion || f.rung == config.FileComment {
			continue
		}
		for _, e := range f.edits {
			if len(out) == maxAnnotations {
				return out
			}
			first, last := suggest.Extent(e.Before, e.After)
			if first == 0 {
				continue
			}
			t := f.of(e.Path)
			out = append(out, Annotation{
				Path: e.Path, Start: first, End: last, Level: "notice", Title: templates.AnnotationTitle(b.in.Report.Names, t),
				Message: templates.AnnotationMessage(t, !b.in.Claimed),
			})
		}
	}
	return out
}
