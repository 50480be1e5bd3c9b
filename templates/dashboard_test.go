package templates

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/browsertest"
)

// busy is an overview with every outcome, and hostile text in every name.
func busy() OverviewPage {
	const bad = `<script>alert(1)</script>" onload="x`
	p := OverviewPage{ID: 7, Account: "acme " + bad, Web: "https://github.com", Since: "22 October 2026", Days: 30, Repositories: 3,
		Periods: []int{7, 30, 90}, Dependent: 14, Proved: 11, Fixed: 9, Comments: 12, Green: 8, Spent: 3*time.Hour + 25*time.Minute}
	day := time.Date(2026, 10, 22, 0, 0, 0, 0, time.UTC)
	for i := range 30 {
		d := Day{Date: day.AddDate(0, 0, i).Format(time.DateOnly), Outcomes: map[Outcome]int{}}
		for k, o := range allOutcomes {
			if n := (i*7 + k*k*5) % (3 + k*4); n < 3 && i%6 < 5 {
				d.Outcomes[o] = n
				for range n {
					p.Total(o)
				}
			}
		}
		p.Daily = append(p.Daily, d)
	}
	p.Rows = []RepositoryRow{
		{Name: "acme/shop", Investigations: 61, Outcomes: map[Outcome]int{OutcomeProved: 12, OutcomeDependent: 4}, Spent: 2 * time.Hour,
			Trend: []int{6, 5, 7, 4, 4, 3, 3, 2, 2, 1, 1, 0, 1}},
		{Name: "acme/" + bad, Investigations: 12, Outcomes: map[Outcome]int{}, Spent: 40 * time.Minute},
	}
	for _, o := range allOutcomes {
		p.Recent = append(p.Recent, InvestigationRow{ID: "x", Created: day, Repository: "acme/" + bad, PullRequest: 7, Outcome: o, Reason: bad, Spent: 95,
			Tests: []TestRow{{Test: "com.example.shop.ReceiptTest#printsTheTotal", Verdict: "victim", Proved: true}, {Test: bad + "\x1b[31m", Verdict: "flaky"}}})
	}
	return p
}

// TestDashboardPages: names and reasons hold no markup, and no script is in a page.
func TestDashboardPages(t *testing.T) {
	for name, got := range map[string]string{"overview": busy().HTML(), "problem": InstallationsPage{Problem: "<b>"}.HTML(),
		"list": InstallationsPage{Items: []InstallationLink{{ID: 3, Account: "<b>"}}}.HTML(), "empty": OverviewPage{}.HTML()} {
		for _, bad := range []string{"<script", "<b>", "\x1b", ` onload="`} {
			if strings.Contains(got, bad) {
				t.Errorf("%s: %q is in the page", name, bad)
			}
		}
	}
	if got := busy().HTML(); !strings.Contains(got, "2 h 0 min") || !strings.Contains(got, "40 min") {
		t.Error(got)
	}
	if got := busy().HTML(); !strings.Contains(got, `href="/installations/7/investigations.csv?days=30"`) || !strings.Contains(got, "polyline points=\"0,6 10,9 ") {
		t.Error(got)
	}
}

func TestDashboardInBrowser(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	b := browsertest.New(ctx, t)
	pages := map[string]string{"/overview": busy().HTML(), "/sign-in": InstallationsPage{Problem: "Sign in.", SignIn: true}.HTML()}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", DashboardPolicy)
		_, _ = io.WriteString(w, pages[r.URL.Path])
	}))
	t.Cleanup(server.Close)
	browsertest.Look(b, t, "dashboard", server.URL+"/overview")
	if !testing.Short() {
		browsertest.Look(b, t, "sign-in", server.URL+"/sign-in")
	}
}
