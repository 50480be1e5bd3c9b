package templates

import (
	"cmp"
	"crypto/sha256"
	_ "embed" // the page's style and script
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

var (
	//go:embed page.css
	pageStyle string
	//go:embed detect.js
	pageScript string
)

// NextCommands are commands for the step after a detection, beside those of Options; each may be empty.
type NextCommands struct {
	Resume string // continues an unfinished search
	Fix    string // makes patches for what was found
}

// page is a detection as one HTML file.
type page struct {
	Style  template.CSS
	Script template.JS
	Policy string // of the page's content

	Project, When, Tool  string
	Headline, Coverage   string
	Guarantee            []string
	Exhausted, Finished  bool
	But                  string
	Next                 []pageCommand
	Causes               []*pageCause
	Tests                int
	Filters              []pageFilter
	Columns              []pageLink
	Rows                 []pageRow
	MoreRows, MoreColumn int
	History              *pageHistory
	Others               []otherList
	Notes                []string
}

// pageCommand is a command for a shell, and what it does.
type pageCommand struct{ What, Line string }

// pageFilter is a choice of causes and tests.
type pageFilter struct{ Value, Label string }

// DetectPage is a detection as one HTML file that needs nothing else. Everything can be read without
// its script, which searches, filters and copies. The page's policy forbids requests and any other
// script. The template package escapes whatever is put into it; "" where there is no detection.
func DetectPage(r *job.Report, o Options, c NextCommands) string {
	r = clean(r)
	if r.Detection == nil {
		return ""
	}
	t := template.Must(template.New("detect.html.tmpl").Funcs(template.FuncMap{"links": newLinks, "count": count}).ParseFS(files, "detect.html.tmpl"))
	var b strings.Builder
	if err := t.Execute(&b, newPage(r, o, c)); err != nil {
		panic(err) // as in render
	}
	return b.String()
}

func newPage(r *job.Report, o Options, c NextCommands) *page {
	d := r.Detection
	p := &page{
		Style: template.CSS(pageStyle), Script: template.JS(pageScript), //nolint:gosec // both are our own constants
		Policy: fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'",
			hashOf(pageStyle), hashOf(pageScript)),
		Project: projectName(r.Project), When: r.Started.UTC().Format("2 January 2006, 15:04 UTC"),
		Headline: detectHeadline(r), Coverage: coverage(d), Guarantee: d.Guarantee, Exhausted: d.Exhausted,
		But: strings.Replace(exceptions(d), "above", "below", 1), Finished: r.Finished,
		Notes: r.Notes, Tool: r.Tool, Others: otherLists(r), Next: nextSteps(o, c),
	}
	p.causes(r)
	p.history(r)
	p.matrix(r)
	p.filters()
	return p
}

// hashOf is the form in which a page's policy names its own style and script.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// anchor is the fragment of a cause or test. It stays the same in later reports.
func anchor(kind, name string) string {
	sum := sha256.Sum256([]byte(name))
	return kind + "-" + hex.EncodeToString(sum[:5])
}

func nextSteps(o Options, c NextCommands) []pageCommand {
	var out []pageCommand
	add := func(what, line string) {
		if line != "" {
			out = append(out, pageCommand{what, line})
		}
	}
	add("Apply what is proved", o.Apply)
	add("Prove the patches again, from scratch", o.Verify)
	if o.Apply == "" {
		add("Make and prove patches for what was found", c.Fix)
	}
	add("Continue the search", c.Resume)
	return out
}

func projectName(p job.Project) string {
	name := p.Dir[strings.LastIndexAny(p.Dir, `/\`)+1:]
	if p.Module != "" && p.Module != "." {
		name += ", module " + p.Module
	}
	if p.Revision != "" {
		name += ", commit " + p.Revision[:min(12, len(p.Revision))]
	}
	return name
}

// filters are offered where they choose some of the causes, and not all.
func (p *page) filters() {
	count := func(has func(*pageCause) bool) int {
		n := 0
		for _, c := range p.Causes {
			if has(c) {
				n++
			}
		}
		return n
	}
	for _, f := range []struct {
		value, label string
		has          func(*pageCause) bool
	}{
		{"proved", "With a proved patch", func(c *pageCause) bool { return c.Proved }},
		{"open", "Without a proved patch", func(c *pageCause) bool { return !c.Proved }},
		{"new", "New since the last detection", func(c *pageCause) bool { return c.New > 0 }},
		{string(job.Polluter), "Breaks other tests", func(c *pageCause) bool { return c.Role == job.Polluter }},
		{string(job.StateSetter), "Needed by other tests", func(c *pageCause) bool { return c.Role == job.StateSetter }},
		{string(job.NotKnown), "Cause not known", func(c *pageCause) bool { return c.Role == job.NotKnown }},
	} {
		if n := count(f.has); n > 0 && n < len(p.Causes) {
			p.Filters = append(p.Filters, pageFilter{f.value, fmt.Sprintf("%s (%d)", f.label, n)})
		}
	}
}

// names are orders in words, each once.
func names(orders []suite.Order) []string {
	var out []string
	for _, o := range orders {
		if n := joined(o); !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

func cleaners(t job.TestReport) []suite.Order {
	var out []suite.Order
	for _, c := range t.Cleaners {
		out = append(out, c.Cleaner)
	}
	return out
}

// shortOrder is an order of short names.
func shortOrder(n job.Names, o suite.Order) string {
	var out []string
	for _, t := range o {
		out = append(out, n.Short(t))
	}
	return strings.Join(out, " + ")
}

// cohortSentence describes the orders of a cohort.
func cohortSentence(c job.Cohort) string {
	times := fmt.Sprintf("%d of %d times each", c.Repeats, c.Repeats)
	switch {
	case len(c.Cause) == 0:
		return fmt.Sprintf("They fail in one order, of %s, and pass in another, of %s (%s). What causes that was "+
			"not found out yet.", count(len(c.Failing), "test"), count(len(c.Passing), "test"), times)
	case len(c.Failing) > len(c.Passing):
		return fmt.Sprintf("In one order they fail after %s, and pass in the same order without it (%s). None of "+
			"them was run alone for that.", joined(c.Cause), times)
	}
	return fmt.Sprintf("In one order they pass after %s, and fail in the same order without it (%s). None of them "+
		"was run alone for that.", joined(c.Cause), times)
}

// pageHistory compares the detection with earlier ones.
type pageHistory struct {
	Since            string // when the last one was
	New, Still, Gone []pageLink
	Whole            bool // this search ran every order, so that what is gone was looked for
	Rows             []pageSearch
}

// pageSearch is one detection of the history.
type pageSearch struct {
	When, Revision, Coverage string
	Tests, Width             int // Width: of its bar, of 100
	Now                      bool
}

// pageLinks is a list of links with its title.
type pageLinks struct {
	Label string
	Items []pageLink
}

func newLinks(label string, items []pageLink) pageLinks { return pageLinks{label, items} }

// pageLink leads to a cause or test of the page; without an ID it is only a name.
type pageLink struct{ ID, Name, Short string }

// history compares the tests with those of the last detection, and marks what is new.
func (p *page) history(r *job.Report) {
	d := r.Detection
	if len(d.Earlier) == 0 {
		return
	}
	last := d.Earlier[len(d.Earlier)-1]
	h := &pageHistory{Since: day(last), Whole: d.Exhausted && len(d.Changed) == 0}
	var found []suite.TestID
	for _, c := range p.Causes {
		for i := range c.Tests {
			t := &c.Tests[i]
			found = append(found, t.id)
			link := pageLink{t.ID, t.Name, t.Short}
			if slices.Contains(last.Tests, t.id) {
				h.Still = append(h.Still, link)
				continue
			}
			t.New = true
			c.New++
			h.New = append(h.New, link)
		}
	}
	for _, t := range last.Tests {
		if !slices.Contains(found, t) {
			h.Gone = append(h.Gone, pageLink{"", string(t), r.Names.Short(t)})
		}
	}
	all := append(slices.Clone(d.Earlier), job.Earlier{Started: r.Started, Revision: r.Project.Revision, Whole: h.Whole, Tests: found})
	most := 1
	for _, e := range all {
		most = max(most, len(e.Tests))
	}
	for i, e := range slices.Backward(all) {
		covered := "part of the orders"
		if e.Whole {
			covered = "every order"
		}
		h.Rows = append(h.Rows, pageSearch{day(e), cmp.Or(e.Revision[:min(10, len(e.Revision))], "—"), covered,
			len(e.Tests), 100 * len(e.Tests) / most, i == len(all)-1})
	}
	p.History = h
}

func day(e job.Earlier) string { return e.Started.UTC().Format("2 Jan 2006, 15:04") }
