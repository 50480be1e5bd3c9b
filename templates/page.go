package templates

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// How large the matrix may become; the rest is said in numbers.
const (
	maxRows    = 150
	maxColumns = 100
	maxSteps   = 40 // of an order
)

// page is a detection as one HTML file.
type page struct {
	Title, Project, When string
	Headline, Coverage   string
	Guarantee            []string
	Exhausted, Finished  bool
	But                  string
	Tests                []pageTest
	Rows                 []pageRow
	MoreRows, MoreCols   int
	Cohorts              []pageCohort
	Others               []pageOthers
	Notes                []string
	Tool                 string
}

// pageTest is one order-dependent test: a column of the matrix, and a section.
type pageTest struct {
	ID, Name, Short string
	Column          bool
	InCohort        bool // a row of a cohort's table, and no section
	Sentence        string
	Failure, Stack  string
	Order           []step
	OrderNote       string
	Groups          []pageGroup
	Patch           *pagePatch
	Notes           []string
	FoundAfter      string
}

// pageCohort are tests that share their orders, as a table.
type pageCohort struct {
	Title, Sentence string
	Tests           []pageTest
}

type pageGroup struct {
	Label string
	Items []string
}

type pagePatch struct{ What, Proved, Diff string }

// pageRow is a polluter or state-setter, and its effect on the test of each column.
type pageRow struct {
	Name, Short, Role string
	Cells             []pageCell
	Total             int
}

type pageCell struct{ Mark, Title, Link string }

type pageOthers struct {
	Title string
	Items []string
}

// DetectPage is a detection as one HTML file that needs nothing else: no
// script, no style sheet, no picture. The template package escapes whatever is
// put into it; "" where there is no detection.
func DetectPage(r *job.Report) string {
	r = clean(r)
	if r.Detection == nil {
		return ""
	}
	p := newPage(r)
	t := template.Must(template.New("detect.html.tmpl").ParseFS(files, "detect.html.tmpl"))
	var b strings.Builder
	if err := t.Execute(&b, p); err != nil {
		panic(err) // as in render
	}
	return b.String()
}

func newPage(r *job.Report) page {
	d := r.Detection
	p := page{
		Title: "Order-dependent tests", Project: projectName(r.Project), When: r.Started.UTC().Format("2 January 2006, 15:04 UTC"),
		Headline: detectHeadline(r), Coverage: coverage(d), Guarantee: d.Guarantee, Exhausted: d.Exhausted,
		But: strings.Replace(exceptions(d), "above", "below", 1), Finished: r.Finished,
		Notes: r.Notes, Tool: r.Tool,
	}
	for _, t := range r.Tests {
		if t.Verdict.OrderDependent() {
			p.Tests = append(p.Tests, newPageTest(r, t, len(p.Tests)))
		}
	}
	p.MoreCols = max(0, len(p.Tests)-maxColumns)
	p.rows(r)
	p.cohorts(d)
	for _, o := range otherLists(r) {
		p.Others = append(p.Others, pageOthers{o.title, o.items})
	}
	return p
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

func newPageTest(r *job.Report, t job.TestReport, n int) pageTest {
	out := pageTest{
		ID: fmt.Sprintf("t%d", n+1), Name: string(t.Test), Short: r.Names.Short(t.Test), Column: n < maxColumns,
		Sentence: headline(t), Failure: failure(t.Failure), OrderNote: orderNote(t), Notes: t.Notes,
	}
	if t.Failure != nil {
		out.Stack = t.Failure.Stack
	}
	out.Order = cutSteps(t)
	for _, g := range []struct {
		label  string
		orders []suite.Order
	}{{"Polluters", t.Polluters}, {"State-setters", t.StateSetters}, {"Cleaners", cleaners(t)}} {
		if len(g.orders) > 0 {
			out.Groups = append(out.Groups, pageGroup{g.label, names(g.orders)})
		}
	}
	if b := r.Best(t.Test); b != nil {
		out.Patch = &pagePatch{What: wordingOf(r.Project.Language).patchLine(*b), Proved: "not proved", Diff: b.Diff}
		if r.Proved(t.Test) != nil {
			out.Patch.Proved = "proved"
		}
	}
	for _, f := range r.Detection.Finds {
		if f.Test == t.Test {
			out.FoundAfter = fmt.Sprintf("Found after %s, %s, %s.", count(f.Orders, "order"),
				count(f.Executions, "test execution"), Seconds(f.Seconds))
		}
	}
	return out
}

// cutSteps returns the minimal order. Of a long order, it returns the first tests and the last.
func cutSteps(t job.TestReport) []step {
	out := roles(t)
	if n := len(out); n > maxSteps {
		out = slices.Concat(out[:maxSteps-1], []step{{fmt.Sprintf("… %d more …", n-maxSteps), ""}}, out[n-1:])
	}
	return out
}

// cohorts puts tests that share their orders into tables. They have no sections of their own.
func (p *page) cohorts(d *job.Detection) {
	at := map[string]int{}
	for i, t := range p.Tests {
		at[t.Name] = i
	}
	for _, c := range d.Cohorts {
		out := pageCohort{Sentence: cohortSentence(c)}
		for _, t := range c.Tests {
			if i, ok := at[string(t)]; ok && len(p.Tests[i].Order) == 0 && !p.Tests[i].InCohort {
				p.Tests[i].InCohort = true
				out.Tests = append(out.Tests, p.Tests[i])
			}
		}
		if len(out.Tests) > 0 {
			out.Title = count(len(out.Tests), "test") + " seen together"
			p.Cohorts = append(p.Cohorts, out)
		}
	}
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

func cleaners(t job.TestReport) []suite.Order {
	var out []suite.Order
	for _, c := range t.Cleaners {
		out = append(out, c.Cleaner)
	}
	return out
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

// rows makes the matrix. The polluter or state-setter of most tests comes first.
func (p *page) rows(r *job.Report) {
	type key struct{ role, name string }
	index := map[key]int{}
	column := 0
	for _, t := range r.Tests {
		if !t.Verdict.OrderDependent() {
			continue
		}
		for _, does := range []struct {
			role, mark, verb string
			by               []suite.Order
		}{{"polluter", "✕", "breaks", t.Polluters}, {"state-setter", "◦", "is needed by", t.StateSetters}} {
			for _, o := range does.by {
				k := key{does.role, joined(o)}
				i, ok := index[k]
				if !ok {
					i = len(p.Rows)
					index[k] = i
					p.Rows = append(p.Rows, pageRow{Name: k.name, Short: shortOrder(r.Names, o), Role: does.role,
						Cells: make([]pageCell, min(len(p.Tests), maxColumns))})
				}
				p.Rows[i].Total++
				if column < maxColumns {
					p.Rows[i].Cells[column] = pageCell{does.mark,
						fmt.Sprintf("%s %s %s", shortOrder(r.Names, o), does.verb, r.Names.Short(t.Test)), p.Tests[column].ID}
				}
			}
		}
		column++
	}
	slices.SortStableFunc(p.Rows, func(a, b pageRow) int { return b.Total - a.Total })
	p.MoreRows = max(0, len(p.Rows)-maxRows)
	p.Rows = p.Rows[:min(len(p.Rows), maxRows)]
}

// shortOrder is an order of short names.
func shortOrder(n job.Names, o suite.Order) string {
	var out []string
	for _, t := range o {
		out = append(out, n.Short(t))
	}
	return strings.Join(out, " + ")
}
