package main

import (
	"slices"
	"strings"
	"testing"

	gh "github.com/google/go-github/v60/github"

	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/verdict"
)

// ours are the comments with a marker, wherever they stand.
func (s seen) ours() []string {
	var out []string
	for _, c := range s.inline {
		out = append(out, c.GetBody())
	}
	for _, c := range s.comments {
		out = append(out, c.GetBody())
	}
	return slices.DeleteFunc(out, func(b string) bool {
		m, ok := verdict.FindMarker(b)
		return !ok || m.Part > 1
	})
}

// push adds a commit that changes nothing of interest.
func (h *hub) push(p *githubtest.PullRequest, text string) {
	h.t.Helper()
	_, err := p.Push(h.ctx, text, githubtest.Change{Files: map[string]string{"NOTES.md": text + "\n"}})
	h.must(err)
}

func (h *hub) pass(p *githubtest.PullRequest) {
	h.t.Helper()
	run, err := h.repo.StartRun(h.ctx, githubtest.RunSpec{Pull: p, Jobs: []string{"test (17)"}})
	h.must(err)
	run.Complete(h.ctx, "success")
}

// TestLaterPushes: what was said is brought up to date in its place, and settled when CI is green.
func TestLaterPushes(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	p := h.pull(nil)
	h.red(p, "demo.log")
	h.settled(p, 1)
	first := h.see(p).ours()
	h.push(p, "second")
	h.red(p, "demo.log")
	h.settled(p, 2)
	s := h.see(p)
	if len(first) != 1 || len(s.ours()) != 1 || s.reviews != 1 || len(s.checks) != 1 {
		t.Fatalf("%d then %d comments, %d reviews, %d checks", len(first), len(s.ours()), s.reviews, len(s.checks))
	}
	if len(s.inline) != 1 || len(s.comments) != 0 || !strings.Contains(s.inline[0].GetBody(), "```suggestion") {
		t.Errorf("the suggestion, whose lines nobody touched, is gone: %d on lines, %d others", len(s.inline), len(s.comments))
	}
	h.push(p, "third")
	h.pass(p)
	h.must(h.Await(h.ctx, "the comment to be settled", func() bool {
		m, _ := verdict.FindMarker(h.see(p).ours()[0])
		return m.Settled
	}))
	h.settled(p, 2)
	s = h.see(p)
	if len(s.ours()) != 1 || len(s.checks) != 1 || s.checks[0].GetConclusion() != "success" {
		t.Errorf("%d comments, checks %v", len(s.ours()), s.checks)
	}
	h.push(p, "fourth")
	h.red(p, "demo.log")
	h.settled(p, 3)
	m, ok := verdict.FindMarker(h.see(p).ours()[0])
	if len(h.see(p).ours()) != 1 || !ok || m.Settled {
		t.Errorf("when it is back: %q", h.see(p).ours())
	}
}

// TestTheSameCommitRunAgain: with luck an order-dependent test passes, and nothing is mended by that.
func TestTheSameCommitRunAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("a variant of a path that another test takes")
	}
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	p := h.pull(nil)
	h.red(p, "demo.log")
	h.settled(p, 1)
	h.pass(p)
	h.settled(p, 1)
	s := h.see(p)
	if m, ok := verdict.FindMarker(s.ours()[0]); len(s.ours()) != 1 || !ok || m.Settled || len(s.checks) != 1 {
		t.Errorf("%d checks, %q", len(s.checks), s.ours())
	}
}

// TestOutdatedSuggestion: where a push changed the lines that a suggestion stands
// on, its comment says the same without one.
func TestOutdatedSuggestion(t *testing.T) {
	if testing.Short() {
		t.Skip("a variant of a path that another test takes")
	}
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	p := h.pull(nil)
	h.red(p, "demo.log")
	h.settled(p, 1)
	text, err := h.repo.File(h.ctx, p.HeadSha(), polluterFile)
	h.must(err)
	_, err = p.Push(h.ctx, "Say more", githubtest.Change{Files: map[string]string{
		polluterFile: strings.Replace(text, "public class", "/** Price lists. */\npublic final class", 1)}})
	h.must(err)
	h.red(p, "demo.log")
	h.settled(p, 2)
	s := h.see(p)
	if len(s.ours()) != 1 || len(s.inline) != 1 || s.inline[0].GetLine() != 0 {
		t.Fatalf("%d comments, %d on lines", len(s.ours()), len(s.inline))
	}
	wantNotIn(t, s.ours()[0], "```suggestion")
	wantIn(t, s.ours()[0], "Settings.reset();")
}

// TestPushWhileTelling: the head is looked at before anything is said, though no webhook told of
// the push yet.
func TestPushWhileTelling(t *testing.T) {
	if testing.Short() {
		t.Skip("a variant of a path that another test takes")
	}
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	h.runner.hold = make(chan struct{})
	p := h.pull(nil)
	h.red(p, "demo.log")
	<-h.runner.begun
	h.app.Hold()
	h.push(p, "second")
	close(h.runner.hold)
	h.must(h.Await(h.ctx, "the investigation to be superseded", func() bool {
		var list []store.Investigation
		h.must(h.server.store.View(h.ctx, func(tx *store.Tx) (err error) {
			list, err = tx.Investigations(h.repo.ID, int64(p.Number))
			return err
		}))
		return len(list) == 1 && list[0].State == store.Superseded
	}))
	h.app.Release(nil)
	h.settled(p, 1)
	if s := h.see(p); len(s.ours())+len(s.checks)+s.reviews > 0 {
		t.Errorf("%d comments, %d checks", len(s.ours()), len(s.checks))
	}
}

// TestSeveralRedWorkflows of one push: one investigation, one check.
func TestSeveralRedWorkflows(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	p := h.pull(nil)
	var runs []*githubtest.Run
	for _, name := range []string{"linux", "mac", "windows"} {
		run, err := h.repo.StartRun(h.ctx, githubtest.RunSpec{Pull: p, Workflow: name, Path: ".github/workflows/" + name + ".yml", Jobs: []string{"test"}})
		h.must(err)
		runs = append(runs, run)
	}
	for _, run := range runs {
		run.Job("test").Complete(h.ctx, "failure", h.file("demo.log"))
		run.Complete(h.ctx, "failure")
	}
	list := h.settled(p, 1)
	if s := h.see(p); len(list) != 1 || len(s.checks) != 1 || len(s.ours()) != 1 || len(h.runner.asked()) != 1 {
		t.Errorf("%d investigations, %d checks, %d comments, %d jobs", len(list), len(s.checks), len(s.ours()), len(h.runner.asked()))
	}
}

// TestCommands: those who can write are heard, others see that they were not.
func TestCommands(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	stranger := h.AddUser("stranger")
	p := h.pull(nil)
	h.red(p, "demo.log")
	h.settled(p, 1)
	p.Comment(h.ctx, stranger, "/odfix retry")
	h.settled(p, 1)
	if n := len(h.runner.asked()); n != 1 {
		t.Fatalf("a stranger's retry: %d jobs", n)
	}
	p.Comment(h.ctx, h.dev, "Please:\n/odfix retry\n")
	list := h.settled(p, 2)
	s := h.see(p)
	if len(list) != 2 || list[0].Round != 2 || list[0].State != store.Done || len(s.ours()) != 1 || s.reviews != 1 || !strings.Contains(s.ours()[0], "```suggestion") {
		t.Errorf("%+v, %d comments, %d reviews", list, len(s.ours()), s.reviews)
	}
	h.must(p.Press(h.ctx, h.dev, s.checks[len(s.checks)-1].GetID(), "retry"))
	h.settled(p, 3)
	for text, want := range map[string]string{
		"/odfix explain": "readsThePriceListOfAGermanSupplier", "/odfix ignore a.B#c": `test: "a.B#c"`, "/odfix ignore": "Name one test", "/odfix dance": "no such command",
	} {
		before := len(h.see(p).comments)
		p.Comment(h.ctx, h.dev, text)
		h.settled(p, 3)
		all := h.see(p).comments
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
	if testing.Short() {
		t.Skip("a variant of a path that another test takes")
	}
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	_, err := h.repo.Commit(h.ctx, h.dev, "main", "Configure", githubtest.Change{Files: map[string]string{".odfix.yml": "enabeld: true\n"}})
	h.must(err)
	p := h.pull(nil)
	p.Comment(h.ctx, h.dev, "/odfix retry")
	h.checked(p, 1)
	h.settled(p, 0)
	if s := h.see(p); len(s.checks) != 1 || s.checks[0].GetOutput().GetAnnotationsCount() != 1 || len(h.runner.asked()) != 0 {
		t.Errorf("%d checks, %d jobs", len(s.checks), len(h.runner.asked()))
	}
}
