package accept

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// patches takes the patches of the accepted tests.
func (a *acceptor) patches(ctx context.Context, r, out *job.Report) {
	of := map[suite.TestID][]job.Patch{}
	for _, t := range r.Tests {
		if _, twice := of[t.Test]; !twice {
			of[t.Test] = t.Patches
		}
	}
	left, known := maxAll, map[string]read{}
	for i := range out.Tests {
		t := &out.Tests[i]
		for _, p := range head(of[t.Test], maxPatches) {
			if left--; left < 0 || ctx.Err() != nil {
				return
			}
			taken, why := a.patch(ctx, &p, known)
			if why != "" {
				a.note("A change for %s is left out: %s.", t.Test, why)
				continue
			}
			t.Patches = append(t.Patches, taken)
		}
	}
}

// note adds a note, as long as there are few.
func (a *acceptor) note(format string, args ...any) {
	if len(a.notes) < maxNotes {
		a.notes = append(a.notes, fmt.Sprintf(format, args...))
	}
}

// read is a diff that was accepted, or why it was not. The diff is written anew from what odfix reads in it,
// since git can read more in the text that came.
type read struct {
	diff  string
	hunks []addition
	files []string
	why   string
}

// addition is a hunk without blanks: all its lines as one text, and those that are new.
type addition struct {
	text  string
	lines []string
}

// adds reports whether the diff adds a text, or lines of it.
func (r read) adds(text string) bool {
	text = dense(text)
	return text != "" && slices.ContainsFunc(r.hunks, func(h addition) bool {
		return strings.Contains(h.text, text) && slices.ContainsFunc(h.lines, func(l string) bool {
			return strings.Contains(l, text) || len(l) >= leastLine && strings.Contains(text, l)
		})
	})
}

// begins reports whether the diff adds a line with which a text begins that goes on below the hunk.
func (r read) begins(text string) bool {
	text = dense(text)
	return slices.ContainsFunc(r.hunks, func(h addition) bool {
		return slices.ContainsFunc(h.lines, func(l string) bool { return len(l) >= leastLine && strings.HasPrefix(text, l) })
	})
}

// annotates reports whether the diff adds an annotation, by its whole name or its last part.
func (r read) annotates(name string) bool {
	return r.adds("@"+name) || r.adds("@"+name[strings.LastIndexByte(name, '.')+1:])
}

// leastLine is how many signs a line needs to be recognised as a part of a statement.
const leastLine = 3

// dense is a text without its blanks.
func dense(text string) string { return strings.Join(strings.Fields(text), "") }

// read reads a diff.
func (a *acceptor) read(ctx context.Context, diff string) read {
	sections, why := a.sections(ctx, diff)
	if why != "" {
		return read{why: why}
	}
	out := read{diff: patch.Render(sections...)}
	for _, s := range sections {
		out.files = append(out.files, s.Path)
		for _, h := range s.File.Hunks {
			out.hunks = append(out.hunks, additionOf(h))
		}
	}
	slices.Sort(out.files)
	return out
}

func additionOf(h patch.Hunk) addition {
	out := addition{text: dense(strings.Join(h.After, "\n"))}
	old := map[string]int{}
	for _, l := range h.Before {
		old[l]++
	}
	for _, l := range h.After {
		if old[l]--; old[l] < 0 {
			out.lines = append(out.lines, dense(l))
		}
	}
	return out
}

// patch takes one patch, or says why not. known holds the patches that were seen before, since several
// tests can have one patch.
func (a *acceptor) patch(ctx context.Context, p *job.Patch, known map[string]read) (job.Patch, string) {
	of, seen := known[p.RawDiff()]
	if !seen {
		of = a.read(ctx, p.RawDiff())
		known[p.RawDiff()] = of
	}
	switch {
	case of.why != "":
		return job.Patch{}, of.why
	case !kinds[p.Kind] || !locations[p.Location] || !styles[p.Style]:
		return job.Patch{}, "it is of no known kind"
	}
	fixes := suite.Filter(head(p.Fixes, maxTests), func(t suite.TestID) bool { return a.tests[t].OrderDependent() })
	if len(fixes) == 0 && p.Proof.Proved {
		return job.Patch{}, "it repairs no test that depends on the order of tests"
	}
	adds := of.adds
	if p.Made != nil && len(p.Made.Unshare)+len(p.Made.Await) > 0 { // the text may go on with lines that do not change
		adds = func(text string) bool { return of.adds(text) || of.begins(text) }
	}
	out := job.Patch{Kind: p.Kind, Location: p.Location, Style: p.Style, Fixes: fixes,
		Made: made(p.Made, of), Statements: list(suite.Filter(head(p.Statements, maxList), adds), maxList, maxSentence), Files: of.files,
		Proof: a.proof(p.Proof)}
	for _, id := range head(p.StatementIDs, maxAll) {
		out.StatementIDs = append(out.StatementIDs, word(id))
	}
	if a.valid(p.At) {
		out.At = p.At
	}
	out.Also, _ = a.order(p.Also)
	out.Except = a.except(p, &out)
	out.Helper, _ = a.order(p.Helper)
	out.WidenedFor = a.orders(p.WidenedFor)
	out.SetDiff(of.diff)
	if out.Why = p.Why; !job.KnownWhy(&out, a.syntax.Nouns()) {
		out.Why = ""
	}
	return out, ""
}

// except takes the statements that are left out at some of the patch's tests.
func (a *acceptor) except(p, out *job.Patch) map[suite.TestID][]string {
	var left map[suite.TestID][]string
	for _, t := range append(suite.Order{out.At}, out.Also...) {
		var ids []string
		for _, id := range out.StatementIDs {
			if t != "" && slices.Contains(p.Except[t], id) {
				ids = append(ids, id)
			}
		}
		if len(ids) > 0 {
			if left == nil {
				left = map[suite.TestID][]string{}
			}
			left[t] = ids
		}
	}
	return left
}

// combined takes the patch of several causes.
func (a *acceptor) combined(ctx context.Context, c *job.Combined) *job.Combined {
	if c == nil {
		return nil
	}
	of := a.read(ctx, c.RawDiff())
	if of.why != "" {
		return nil
	}
	out := &job.Combined{Files: of.files, LeftOut: list(c.LeftOut, maxGroups, maxSentence), Proof: a.proof(c.Proof),
		Fixes: suite.Filter(head(c.Fixes, maxTests), func(t suite.TestID) bool { return a.tests[t].OrderDependent() })}
	out.SetDiff(of.diff)
	return out
}

// alternative takes a setting of odfix's vocabulary.
func (a *acceptor) alternative(x *job.Alternative) *job.Alternative {
	if x == nil || a.scope.Language != Jest || !slices.Contains(job.Settings, x.Setting) {
		return nil
	}
	return &job.Alternative{Setting: x.Setting, Proof: a.proof(x.Proof),
		Fixes: suite.Filter(head(x.Fixes, maxTests), func(t suite.TestID) bool { return a.tests[t].OrderDependent() })}
}

// sections returns what a diff does to each file, or why it is not accepted.
func (a *acceptor) sections(ctx context.Context, diff string) ([]patch.Section, string) {
	if len(diff) > maxDiff {
		return nil, fmt.Sprintf("its patch has more than %d KiB", maxDiff>>10)
	}
	sections, err := patch.Sections(diff)
	if err != nil {
		return nil, "its patch does more than change text files"
	}
	if len(sections) > maxFiles {
		return nil, fmt.Sprintf("its patch touches more than %d files", maxFiles)
	}
	seen := map[string]bool{}
	for _, s := range sections {
		switch {
		case ctx.Err() != nil:
			return nil, "the time is over"
		case seen[s.Path]:
			return nil, "its patch names " + line(s.Path) + " twice"
		case s.Kind != patch.Edits:
			return nil, "its patch makes or removes " + line(s.Path)
		case !a.sources.few(s.Path):
			return nil, fmt.Sprintf("the patches of the report touch more than %d files", maxTouched)
		case !a.sources.test(s.Path):
			return nil, "it touches " + line(s.Path) + ", which is no test source that the server knows"
		}
		seen[s.Path] = true
		text := a.sources.text(s.Path)
		if text == nil {
			return nil, "its patch touches " + line(s.Path) + ", and the files of all patches are too large"
		}
		if text.Fits(s.File) != nil {
			return nil, "its patch does not fit " + line(s.Path) + " at the tested commit"
		}
		if what := hides(s.File); what != "" {
			return nil, "its patch adds a line with " + what + " to " + line(s.Path)
		}
	}
	return sections, ""
}

func made(m *patch.Made, of read) *patch.Made {
	if m == nil {
		return nil
	}
	var imports []patch.Import
	for _, i := range head(m.Imports, maxList) {
		imports = append(imports, patch.Import{Name: line(i.Name), As: line(i.As), Module: line(i.Module)})
	}
	return &patch.Made{Imports: imports, Resets: cut(m.Resets, maxSentence), Fields: list(m.Fields, maxList, maxSentence),
		Statements: list(m.Statements, maxList, maxSentence), Unshare: list(m.Unshare, maxList, maxSentence),
		Await:    list(m.Await, maxList, maxSentence),
		Annotate: list(suite.Filter(head(m.Annotate, maxList), of.annotates), maxList, maxSentence)}
}

// proof takes the checks of a proof that odfix makes. Its commands name files of the runner's machine.
func (a *acceptor) proof(p job.Proof) job.Proof {
	out := job.Proof{Proved: p.Proved, Checks: []job.Check{}, Commands: []job.Command{}}
	names := suite.CheckNames(a.syntax.Nouns())
	for _, c := range head(p.Checks, 2*maxList) {
		if slices.Contains(names, c.Name) {
			out.Checks = append(out.Checks, job.Check{Name: c.Name, OK: c.OK, Repeats: count(c.Repeats), Detail: a.detail(c.Detail)})
		}
	}
	return out
}
