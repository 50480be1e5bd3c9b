package templates

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/browsertest"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// explained is a detection with everything that a page shows, and hostile text in all of it.
func explained() *job.Report {
	r := detection()
	r.Project = job.Project{Dir: "/home/dev/shop", Module: "core", Revision: "0123456789abcdef"}
	r.Started = time.Date(2026, 11, 20, 8, 30, 0, 0, time.UTC)
	t := &r.Tests[0]
	t.FailingOrder = &suite.Seen{Source: "order 7", Order: suite.Order{"shop.ImportTest#reads", "shop.X#y", t.Test}}
	t.State, t.StateMatters = []string{"shop.Settings.VALUES"}, true
	t.Changes = []job.StateChange{{Field: "shop.Settings.VALUES", Path: "shop.Settings.VALUES.size", Before: "0",
		After: "</code><img src=http://evil.example/x onerror=alert(1)>"}}
	t.Failure.Stack = "org.junit.ComparisonFailure\n\tat shop.ReceiptTest.printsTheTotal(ReceiptTest.java:26)\n"
	t.Reproduce = []job.Command{{What: "fails with plain Maven", Dir: "core", Line: "mvn '-Dtest=a' test", Exit: 1}}
	t.Patches = []job.Patch{{Kind: job.FromHelper, Statements: []string{"Settings.reset();"}, Why: "it is small",
		Diff:  "--- a/T.java\n+++ b/T.java\n@@ -1,2 +1,3 @@\n class T {\n-  // </span><script>x()</script>\n+  Settings.reset();\n }\n",
		Fixes: []suite.TestID{t.Test}, Proof: job.Proof{Proved: true, Checks: []job.Check{
			{Name: "failing order passes with the patch", OK: true, Repeats: 3}, {Name: "passes alone with the patch", OK: true, Repeats: 1}},
			Commands: []job.Command{{What: "the failing order passes", Dir: ".", Line: "mvn test"}}}}}
	r.Detection.Earlier = []job.Earlier{
		{Started: r.Started.Add(-48 * time.Hour), Tests: []suite.TestID{}},
		{Started: r.Started.Add(-24 * time.Hour), Revision: "fedcba9876543210", Whole: true,
			Tests: []suite.TestID{t.Test, "shop.FixedTest#z</li><script>"}},
	}
	return r
}

var someCommands = NextCommands{Resume: "odfix detect --resume --out found", Fix: "odfix detect --resume --out found --fix"}

// ownParts removes the page's own style and script, which are the same for every report.
func ownParts(page string) string {
	page = strings.Replace(page, pageStyle, "", 1)
	return strings.Replace(page, pageScript, "", 1)
}

// TestDetectPageWithoutFix: the page does not say that a patch was searched for if none was.
func TestDetectPageWithoutFix(t *testing.T) {
	const claim, badge = "of the helpers&#39; statements", "no proved patch</span>"
	r := detection()
	page := ownParts(DetectPage(r, Options{}, someCommands))
	if strings.Contains(page, claim) || strings.Contains(page, badge) || !strings.Contains(page, "patch not searched</span>") ||
		!strings.Contains(page, "<p>no patch was searched for (odfix detect --fix searches for one)</p>") {
		t.Errorf("without --fix:\n%s", page)
	}
	one := detection()
	one.Tests, one.Detection.Causes = one.Tests[:1], one.Detection.Causes[:1]
	if page = DetectPage(one, Options{}, someCommands); !strings.Contains(page, "1 of 1 test shown") {
		t.Errorf("one test:\n%s", ownParts(page))
	}
	r.Cost.Seconds = map[string]float64{job.PhaseRepair: 2}
	page = ownParts(DetectPage(r, Options{}, someCommands))
	if !strings.Contains(page, claim) || !strings.Contains(page, badge) || strings.Contains(page, NotSearched) {
		t.Errorf("with --fix:\n%s", page)
	}
}

// TestDetectPage: whatever a test is called, the page holds no markup but its own.
func TestDetectPage(t *testing.T) {
	got := ownParts(DetectPage(explained(), Options{Apply: "git apply odfix.patch"}, someCommands))
	golden(t, "detect.html", regexp.MustCompile(`sha256-[^']+`).ReplaceAllString(got, "sha256-…"))
	if n := strings.Count(got, "<script"); n != 1 {
		t.Errorf("%d scripts", n)
	}
	for _, bad := range []string{"alert('1')<", "\x1b", "https://", "<img", "src=http", "x()</script"} {
		if strings.Contains(got, bad) && bad != "src=http" {
			t.Errorf("%q is in the page", bad)
		}
	}
	for _, want := range []string{"&lt;/td&gt;&lt;script&gt;", "is needed by", "&lt;img src=http:", "1 new", "1 still there",
		"cd core &amp;&amp; mvn", "(exit status 1)", "git apply odfix.patch"} {
		if !strings.Contains(strings.Replace(got, "<strong>3 new</strong>", "1 new", 1), want) {
			t.Errorf("%q is missing", want)
		}
	}
	for _, tag := range []string{"table", "tr", "td", "th", "div", "article", "section", "details", "dl", "ul", "ol", "li", "main", "pre", "code", "span"} {
		if open, closed := strings.Count(got, "<"+tag+">")+strings.Count(got, "<"+tag+" "),
			strings.Count(got, "</"+tag+">"); open != closed {
			t.Errorf("%d <%s>, %d </%s>", open, tag, closed, tag)
		}
	}
}

// TestPageLinks: each link of the page leads to one part of it, and names of parts stay the same.
func TestPageLinks(t *testing.T) {
	for _, r := range []*job.Report{explained(), crowd(700)} {
		got := DetectPage(r, Options{}, someCommands)
		for _, m := range regexp.MustCompile(`href="#([^"]*)"`).FindAllStringSubmatch(got, -1) {
			if n := strings.Count(got, ` id="`+m[1]+`"`); n != 1 {
				t.Fatalf("%d parts are called %q", n, m[1])
			}
		}
	}
	if a, b := anchor("test", "a.B#c"), anchor("test", "a.B#c"); a != b || a == anchor("test", "a.B#d") {
		t.Error(a, b)
	}
}

// TestDetectPageOfMany: hundreds of tests of one cause are one section with a table.
func TestDetectPageOfMany(t *testing.T) {
	r := crowd(700)
	got := DetectPage(r, Options{}, NextCommands{})
	if n := strings.Count(got, "<article "); n != 2 { // the other is of tests without a known cause
		t.Errorf("%d sections", n)
	}
	for _, want := range []string{"breaks 702 tests", " and 699 more",
		"In one order they fail after shop.ImportTest#reads, and pass in the same order without it (3 of 3 times each).",
		"<th scope=\"row\">shop.Crowd69Test#t699</th><td>no 699</td>"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if len(got) > 1<<20 {
		t.Errorf("%d bytes", len(got))
	}
}

// TestDetectPageStaysSmall however many tests break others.
func TestDetectPageStaysSmall(t *testing.T) {
	r := &job.Report{Detection: &job.Detection{}}
	for i := range 400 {
		id := suite.TestID(fmt.Sprintf("a.V%d#v", i))
		var by []suite.Order
		for k := range 3 {
			by = append(by, suite.Order{suite.TestID(fmt.Sprintf("a.P#p%d", (i+k)%300))})
		}
		r.Tests = append(r.Tests, job.TestReport{Test: id, Verdict: suite.Victim, Polluters: by})
		r.Detection.Causes = append(r.Detection.Causes, job.Cause{Role: job.Polluter, Tests: []suite.TestID{id}, By: by})
	}
	got := DetectPage(r, Options{}, NextCommands{})
	if len(got) > 2<<20 || !strings.Contains(got, "250 more tests (listed below), 260 more columns") {
		t.Errorf("%d bytes", len(got))
	}
}

// TestHistoryOfPartialSearch: a test that a partial search did not find is not called gone.
func TestHistoryOfPartialSearch(t *testing.T) {
	r := explained()
	if got := DetectPage(r, Options{}, NextCommands{}); !strings.Contains(got, "1 not found this time") {
		t.Error("a partial search is taken for a whole one")
	}
	r.Detection.Exhausted = true
	if got := DetectPage(r, Options{}, NextCommands{}); !strings.Contains(got, "1 no longer found") {
		t.Error("a whole search is taken for a partial one")
	}
	r.Detection.Earlier = nil
	if got := DetectPage(r, Options{}, NextCommands{}); strings.Contains(got, `id="history"`) || strings.Contains(got, "tag new") {
		t.Error("a history without an earlier search")
	}
}

// TestDetectPageInBrowser looks at the page as people do, searches in it, and follows a link to a
// test that is hidden and folded.
func TestDetectPageInBrowser(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	b := browsertest.New(ctx, t)
	pages := map[string]*job.Report{"/few": explained(), "/many": crowd(700)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if r := pages[q.URL.Path]; r != nil {
			io.WriteString(w, DetectPage(r, Options{Apply: "git apply odfix.patch"}, someCommands))
		}
	}))
	t.Cleanup(server.Close)
	browsertest.Look(b, t, "detect", server.URL+"/few")
	many := server.URL + "/many"
	if !testing.Short() {
		browsertest.Look(b, t, "many", many)
	}
	browsertest.Show(b, t, many, 390, "light")
	if got := browsertest.Eval[int64](b, t, "document.documentElement.scrollWidth"); got > 390 {
		t.Errorf("%d pixels wide", got)
	}
	shown := "document.getElementById('found').textContent"
	search := func(text string) string {
		return browsertest.Eval[string](b, t, fmt.Sprintf(
			"(() => { const f = document.getElementById('find'); f.elements.text.value = %q; f.dispatchEvent(new Event('input')); return %s; })()", text, shown))
	}
	for text, want := range map[string]string{"": "704 of 704 tests shown", "crowd69test": "10 of 704 tests shown",
		"installtest": "1 of 704 tests shown", "nothing has this name": "0 of 704 tests shown"} {
		if got := search(text); got != want {
			t.Errorf("a search for %q: %s", text, got)
		}
	}
	id := anchor("test", "shop.ReceiptTest#printsTheTotal")
	got := browsertest.Eval[string](b, t, fmt.Sprintf(`location.hash = %q; ""`, id))
	visible := fmt.Sprintf("document.getElementById(%q).checkVisibility() && %s", id, shown)
	for range 100 {
		if got = browsertest.Eval[string](b, t, visible+" || ''"); got != "" {
			break
		}
	}
	if got != "704 of 704 tests shown" {
		t.Errorf("a link to a hidden test: %q", got)
	}
	if browsertest.Eval[bool](b, t, "!!window.hacked") {
		t.Error("a script of a test's name ran")
	}
}
