package verdict

import (
	"strings"

	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/suggest"
	"github.com/odfix/odfix/templates"
)

// Check is the check run, concluded.
type Check struct {
	Conclusion  string
	Title       string
	Summary     string // Markdown, as Text
	Text        string
	Annotations []Annotation
}

// The conclusions used. Neutral blocks nobody: CI is red already, and a
// verdict on it is news, no second failure.
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

// GitHub's caps, in bytes where it counts characters.
const (
	maxText        = 64000
	maxAnnotations = 50
)

// Batches are the annotations in portions that one request each can carry.
func (c Check) Batches() [][]Annotation {
	var out [][]Annotation
	for all := c.Annotations; len(all) > 0; {
		n := min(len(all), maxAnnotations)
		out = append(out, all[:n])
		all = all[n:]
	}
	return out
}

// where says in which form a change reached the pull request.
var where = map[config.Rung]string{
	config.Suggestion: "it is suggested on the lines of this pull request", config.FileComment: "it is in a comment on a file of this pull request",
	config.Comment: "it is in a comment", config.Stacked: "it is in a pull request of its own", config.Commit: "it is committed to the branch",
}

func (b *builder) check(causes []cause, changes []change) Check {
	v := templates.Check{Report: b.in.Report, Commit: abbreviated(b.in.TestedSHA)}
	for i, c := range causes {
		k := templates.CheckCause{Cause: b.words(c)}
		k.CheckURL = "" // the check does not link to itself
		if rung := b.comment(c, changes[i]); rung != nil && len(c.patches) > 0 {
			k.Where = where[rung.Rung]
		}
		k.Whole, k.More = cut(changes[i].diff, 1000, 30000)
		v.Causes = append(v.Causes, k)
	}
	return Check{
		Conclusion: Neutral, Title: templates.CheckTitle(v),
		Summary: fit([]string{templates.CheckSummary(v)}), Text: fit(templates.CheckSections(v)),
		Annotations: annotations(causes, changes),
	}
}

// fit puts sections together as far as they have room.
func fit(sections []string) string {
	const left = "\nThere is more than fits here.\n"
	var b strings.Builder
	for _, s := range sections {
		if b.Len()+len(s)+len(left) > maxText {
			if b.Len() == 0 { // a single part that is too long: its beginning, as plain text
				b.WriteString(suggest.Block("", strings.ToValidUTF8(s[:maxText/2], "")) + "\n")
			}
			b.WriteString(left)
			break
		}
		b.WriteString(s + "\n")
	}
	return b.String()
}

// annotations point at the lines of the head commit that the changes touch.
func annotations(causes []cause, changes []change) []Annotation {
	var out []Annotation
	for i, c := range changes {
		for _, e := range c.edits {
			first, last := suggest.Extent(e.Before, e.After)
			if first == 0 {
				continue
			}
			t := causes[i].tests[0]
			out = append(out, Annotation{
				Path: e.Path, Start: first, End: last, Level: "notice", Title: templates.AnnotationTitle(t), Message: templates.AnnotationMessage(t),
			})
		}
	}
	return out
}
