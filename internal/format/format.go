// Package format renders a report for tools that read the output of CI: GitHub's workflow commands,
// SARIF, JUnit and Markdown. The texts are those of package templates.
//
// A report is foreign text. Invariants: none of it can be read as a workflow command, and paths are
// relative, with '/', and inside the checkout.
package format

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suggest"
	"github.com/odfix/odfix/internal/suite"
	"github.com/odfix/odfix/internal/verdict"
	"github.com/odfix/odfix/templates"
)

// The formats.
const (
	GitHub   = "github"   // the text for people, and annotations as workflow commands
	SARIF    = "sarif"    // SARIF 2.1.0
	JUnit    = "junit"    // a JUnit report
	Markdown = "markdown" // such as a job summary
)

// Known are the formats.
var Known = []string{GitHub, SARIF, JUnit, Markdown}

// Render renders a report. Dir is the checkout, whose files give the lines; text is the answer for
// people, which GitHub's format contains.
func Render(ctx context.Context, format string, r *job.Report, dir, text string) (string, error) {
	switch format {
	case GitHub:
		return commands(text, findings(r, dir), r.Error), nil
	case SARIF:
		return sarif(r, findings(r, dir))
	case JUnit:
		return templates.JUnit(r), nil
	case Markdown:
		return markdown(ctx, r, dir)
	}
	return "", fmt.Errorf("there is no format %q", format)
}

// finding is what is said about a test, at lines of a file.
type finding struct {
	test    suite.TestID
	verdict suite.Verdict
	title   string
	message string
	path    string // empty: not known
	first   int
	last    int
}

// findings are the order-dependent and the flaky tests. Genuine failures are none of odfix's: the
// build has reported them.
func findings(r *job.Report, dir string) []finding {
	c := checkout{dir: dir}
	var out []finding
	for _, t := range r.Tests {
		if !t.Verdict.OrderDependent() && t.Verdict != suite.FlakyOther {
			continue
		}
		f := finding{test: t.Test, verdict: t.Verdict, title: templates.AnnotationTitle(r.Names, t)}
		p := r.Proved(t.Test)
		f.message = templates.AnnotationMessage(t, p != nil)
		if p != nil {
			f.path, f.first, f.last = c.changed(p.RawDiff())
		}
		if f.path == "" {
			f.path, f.first = c.source(r.Names, t.Test), 1
			f.last = f.first
		}
		out = append(out, f)
	}
	return out
}

// checkout finds files and lines.
type checkout struct {
	dir   string
	files []string // nil: not listed yet
}

// changed is the first place that a patch changes.
func (c *checkout) changed(diff string) (path string, first, last int) {
	sections, err := patch.Sections(diff)
	if err != nil {
		return "", 0, 0
	}
	for _, s := range sections {
		if s.Kind != patch.Edits || !patch.Local(s.Path) || len(s.File.Hunks) == 0 {
			continue
		}
		before, err := os.ReadFile(filepath.Join(c.dir, filepath.FromSlash(s.Path)))
		if err == nil {
			if after, err := s.File.Apply(string(before)); err == nil {
				if first, last = suggest.Extent(string(before), after); first > 0 {
					return s.Path, first, last
				}
			}
		}
		// The patch is applied, or the files are others: its own numbers are the best.
		h := s.File.Hunks[0]
		first = max(h.Line, 1)
		return s.Path, first, max(first, h.Line+len(h.Before)-1)
	}
	return "", 0, 0
}

// mostFiles bounds the search for a test's source.
const mostFiles = 100_000

// source is the file that declares a test; "" if there is none.
func (c *checkout) source(names job.Names, t suite.TestID) string {
	if c.dir != "" && c.files == nil {
		c.files = list(c.dir)
	}
	i := slices.IndexFunc(c.files, func(f string) bool { return names.Holds(f, t) })
	if i < 0 {
		return ""
	}
	return c.files[i]
}

// list returns the files below a folder, without those of builds.
func list(dir string) []string {
	out := []string{}
	_ = filepath.WalkDir(dir, func(at string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // an unreadable folder has no sources
		case len(out) >= mostFiles:
			return filepath.SkipAll
		case d.IsDir():
			if n := d.Name(); at != dir && (strings.HasPrefix(n, ".") || n == "target" || n == "node_modules") {
				return filepath.SkipDir
			}
			return nil
		}
		if rel, err := filepath.Rel(dir, at); err == nil {
			out = append(out, filepath.ToSlash(rel))
		}
		return nil
	})
	return out
}

// markdown is what the check run shows.
func markdown(ctx context.Context, r *job.Report, dir string) (string, error) {
	c := config.Defaults()
	c.Techniques = config.Techniques // the report has what was asked for
	in := verdict.Input{Report: r, Head: map[string]string{}, Config: c, TestedSHA: r.Project.Revision, HeadSHA: r.Project.Revision,
		Of: "your checkout"}
	for _, p := range verdict.Touched(ctx, r, c) {
		if !patch.Local(p) {
			continue
		}
		if text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(p))); err == nil {
			in.Head[p] = string(text)
		}
	}
	plan, err := verdict.New(ctx, in)
	if err != nil {
		return "", err
	}
	k := plan.Check
	return "## " + templates.Prose(k.Title) + "\n\n" + k.Summary + "\n" + k.Text, nil
}
