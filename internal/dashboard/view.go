package dashboard

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/suite"
	"github.com/odfix/odfix/templates"
)

// The periods that a person can choose, in days.
const defaultDays = 30

var periods = []int{7, defaultDays, 90, 365}

// maxRecent is how many investigations the page lists. The exports hold all.
const maxRecent = 50

// view is an overview of an installation, of the repositories that the person may read.
type view struct {
	store.Overview
	id    int64
	days  int
	now   time.Time
	since time.Time
	names map[int64]string // of repositories, as GitHub names them
}

// outcomeOf says how an investigation ended.
func outcomeOf(i store.Investigation, found []store.Finding) templates.Outcome {
	switch i.State {
	case store.Done, store.Reporting:
	case store.Failed, store.Expired:
		return templates.OutcomeFailed
	case store.Superseded, store.Cancelled:
		return templates.OutcomeDropped
	default:
		return templates.OutcomeRunning
	}
	has := func(f func(store.Finding) bool) bool { return slices.ContainsFunc(found, f) }
	switch {
	case has(func(f store.Finding) bool { return f.Verdict.OrderDependent() && f.Proved }):
		return templates.OutcomeProved
	case has(func(f store.Finding) bool { return f.Verdict.OrderDependent() }):
		return templates.OutcomeDependent
	case has(func(f store.Finding) bool { return f.Verdict == suite.Genuine || f.Verdict == suite.Regression }):
		return templates.OutcomeGenuine
	case has(func(f store.Finding) bool { return f.Verdict == suite.FlakyOther }):
		return templates.OutcomeFlaky
	}
	return templates.OutcomeUnclear
}

// findings are those of each investigation.
func (v *view) findings() map[string][]store.Finding {
	out := map[string][]store.Finding{}
	for _, f := range v.Findings {
		out[f.Investigation] = append(out[f.Investigation], f)
	}
	return out
}

type pullID struct{ repository, number int64 }

// green are the pull requests in which CI became green after a comment of odfix, and when.
func (v *view) green() map[pullID]time.Time {
	out := map[pullID]time.Time{}
	for _, p := range v.Posted {
		if p.Kind == "settled" {
			out[pullID{p.Repository, p.PullRequest}] = p.Done
		}
	}
	return out
}

// testID is a test of a repository.
type testID struct {
	repository int64
	test       suite.TestID
}

// page makes what the templates show.
func (v *view) page(account string) templates.OverviewPage {
	p := templates.OverviewPage{ID: v.id, Account: account, Days: v.days, Periods: periods, More: v.More,
		Since: v.since.Format("2 January 2006"), Repositories: len(v.names)}
	found, green := v.findings(), v.green()
	days := map[string]*templates.Day{}
	for at := v.since; !at.After(v.now); at = at.AddDate(0, 0, 1) {
		p.Daily = append(p.Daily, templates.Day{Date: at.Format(time.DateOnly), Outcomes: map[templates.Outcome]int{}})
	}
	for i := range p.Daily {
		days[p.Daily[i].Date] = &p.Daily[i]
	}
	repos := map[int64]*templates.RepositoryRow{}
	dependent, proved, fixed := map[testID]bool{}, map[testID]bool{}, map[testID]bool{}
	for _, i := range v.Investigations {
		outcome := outcomeOf(i, found[i.ID])
		if d := days[i.Created.UTC().Format(time.DateOnly)]; d != nil {
			d.Outcomes[outcome]++
		}
		r := repos[i.Repository]
		if r == nil {
			r = &templates.RepositoryRow{Name: v.names[i.Repository], Outcomes: map[templates.Outcome]int{}}
			repos[i.Repository] = r
		}
		r.Investigations++
		r.Outcomes[outcome]++
		r.Spent += v.Spent[i.ID]
		p.Spent += v.Spent[i.ID]
		p.Total(outcome)
		at, settled := green[pullID{i.Repository, i.PullRequest}]
		for _, f := range found[i.ID] {
			if !f.Verdict.OrderDependent() {
				continue
			}
			id := testID{i.Repository, f.Test}
			dependent[id] = true
			proved[id] = proved[id] || f.Proved
			fixed[id] = fixed[id] || f.Proved && settled && at.After(i.Created)
		}
		if len(p.Recent) < maxRecent {
			p.Recent = append(p.Recent, v.row(i, outcome, found[i.ID]))
		}
	}
	p.Dependent, p.Proved, p.Fixed = len(dependent), held(proved), held(fixed)
	for _, x := range v.Posted {
		if x.Kind == "comment" {
			p.Comments++
		}
	}
	p.Green = len(green)
	trends := v.trends()
	for id, r := range repos {
		r.Trend = trends[id]
		p.Rows = append(p.Rows, *r)
	}
	slices.SortFunc(p.Rows, func(a, b templates.RepositoryRow) int {
		return cmp.Or(b.Investigations-a.Investigations, cmp.Compare(a.Name, b.Name))
	})
	return p
}

func held(m map[testID]bool) int {
	n := 0
	for yes := range maps.Values(m) {
		if yes {
			n++
		}
	}
	return n
}

// maxPoints is how many points a trend has at most.
const maxPoints = 13

// trends counts, for each repository and part of the period, the different order-dependent tests.
func (v *view) trends() map[int64][]int {
	parts := min(v.days, maxPoints)
	length := v.now.Sub(v.since)/time.Duration(parts) + 1
	seen := map[int64][]map[suite.TestID]bool{}
	for _, f := range v.Findings {
		if !f.Verdict.OrderDependent() {
			continue
		}
		if seen[f.Repository] == nil {
			seen[f.Repository] = make([]map[suite.TestID]bool, parts)
		}
		at := min(int(f.Created.Sub(v.since)/length), parts-1)
		if seen[f.Repository][at] == nil {
			seen[f.Repository][at] = map[suite.TestID]bool{}
		}
		seen[f.Repository][at][f.Test] = true
	}
	out := map[int64][]int{}
	for id, tests := range seen {
		for _, t := range tests {
			out[id] = append(out[id], len(t))
		}
	}
	return out
}

func (v *view) row(i store.Investigation, outcome templates.Outcome, found []store.Finding) templates.InvestigationRow {
	r := templates.InvestigationRow{ID: i.ID, Created: i.Created.UTC(), Repository: v.names[i.Repository], PullRequest: i.PullRequest,
		HeadSHA: i.HeadSHA, Outcome: outcome, State: string(i.State), Reason: i.Reason, Spent: v.Spent[i.ID].Seconds()}
	for _, f := range found {
		r.Tests = append(r.Tests, templates.TestRow{Test: string(f.Test), Verdict: string(f.Verdict), Proved: f.Proved})
	}
	return r
}

func (d *Dashboard) overview(w http.ResponseWriter, r *http.Request, v visitor) error {
	all, err := v.Installations(r.Context())
	if err != nil {
		return err
	}
	x, done, err := d.chosen(r, v)
	if err != nil {
		return err
	}
	defer done()
	account := ""
	for _, i := range all {
		if i.ID == x.id {
			account = i.Account
		}
	}
	p := x.page(account)
	p.Web = d.o.Web
	html := p.HTML()
	done() // a slow browser keeps no place
	return d.send(w, html)
}
