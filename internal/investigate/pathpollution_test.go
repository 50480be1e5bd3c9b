package investigate

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	gh "github.com/google/go-github/v60/github"

	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// leaver is a runner of pollution jobs: a class leaves Settings.VALUES changed where its source
// says so.
type leaver struct {
	mu    sync.Mutex
	asked []job.Job
	quiet bool // nothing is left any more
	// during is called while each job runs; it may be nil.
	during func(context.Context) error
}

// clean has nothing left from now on.
func (d *leaver) clean() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.quiet = true
}

const leaves = "// leaves"

// Run implements dispatch.Dispatcher.
func (d *leaver) Run(ctx context.Context, j job.Job, on func(job.Event)) (*job.Report, error) {
	d.mu.Lock()
	d.asked = append(d.asked, j)
	quiet := d.quiet
	d.mu.Unlock()
	on(job.Event{Phase: job.PhaseBuild})
	if d.during != nil {
		if err := d.during(ctx); err != nil {
			return nil, err
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	found := &state.Pollutions{Observed: 9}
	for _, f := range j.Pollution.Sources {
		text, err := os.ReadFile(filepath.Join(j.Dir, filepath.FromSlash(f)))
		if err != nil {
			return nil, err
		}
		if quiet || !strings.Contains(string(text), leaves) {
			continue
		}
		q := state.Pollution{Path: `shop.Settings.VALUES["x"]`, Before: "1", After: "2", Label: state.Read,
			Readers: []suite.TestID{"shop.ReceiptTest#prints"}, Field: "shop.Settings.VALUES", During: state.DuringTest}
		class := strings.TrimSuffix(filepath.Base(f), ".java")
		found.Tests = append(found.Tests, state.Polluter{Test: suite.TestID("shop." + class + "#t"),
			Source: &state.Source{File: f, Line: 2, EndLine: 2}, Pollutes: []state.Pollution{q}})
	}
	file, err := found.File()
	r := &job.Report{Version: job.Version, Finished: true, Pollution: file}
	r.Names = job.Names{"shop.ReceiptTest#prints": {Source: strings.Repeat("forged", 100)}} // they are not used
	return r, err
}

// jobs are those asked for so far.
func (d *leaver) jobs() []job.Job {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.asked)
}

const annotating = "pollution: {annotate: true}"

func pollutionHub(t *testing.T, d *leaver, config string, base map[string]string) *hub {
	t.Helper()
	h := &hub{t: t}
	h.github(githubtest.Config{})
	files := map[string]string{".odfix.yml": "version: 1\n" + config + "\n"}
	for path, text := range base {
		files[path] = text
	}
	_, err := h.Repo.Commit(h.Ctx, h.Dev, "main", "Configure", githubtest.Change{Files: files})
	h.Must(err)
	h.serve(d)
	return h
}

func (h *hub) change(author *githubtest.Account, from *githubtest.Repository, c githubtest.Change) *githubtest.PullRequest {
	h.t.Helper()
	p, err := h.Repo.OpenPullRequest(h.Ctx, githubtest.PullSpec{Author: author, Title: "Tests",
		Branch: "feature/tests", From: from, Change: c})
	h.Must(err)
	return p
}

const (
	newTest = "src/test/java/shop/NewTest.java"
	oldTest = "src/test/java/shop/OldTest.java"
	quiet   = "class OldTest {\n  @Test void t() {}\n}\n"
	loud    = "class OldTest {\n  @Test void t() {} " + leaves + "\n}\n"
)

// TestNewPolluters: what a pull request's tests newly leave changed is marked on a check of its
// own, with a green CI, never with a comment; and only where the base branch asks for it.
func TestNewPolluters(t *testing.T) {
	added := githubtest.Change{Files: map[string]string{newTest: loud}}
	for name, c := range map[string]struct {
		config string
		base   map[string]string
		change githubtest.Change
		fork   string // who has one and opens it from there; empty: nobody
		jobs   int    // of them the last about the base, if there are two
		line   string
	}{
		"off unless asked for": {change: added},
		"a pull request's own": {change: githubtest.Change{Files: map[string]string{newTest: loud, ".odfix.yml": annotating}}},
		"a new test":           {config: annotating, change: added, jobs: 1, line: newTest},
		"of a fork":            {config: annotating, change: added, fork: "colleague", jobs: 1, line: newTest},
		"of a stranger's fork": {config: annotating, change: added, fork: "stranger"},
		"a changed test": {config: annotating, base: map[string]string{oldTest: quiet},
			change: githubtest.Change{Files: map[string]string{oldTest: loud}}, jobs: 2, line: oldTest},
		"not new": {config: annotating, base: map[string]string{oldTest: loud},
			change: githubtest.Change{Files: map[string]string{oldTest: loud + "// more\n"}}, jobs: 2},
		"renamed": {config: annotating, base: map[string]string{oldTest: loud},
			change: githubtest.Change{Files: map[string]string{newTest: loud}, Remove: []string{oldTest}}, jobs: 2},
		"nothing left": {config: annotating, change: githubtest.Change{Files: map[string]string{newTest: quiet}}, jobs: 1},
		"no test": {config: annotating,
			change: githubtest.Change{Files: map[string]string{"src/main/java/shop/A.java": "class A {}", "README.md": "Test"}}},
		"an ignored test": {config: annotating + "\nignore: [{test: shop.NewTest, until: 2999-01-01}]", change: added, jobs: 1},
		"a spent day":     {config: annotating + "\nbudgets: {investigations-per-day: 0}", change: added},
		"another module":  {config: annotating + "\ntests: {modules: [web]}", change: added},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := &leaver{}
			h := pollutionHub(t, d, c.config, c.base)
			var from *githubtest.Repository
			author := h.Dev
			if c.fork != "" {
				author = h.AddUser(c.fork)
				if c.fork == "colleague" {
					h.Repo.SetRole(author, "read")
				}
				var err error
				from, err = h.Repo.Fork(h.Ctx, author)
				h.Must(err)
			}
			p := h.change(author, from, c.change)
			h.settled(p, 0)
			s := h.Posted(p)
			jobs := d.jobs()
			if len(jobs) != c.jobs {
				t.Fatalf("%d jobs, not %d", len(jobs), c.jobs)
			}
			for i, j := range jobs {
				if j.Kind != job.KindPollution || j.Pollution.NoProof != (i == 1) || j.Budget <= 0 || j.Network || len(j.Tests) > 0 {
					t.Errorf("asked: %+v", j)
				}
			}
			if len(s.Comments)+len(s.Inline)+s.Reviews > 0 {
				t.Errorf("said: %q", s.Causes())
			}
			if (len(s.Checks) == 1) != (c.line != "") || len(s.Checks) > 1 {
				t.Fatalf("%d checks", len(s.Checks))
			}
			if c.line != "" {
				h.marked(s.Checks[0], c.line)
			}
		})
	}
}

// marked: the check says it on the test's line, and holds nobody up.
func (h *hub) marked(k *gh.CheckRun, file string) {
	h.t.Helper()
	notes, _, err := h.Client(h.App, h.Inst).Checks.ListCheckRunAnnotations(h.Ctx, "acme", "shop", k.GetID(), nil)
	h.Must(err)
	if k.GetName() != "odfix pollution" || k.GetStatus() != "completed" || k.GetConclusion() != "neutral" || len(notes) != 1 {
		h.t.Fatalf("%s %s %s, %d notes", k.GetName(), k.GetStatus(), k.GetConclusion(), len(notes))
	}
	if n := notes[0]; n.GetPath() != file || n.GetStartLine() != 2 || n.GetAnnotationLevel() != "notice" {
		h.t.Errorf("%s:%d %s", n.GetPath(), n.GetStartLine(), n.GetAnnotationLevel())
	}
	wantIn(h.t, notes[0].GetMessage(), `shop.Settings.VALUES["x"]: 1 before, 2 after this test`, "read by ReceiptTest#prints")
	wantIn(h.t, k.GetOutput().GetTitle(), "1 test newly leaves shared state changed")
}

// TestNewPollutersAgain: "Re-run" on the check looks at the same head once more, and what comes of
// it is said on a new check of that name, whatever it is; who cannot write is not heard.
func TestNewPollutersAgain(t *testing.T) {
	d := &leaver{}
	h := pollutionHub(t, d, annotating, nil)
	stranger := h.AddUser("stranger")
	p := h.change(h.Dev, nil, githubtest.Change{Files: map[string]string{newTest: loud}})
	h.settled(p, 0)
	checks := func() []*gh.CheckRun { return h.Posted(p).Checks }
	again := func(by *githubtest.Account) {
		h.Must(p.Rerequest(h.Ctx, by, checks()[len(checks())-1].GetID()))
		h.settled(p, 0)
	}
	again(stranger)
	if len(d.jobs()) != 1 || len(checks()) != 1 {
		t.Fatalf("a request of a stranger: %d jobs, %d checks", len(d.jobs()), len(checks()))
	}
	again(h.Dev)
	if len(d.jobs()) != 2 || len(checks()) != 2 {
		t.Fatalf("%d jobs, %d checks", len(d.jobs()), len(checks()))
	}
	h.marked(checks()[1], newTest)
	d.during = func(context.Context) error { return &job.Error{Code: "build-broken", Message: "it does not compile"} }
	again(h.Dev)
	if k := checks()[len(checks())-1]; len(checks()) != 3 || k.GetConclusion() != "neutral" ||
		!strings.Contains(k.GetOutput().GetSummary(), "it does not compile") {
		t.Errorf("%d checks, the last %s: %s", len(checks()), k.GetConclusion(), k.GetOutput().GetSummary())
	}
	d.during = nil
	d.clean()
	again(h.Dev)
	if k := checks()[len(checks())-1]; len(checks()) != 4 || k.GetConclusion() != "success" ||
		k.GetOutput().GetTitle() != "No test newly leaves shared state changed" {
		t.Errorf("%d checks, the last %s: %s", len(checks()), k.GetConclusion(), k.GetOutput().GetTitle())
	}
	_, err := h.Repo.Commit(h.Ctx, h.Dev, "main", "No more", githubtest.Change{Files: map[string]string{".odfix.yml": "version: 1\n"}})
	h.Must(err)
	h.settled(p, 0)
	again(h.Dev)
	if k := checks()[len(checks())-1]; len(d.jobs()) != 4 || k.GetConclusion() != "neutral" ||
		k.GetOutput().GetTitle() != "New polluters are not looked for any more" {
		t.Errorf("%d jobs, %s: %s", len(d.jobs()), k.GetConclusion(), k.GetOutput().GetTitle())
	}
}

// TestNewPollutersOfAnOldHead: a further push stops the runner of the head before, and gets its
// own.
func TestNewPollutersOfAnOldHead(t *testing.T) {
	d := &leaver{}
	h := pollutionHub(t, d, annotating, nil)
	p := h.change(h.Dev, nil, githubtest.Change{Files: map[string]string{newTest: loud}})
	first := p.HeadSha()
	d.during = func(ctx context.Context) error {
		d.during = nil
		_, err := p.Push(h.Ctx, "More", githubtest.Change{Files: map[string]string{newTest: quiet}})
		h.Must(err)
		h.settle()
		<-ctx.Done()
		return nil
	}
	h.settle()
	if s := h.Posted(p); len(s.Checks) != 0 || len(h.Repo.Checks(first)) != 0 {
		t.Errorf("checks %v %v", s.Checks, h.Repo.Checks(first))
	}
	if jobs := d.jobs(); len(jobs) != 2 || !slices.Equal(jobs[1].Pollution.Sources, []string{newTest}) {
		t.Errorf("asked: %+v", jobs)
	}
}
