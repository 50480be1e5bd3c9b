package verdict

import (
	"cmp"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suggest"
	"github.com/odfix/odfix/internal/suite"
	"github.com/odfix/odfix/templates"
)

// PollutionInput is what the tests of a pull request's files leave changed at its head, and what
// they leave changed at its base.
type PollutionInput struct {
	Head, Base []state.Polluter
	Unseen     []string // files of the head whose tests were not all observed to their end
	Unsure     []string // the same of the base; nothing counts as new in them
	Files      []File
	BaseSHA    string
	Names      job.Names // of the tests of both
}

// maxLine is larger than the number of lines of any source.
const maxLine = 1_000_000

// polluter is a test that is reported.
type polluter struct {
	state.Polluter
	said  templates.NewPolluter
	level string
}

// Polluting returns the tests that leave state changed that other tests read, or that break other
// tests, and that have a location. The location comes from the runner, so it is not trusted.
func Polluting(list []state.Polluter) []state.Polluter {
	var out []state.Polluter
	for _, t := range list {
		t.Pollutes = slices.DeleteFunc(slices.Clone(t.Pollutes), func(q state.Pollution) bool {
			read := q.Label == state.Failing || q.Label == state.Read
			return q.Label != state.Breaks && (!read || q.Resets || q.Restored)
		})
		if s := t.Source; len(t.Pollutes) > 0 && s != nil && s.Line >= 1 && s.EndLine >= s.Line && s.EndLine <= maxLine {
			out = append(out, t)
		}
	}
	return out
}

// NoNewPolluters returns the check for a pull request without new polluters. It is neutral if not
// all tests were observed.
func NoNewPolluters(whole bool) Check {
	c := Check{Conclusion: Success, Title: templates.PollutionTitle(nil), Summary: templates.NoPollution}
	if !whole {
		c.Conclusion, c.Title = Neutral, "No test is known newly to leave shared state changed"
		c.Summary = templates.UnseenPollution
	}
	return c
}

// NewPolluters returns the check that marks new polluters: tests that pollute a field and did not
// do so on the base. It returns false if there are none.
func NewPolluters(in PollutionInput) (Check, bool) {
	was := in.before()
	shown := shownIn(in.Files)
	var list []polluter
	for _, t := range Polluting(in.Head) {
		f, ours := in.file(t.Source.File)
		if !ours {
			continue
		}
		names := in.namesOf(t.Test, f)
		t.Pollutes = slices.DeleteFunc(t.Pollutes, func(q state.Pollution) bool {
			return slices.ContainsFunc(names, func(p place) bool { return was[p] || was[place{p.file, p.test, q.Field}] })
		})
		if len(t.Pollutes) > 0 {
			list = append(list, in.worded(t))
		}
	}
	if len(list) == 0 {
		return NoNewPolluters(len(in.Unseen)+len(in.Unsure) == 0), false
	}
	slices.SortStableFunc(list, func(a, b polluter) int { return len(b.said.Breaks) - len(a.said.Breaks) })
	var said []templates.NewPolluter
	c := Check{Conclusion: Neutral}
	for _, p := range list {
		said = append(said, p.said)
		if len(c.Annotations) < maxAnnotations {
			title, message := templates.PollutionNote(p.said)
			line := visible(*p.Source, shown[p.Source.File])
			c.Annotations = append(c.Annotations,
				Annotation{Path: p.Source.File, Start: line, End: line, Level: p.level, Title: title, Message: message})
		}
	}
	c.Title = templates.PollutionTitle(said)
	c.Summary = fit([]string{templates.PollutionSummary(said, len(c.Annotations), abbreviated(in.BaseSHA))})
	return c, true
}

// place is a field that a test of a file leaves changed. Without a name, it stands for unknown
// fields. In a renamed file a test has another id, so a test is also identified by its name in the
// file.
type place struct{ file, test, name string }

func (in PollutionInput) before() map[place]bool {
	out := map[place]bool{}
	for _, f := range in.Unsure {
		out[place{file: f}] = true
	}
	for _, t := range in.Base {
		file := ""
		if t.Source != nil {
			file = t.Source.File
		}
		for _, p := range []place{{test: string(t.Test)}, {file: file, test: in.inFile(t.Test)}} {
			out[p] = t.Source == nil || t.More > 0 || out[p]
			for _, q := range t.Pollutes {
				out[place{p.file, p.test, q.Field}] = true
			}
		}
	}
	return out
}

// namesOf returns the names that a test of the head may have on the base.
func (in PollutionInput) namesOf(t suite.TestID, f File) []place {
	from := cmp.Or(f.Previous, f.Path)
	out := []place{{test: string(t)}, {file: from, test: in.inFile(t)}}
	if f.Status != "added" {
		out = append(out, place{file: from}, place{test: in.inFile(t)})
	}
	return out
}

// inFile returns a test's name in its file.
func (in PollutionInput) inFile(t suite.TestID) string {
	n := in.Names.Of(t)
	return strings.TrimPrefix(n.Unit, n.Group) + " " + n.Name
}

func (in PollutionInput) file(path string) (File, bool) {
	i := slices.IndexFunc(in.Files, func(f File) bool { return f.Path == path && f.Status != "removed" })
	if i < 0 {
		return File{}, false
	}
	return in.Files[i], true
}

func (in PollutionInput) worded(t state.Polluter) polluter {
	q := slices.MinFunc(t.Pollutes, func(a, b state.Pollution) int { return len(b.Breaks) - len(a.Breaks) })
	out := polluter{Polluter: t, level: "notice"}
	out.said = templates.NewPolluter{
		Names: in.Names, Test: t.Test, Path: q.Path, Before: q.Before, After: q.After, More: len(t.Pollutes) - 1, WrittenBy: q.WrittenBy,
		Breaks: q.Breaks, Readers: q.Readers, MoreReaders: q.MoreReaders,
		Fails: q.Label == state.Failing,
	}
	if q.Label == state.Breaks {
		out.level = "warning"
	}
	return out
}

// visible returns the line of a test to annotate: the line with its name, else its first line that
// the diff shows.
func visible(s state.Source, shown []suggest.Shown) int {
	first := 0
	for _, h := range shown {
		line := max(s.Line, h.First)
		if line <= s.EndLine && line-h.First < len(h.Lines) && (first == 0 || line < first) {
			first = line
		}
	}
	return cmp.Or(first, s.Line)
}
