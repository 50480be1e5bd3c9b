package investigate

import (
	"context"
	"strings"
	"testing"

	gh "github.com/google/go-github/v60/github"

	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/investigate/investigatetest"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/verdict"
)

// TestLaterPushes: what was said is brought up to date in its place, and settled when CI is green.
func TestLaterPushes(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	p := h.Pull(nil)
	h.red(p, "demo.log")
	h.settled(p, 1)
	first := h.Posted(p).Causes()
	h.Push(p, "second")
	h.red(p, "demo.log")
	h.settled(p, 2)
	s := h.Posted(p)
	if len(first) != 1 || len(s.Causes()) != 1 || s.Reviews != 1 || len(s.Checks) != 1 {
		t.Fatalf("%d then %d comments, %d reviews, %d checks", len(first), len(s.Causes()), s.Reviews, len(s.Checks))
	}
	if len(s.Inline) != 1 || len(s.Comments) != 0 || !strings.Contains(s.Inline[0].GetBody(), "```suggestion") {
		t.Errorf("the suggestion, whose lines nobody touched, is gone: %d on lines, %d others", len(s.Inline), len(s.Comments))
	}
	h.Push(p, "third")
	h.Green(p)
	h.settled(p, 2)
	s = h.Posted(p)
	if m, _ := verdict.FindMarker(s.Causes()[0]); !m.Settled {
		t.Errorf("CI is green, and the comment says: %s", s.Causes()[0])
	}
	if len(s.Causes()) != 1 || len(s.Checks) != 1 || s.Checks[0].GetConclusion() != "success" {
		t.Errorf("%d comments, checks %v", len(s.Causes()), s.Checks)
	}
	h.Push(p, "fourth")
	h.red(p, "demo.log")
	h.settled(p, 3)
	m, ok := verdict.FindMarker(h.Posted(p).Causes()[0])
	if len(h.Posted(p).Causes()) != 1 || !ok || m.Settled {
		t.Errorf("when it is back: %q", h.Posted(p).Causes())
	}
}

// TestRerunOfACommit: an order-dependent test can pass by luck when CI runs again. Its check stays
// open: the order dependence is not fixed.
func TestRerunOfACommit(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	p := h.Pull(nil)
	h.red(p, "demo.log")
	h.settled(p, 1)
	h.Green(p)
	h.settled(p, 1)
	s := h.Posted(p)
	if m, ok := verdict.FindMarker(s.Causes()[0]); len(s.Causes()) != 1 || !ok || m.Settled || len(s.Checks) != 1 {
		t.Errorf("%d checks, %q", len(s.Checks), s.Causes())
	}
}

// TestOutdatedSuggestion: where a push changed the lines that a suggestion stands
// on, its comment says the same without one.
func TestOutdatedSuggestion(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	p := h.Pull(nil)
	h.red(p, "demo.log")
	h.settled(p, 1)
	text, err := h.Repo.File(h.Ctx, p.HeadSha(), investigatetest.PolluterFile)
	h.Must(err)
	changed := strings.Replace(text, "public class", "/** Price lists. */\npublic final class", 1)
	_, err = p.Push(h.Ctx, "Say more", githubtest.Change{Files: map[string]string{investigatetest.PolluterFile: changed}})
	h.Must(err)
	h.runner.Change = func(r *job.Report) { // the same patch, made for the new text
		const method = "CatalogueImportTest {\n"
		r.Tests[0].Patches[0].SetDiff(patch.Unified(patch.Edit{Path: investigatetest.PolluterFile, Before: changed,
			After: strings.Replace(changed, method, method+"\n    @org.junit.After\n    public void reset() {\n        Settings.reset();\n    }\n", 1)}))
	}
	h.red(p, "demo.log")
	h.settled(p, 2)
	s := h.Posted(p)
	if len(s.Causes()) != 1 || len(s.Inline) != 1 || s.Inline[0].GetLine() != 0 {
		t.Fatalf("%d comments, %d on lines", len(s.Causes()), len(s.Inline))
	}
	wantNotIn(t, s.Causes()[0], "```suggestion")
	wantIn(t, s.Causes()[0], "Settings.reset();")
}

// TestPushWhilePosting: the head is looked at before anything is said, though no webhook told of
// the push yet.
func TestPushWhilePosting(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	p := h.Pull(nil)
	h.runner.During = func(context.Context) error {
		h.lost(func() { h.Push(p, "second") })
		return nil
	}
	h.red(p, "demo.log")
	if list := h.settled(p, 1); len(list) != 1 || list[0].State != store.Superseded {
		t.Errorf("%+v", list)
	}
	if s := h.Posted(p); len(s.Causes())+len(s.Checks)+s.Reviews > 0 {
		t.Errorf("%d comments, %d checks", len(s.Causes()), len(s.Checks))
	}
}

// TestSeveralRedWorkflows of one push: one investigation, one check.
func TestSeveralRedWorkflows(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	p := h.Pull(nil)
	var runs []*githubtest.Run
	for _, name := range []string{"linux", "mac", "windows"} {
		run, err := h.Repo.StartRun(h.Ctx, githubtest.RunSpec{Pull: p, Workflow: name,
			Path: ".github/workflows/" + name + ".yml", Jobs: []string{"test"}})
		h.Must(err)
		runs = append(runs, run)
	}
	for _, run := range runs {
		run.Job("test").Complete(h.Ctx, "failure", investigatetest.Recording(t, "demo.log"))
		run.Complete(h.Ctx, "failure")
	}
	list := h.settled(p, 1)
	if s := h.Posted(p); len(list) != 1 || len(s.Checks) != 1 || len(s.Causes()) != 1 || len(h.asked()) != 1 {
		t.Errorf("%d investigations, %d checks, %d comments, %d jobs", len(list), len(s.Checks), len(s.Causes()), len(h.asked()))
	}
}

// TestCommands: those who can write are heard, others see that they were not.
func TestCommands(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	stranger := h.AddUser("stranger")
	p := h.Pull(nil)
	h.red(p, "demo.log")
	h.settled(p, 1)
	p.Comment(h.Ctx, stranger, "/odfix retry")
	h.settled(p, 1)
	if n := len(h.asked()); n != 1 {
		t.Fatalf("a stranger's retry: %d jobs", n)
	}
	p.Comment(h.Ctx, h.Dev, "Please:\n/odfix retry\n")
	list := h.settled(p, 2)
	s := h.Posted(p)
	if len(list) != 2 || list[0].Round != 2 || list[0].State != store.Done || len(s.Causes()) != 1 ||
		s.Reviews != 1 || !strings.Contains(s.Causes()[0], "```suggestion") {
		t.Errorf("%+v, %d comments, %d reviews", list, len(s.Causes()), s.Reviews)
	}
	h.Must(p.Press(h.Ctx, h.Dev, s.Checks[len(s.Checks)-1].GetID(), "retry"))
	h.settled(p, 3)
	for text, want := range map[string]string{
		"/odfix explain": "readsThePriceListOfAGermanSupplier", "/odfix ignore a.B#c": `test: "a.B#c"`,
		"/odfix ignore `src/a.test.js#a › b's c`": `test: "src/a.test.js#a › b's c"`,
		"/odfix ignore": "Name one test", "/odfix dance": "no such command",
	} {
		before := len(h.Posted(p).Comments)
		p.Comment(h.Ctx, h.Dev, text)
		h.settled(p, 3)
		all := h.Posted(p).Comments
		if len(all) != before+1 || !strings.Contains(all[before].GetBody(), want) {
			t.Errorf("%s: %d comments more, %q", text, len(all)-before, bodies(all[before:]))
		}
	}
}

func bodies(list []*gh.IssueComment) []string {
	var out []string
	for _, c := range list {
		out = append(out, c.GetBody())
	}
	return out
}

// TestRetryWithABrokenConfiguration says what is broken instead of looking.
func TestRetryWithABrokenConfiguration(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	_, err := h.Repo.Commit(h.Ctx, h.Dev, "main", "Configure", githubtest.Change{Files: map[string]string{".odfix.yml": "enabeld: true\n"}})
	h.Must(err)
	p := h.Pull(nil)
	p.Comment(h.Ctx, h.Dev, "/odfix retry")
	h.settled(p, 0)
	if s := h.Posted(p); len(s.Checks) != 1 || !strings.Contains(s.Checks[0].GetOutput().GetSummary(), "enabeld") || len(h.asked()) != 0 {
		t.Errorf("%d checks, %d jobs", len(s.Checks), len(h.asked()))
	}
}
