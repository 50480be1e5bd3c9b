package templates

import (
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// DashboardPolicy is the content policy of the dashboard's pages: no script, no request to anyone.
var DashboardPolicy = fmt.Sprintf("default-src 'none'; style-src '%s'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'", hashOf(pageStyle))

var dashboardPages = template.Must(template.New("dashboard.html.tmpl").Funcs(template.FuncMap{
	"style":   func() template.CSS { return template.CSS(pageStyle) }, //nolint:gosec // it is our own constant
	"seconds": Seconds,
}).ParseFS(files, "dashboard.html.tmpl"))

// Outcome is how an investigation ended.
type Outcome string

// The outcomes, in the order in which they are shown.
const (
	OutcomeProved    Outcome = "proved"
	OutcomeDependent Outcome = "order-dependent"
	OutcomeGenuine   Outcome = "genuine"
	OutcomeFlaky     Outcome = "flaky"
	OutcomeUnclear   Outcome = "unclear"
	OutcomeFailed    Outcome = "failed"
	OutcomeDropped   Outcome = "dropped"
	OutcomeRunning   Outcome = "running"
)

var allOutcomes = []Outcome{OutcomeProved, OutcomeDependent, OutcomeGenuine, OutcomeFlaky, OutcomeUnclear, OutcomeFailed,
	OutcomeDropped, OutcomeRunning}

// Label is an outcome in words.
func (o Outcome) Label() string {
	return map[Outcome]string{
		OutcomeProved: "Order-dependent, patch proved", OutcomeDependent: "Order-dependent, no proved patch",
		OutcomeGenuine: "Genuine failure", OutcomeFlaky: "Flaky in any order", OutcomeUnclear: "No certain result",
		OutcomeFailed: "Could not be investigated", OutcomeDropped: "Replaced by a push, or closed", OutcomeRunning: "Not finished",
	}[o]
}

// InstallationsPage lists installations, or states a problem.
type InstallationsPage struct {
	Items   []InstallationLink
	Problem string
	SignIn  bool // the person can sign in to solve it
}

// InstallationLink leads to an installation's overview.
type InstallationLink struct {
	ID      int64
	Account string
}

// HTML is the page.
func (p InstallationsPage) HTML() string { return dashboardPage("installations", p) }

// OverviewPage is what an installation did.
type OverviewPage struct {
	ID                     int64
	Account, Since, Web    string
	Days, Repositories     int
	Periods                []int
	Totals                 map[Outcome]int
	Dependent, Proved      int // different tests
	Fixed, Comments, Green int
	Spent                  time.Duration
	Daily                  []Day
	Rows                   []RepositoryRow
	Recent                 []InvestigationRow
	More                   bool // there are older ones that are not counted
}

// Day counts the investigations that began on a day.
type Day struct {
	Date     string
	Outcomes map[Outcome]int
}

// RepositoryRow is the part of a repository.
type RepositoryRow struct {
	Name           string
	Investigations int
	Outcomes       map[Outcome]int
	Spent          time.Duration
	Trend          []int // different order-dependent tests, in equal parts of the period
}

// InvestigationRow is one investigation, on the page and in the exports.
type InvestigationRow struct {
	ID          string    `json:"id"`
	Created     time.Time `json:"created"`
	Repository  string    `json:"repository"`
	PullRequest int64     `json:"pullRequest"`
	HeadSHA     string    `json:"headSha"`
	Outcome     Outcome   `json:"outcome"`
	State       string    `json:"state"`
	Reason      string    `json:"reason,omitempty"`
	Spent       float64   `json:"seconds"`
	Tests       []TestRow `json:"tests,omitempty"`
}

// TestRow is what an investigation found of one test.
type TestRow struct {
	Test    string `json:"test"`
	Verdict string `json:"verdict"`
	Proved  bool   `json:"proved"`
}

// Dependent counts the order-dependent tests, and those with a proved patch.
func (r InvestigationRow) Dependent() (dependent, proved int) {
	for _, t := range r.Tests {
		if suite.Verdict(t.Verdict).OrderDependent() {
			dependent++
			if t.Proved {
				proved++
			}
		}
	}
	return dependent, proved
}

// Names are the first tests of an investigation.
func (r InvestigationRow) Names() []string {
	var out []string
	for _, t := range r.Tests[:min(len(r.Tests), 3)] {
		out = append(out, Harmless(t.Test, false))
	}
	if n := len(r.Tests) - 3; n > 0 {
		out = append(out, fmt.Sprintf("and %d more", n))
	}
	return out
}

// When is the time for people.
func (r InvestigationRow) When() string { return r.Created.Format("2 Jan 2006, 15:04") }

// Total counts an investigation.
func (p *OverviewPage) Total(o Outcome) {
	if p.Totals == nil {
		p.Totals = map[Outcome]int{}
	}
	p.Totals[o]++
}

// Count is the number of investigations.
func (p OverviewPage) Count() int {
	n := 0
	for _, x := range p.Totals {
		n += x
	}
	return n
}

// OutcomeCount is an outcome and its number.
type OutcomeCount struct {
	Outcome
	N int
}

// Outcomes are the outcomes that occur.
func (p OverviewPage) Outcomes() []OutcomeCount {
	var out []OutcomeCount
	for _, o := range allOutcomes {
		if n := p.Totals[o]; n > 0 {
			out = append(out, OutcomeCount{o, n})
		}
	}
	return out
}

// Time is the time of all runners.
func (p OverviewPage) Time() string { return hours(p.Spent) }

// Time is the time of the repository's runners.
func (r RepositoryRow) Time() string { return hours(r.Spent) }

// hours is a long time for people.
func hours(d time.Duration) string {
	switch {
	case d < time.Minute:
		return Seconds(d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}

// The size of a chart, in its own units.
const (
	chartWidth  = 1000
	chartHeight = 160
	trendWidth  = 120
	trendHeight = 28
)

// Bar is a part of a day's bar.
type Bar struct {
	Outcome                       Outcome
	X, Y, Width, Height, Fraction int
	Title                         string
}

// Bars are the days' bars, from left to right, and in each the outcomes from the bottom.
func (p OverviewPage) Bars() []Bar {
	var out []Bar
	most := p.Most()
	for i, d := range p.Daily {
		left, right := i*chartWidth/len(p.Daily), (i+1)*chartWidth/len(p.Daily)
		y := chartHeight
		for _, o := range allOutcomes {
			n := d.Outcomes[o]
			if n == 0 {
				continue
			}
			height := max(1, n*chartHeight/most)
			y -= height
			out = append(out, Bar{Outcome: o, X: left + 1, Y: max(0, y), Width: max(1, right-left-2), Height: height,
				Title: fmt.Sprintf("%s: %d %s", d.Date, n, strings.ToLower(o.Label()))})
		}
	}
	return out
}

// Most is the largest number of investigations on one day, at least 1.
func (p OverviewPage) Most() int {
	most := 1
	for _, d := range p.Daily {
		n := 0
		for _, x := range d.Outcomes {
			n += x
		}
		most = max(most, n)
	}
	return most
}

// Busy are the days with investigations, the latest first, for the table of the chart.
func (p OverviewPage) Busy() []DayCount {
	var out []DayCount
	for _, d := range slices.Backward(p.Daily) {
		var parts []string
		for _, o := range allOutcomes {
			if n := d.Outcomes[o]; n > 0 {
				parts = append(parts, fmt.Sprintf("%s: %d", o.Label(), n))
			}
		}
		if len(parts) > 0 {
			out = append(out, DayCount{d.Date, strings.Join(parts, "; ")})
		}
	}
	return out
}

// DayCount is a day in words.
type DayCount struct{ Date, Text string }

// Points are the trend as points of an SVG polyline.
func (r RepositoryRow) Points() string {
	if len(r.Trend) < 2 {
		return ""
	}
	most := max(1, slices.Max(r.Trend))
	var out []string
	for i, n := range r.Trend {
		out = append(out, fmt.Sprintf("%d,%d", i*trendWidth/(len(r.Trend)-1), trendHeight-2-n*(trendHeight-4)/most))
	}
	return strings.Join(out, " ")
}

// TrendText is the trend in words.
func (r RepositoryRow) TrendText() string {
	if len(r.Trend) == 0 {
		return "none"
	}
	var out []string
	for _, n := range r.Trend {
		out = append(out, fmt.Sprint(n))
	}
	return strings.Join(out, ", ")
}

// Dependent counts the investigations that found order-dependent tests.
func (r RepositoryRow) Dependent() int {
	return r.Outcomes[OutcomeProved] + r.Outcomes[OutcomeDependent]
}

// HTML is the page.
func (p OverviewPage) HTML() string { return dashboardPage("overview", p) }

func dashboardPage(name string, data any) string {
	var b strings.Builder
	if err := dashboardPages.ExecuteTemplate(&b, name, data); err != nil {
		panic(err) // as in render
	}
	return b.String()
}
