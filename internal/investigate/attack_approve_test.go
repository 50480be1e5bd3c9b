package investigate

import (
	"slices"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/investigate/investigatetest"
	"github.com/odfix/odfix/internal/store"
)

// strangerHub is a hub with a public repository.
func strangerHub(t *testing.T) *hub {
	t.Helper()
	h := &hub{t: t, runner: investigatetest.NewRunner(t, "demo.report.json"), Hub: investigatetest.NewPublic(t)}
	h.serve(h.runner)
	return h
}

// strangers opens a red pull request of somebody who has not contributed before. Base is its base
// branch.
func (h *hub) strangers(base string) (*githubtest.PullRequest, *githubtest.Account) {
	h.t.Helper()
	stranger := h.AddUser("stranger")
	fork, err := h.Repo.Fork(h.Ctx, stranger)
	h.Must(err)
	p, err := h.Repo.OpenPullRequest(h.Ctx, githubtest.PullSpec{Author: stranger, Title: "Import tests",
		Branch: "feature/import", From: fork, Base: base,
		Change: githubtest.Change{Files: map[string]string{investigatetest.PolluterFile: h.Polluter()}}})
	h.Must(err)
	h.red(p, "demo.log")
	h.settled(p, 1)
	return p, stranger
}

// waits checks that nothing ran, and that the check says so.
func (h *hub) waits(p *githubtest.PullRequest) {
	h.t.Helper()
	s := h.Posted(p)
	if len(h.asked()) != 0 || len(s.Checks) != 1 || len(s.Causes()) != 0 {
		h.t.Fatalf("%d jobs, %d checks, %d comments", len(h.asked()), len(s.Checks), len(s.Causes()))
	}
	c := s.Checks[0]
	wantIn(h.t, c.GetOutput().GetTitle()+c.GetOutput().GetSummary(), "waits for a maintainer", "stranger",
		"/odfix run", "odfix:run", p.HeadSha()[:10])
	if c.GetConclusion() != "neutral" || c.GetStatus() != "completed" {
		h.t.Errorf("%s %s", c.GetStatus(), c.GetConclusion())
	}
}

// TestFirstContribution: the check of a first-time contributor's red build waits for a maintainer,
// whose approval leads to the suggestion.
func TestFirstContribution(t *testing.T) {
	for name, approve := range map[string]func(*hub, *githubtest.PullRequest){
		"comment": func(h *hub, p *githubtest.PullRequest) {
			p.Comment(h.Ctx, h.Dev, "Looks good.\n\n/odfix run "+p.HeadSha())
		},
		"label": func(h *hub, p *githubtest.PullRequest) { p.Label(h.Ctx, h.Dev, "odfix:run") },
		"button": func(h *hub, p *githubtest.PullRequest) {
			h.Must(p.Press(h.Ctx, h.Dev, h.Posted(p).Checks[0].GetID(), "run"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := strangerHub(t)
			p, _ := h.strangers("")
			h.waits(p)
			h.red(p, "demo.log") // the same again, of another workflow
			h.settle()
			h.waits(p)
			approve(h, p)
			list := h.settled(p, 2)
			if s := h.Posted(p); list[0].State != store.Done || len(h.asked()) != 1 || len(s.Checks) != 2 || s.Reviews != 1 || len(s.Inline) != 1 {
				t.Fatalf("%+v, %d jobs, %d checks, %d reviews", list, len(h.asked()), len(s.Checks), s.Reviews)
			}
			h.Push(p, "another commit, which nobody has seen")
			h.red(p, "demo.log")
			if list = h.settled(p, 3); list[0].State != store.Cancelled || len(h.asked()) != 1 {
				t.Errorf("%+v, %d jobs", list[0], len(h.asked()))
			}
		})
	}
}

// TestAttackApproval: nobody but a person who can write to the repository lets the code run.
func TestAttackApproval(t *testing.T) {
	for name, attack := range map[string]func(*hub, *githubtest.PullRequest, *githubtest.Account){
		"the author's comment": func(h *hub, p *githubtest.PullRequest, by *githubtest.Account) { p.Comment(h.Ctx, by, "/odfix run") },
		"the author's retry":   func(h *hub, p *githubtest.PullRequest, by *githubtest.Account) { p.Comment(h.Ctx, by, "/odfix retry") },
		"a retry approves nothing": func(h *hub, p *githubtest.PullRequest, _ *githubtest.Account) {
			p.Comment(h.Ctx, h.Dev, "/odfix retry")
		},
		"the author's button": func(h *hub, p *githubtest.PullRequest, by *githubtest.Account) {
			h.Must(p.Press(h.Ctx, by, h.Posted(p).Checks[0].GetID(), "run"))
		},
		"a label of somebody who may only triage": func(h *hub, p *githubtest.PullRequest, by *githubtest.Account) {
			other := h.AddUser("triager")
			h.Repo.SetRole(other, "triage")
			p.Label(h.Ctx, other, "odfix:run")
		},
		"another label": func(h *hub, p *githubtest.PullRequest, _ *githubtest.Account) { p.Label(h.Ctx, h.Dev, "bug") },
		"the pull request's own configuration": func(h *hub, p *githubtest.PullRequest, _ *githubtest.Account) {
			_, err := p.Push(h.Ctx, "Configure", githubtest.Change{Files: map[string]string{".odfix.yml": "approval: {when: never}\n"}})
			h.Must(err)
			h.red(p, "demo.log")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := strangerHub(t)
			p, stranger := h.strangers("")
			h.waits(p)
			attack(h, p, stranger)
			h.settle()
			h.waits(p)
		})
	}
}

// TestRetryWithoutApproval: whoever retries a commit that is not approved reads how to approve it, and no
// further round begins. After the approval a retry runs.
func TestRetryWithoutApproval(t *testing.T) {
	h := strangerHub(t)
	p, _ := h.strangers("")
	p.Comment(h.Ctx, h.Dev, "/odfix retry")
	list := h.settled(p, 1)
	comments := h.Posted(p).Comments
	if len(list) != 1 || len(comments) != 1 || !strings.Contains(comments[0].GetBody(), "/odfix run "+p.HeadSha()) ||
		!strings.Contains(comments[0].GetBody(), "`stranger`") {
		t.Fatalf("%d investigations, comments %v", len(list), comments)
	}
	h.waits(p)
	p.Comment(h.Ctx, h.Dev, "/odfix run "+p.HeadSha())
	h.settled(p, 2)
	p.Comment(h.Ctx, h.Dev, "/odfix retry")
	if list := h.settled(p, 3); list[0].State != store.Done || len(h.Posted(p).Comments) != len(comments) {
		t.Errorf("%+v, comments %v", list[0], h.Posted(p).Comments)
	}
}

// TestAttackApprovalRace: a comment that names no commit, or another one, approves nothing, whatever
// was pushed when.
func TestAttackApprovalRace(t *testing.T) {
	h := strangerHub(t)
	p, _ := h.strangers("")
	seen := p.HeadSha()
	h.App.Hold()
	p.Comment(h.Ctx, h.Dev, "/odfix run "+seen)
	h.Push(p, "pushed before odfix read the comment")
	h.App.Release(func(d []*githubtest.Delivery) []*githubtest.Delivery { return d[:1] })
	h.red(p, "demo.log")
	h.settle()
	h.waits(p)
	for _, said := range []string{"/odfix run", "/odfix run " + p.HeadSha()[:12], "/odfix run " + seen} {
		p.Comment(h.Ctx, h.Dev, said)
		h.settle()
		h.waits(p)
		answers := h.Posted(p).Comments
		if last := answers[len(answers)-1].GetBody(); !strings.Contains(last, "/odfix run "+p.HeadSha()) {
			t.Errorf("%q is answered with %q", said, last)
		}
	}
}

// TestAttackOthersFork: a member's pull request from the fork of a stranger, who pushes to it later,
// waits like one of the stranger.
func TestAttackOthersFork(t *testing.T) {
	for _, tt := range []struct {
		association   string
		author, owner int64
		trusted       bool
	}{
		{"MEMBER", 1, 1, true}, {"CONTRIBUTOR", 1, 1, true}, {"MEMBER", 1, 2, false}, {"MEMBER", 0, 0, false}, {"NONE", 1, 1, false},
	} {
		if got := trusted(tt.association, tt.author, tt.owner); got != tt.trusted {
			t.Errorf("%+v: %v", tt, got)
		}
	}
}

// TestAttackBrokenConfiguration: a mistake in the default branch's file does not let code run for
// which the file asks for an approval, when the base is another branch.
func TestAttackBrokenConfiguration(t *testing.T) {
	h := &hub{t: t, runner: investigatetest.NewRunner(t, "demo.report.json"), Hub: investigatetest.New(t, githubtest.Config{})} // private
	h.serve(h.runner)
	for branch, text := range map[string]string{"main": "approval: {when: always}\nbudgetz: 1\n", "experiments": "enabled: true\n"} {
		_, err := h.Repo.Commit(h.Ctx, h.Dev, branch, "Configure", githubtest.Change{Files: map[string]string{".odfix.yml": text}})
		h.Must(err)
	}
	p, _ := h.strangers("experiments")
	h.waits(p)
}

// TestAttackBaseBranch: the author chooses the base branch, but its file decides nothing about
// approval.
func TestAttackBaseBranch(t *testing.T) {
	h := strangerHub(t)
	_, err := h.Repo.Commit(h.Ctx, h.Dev, "experiments", "Configure", githubtest.Change{
		Files: map[string]string{".odfix.yml": "approval: {when: never}\nbudgets: {author-investigations-per-day: 9999}\n"}})
	h.Must(err)
	p, _ := h.strangers("experiments")
	h.waits(p)
}

// TestAttackAuthorsLimit: one author cannot use up the investigations of a repository.
func TestAttackAuthorsLimit(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	h.Configure("budgets: {author-investigations-per-day: 1}\n")
	p := h.Pull(nil)
	h.red(p, "demo.log")
	h.settled(p, 1)
	p.Comment(h.Ctx, h.Dev, "/odfix retry")
	if list := h.settled(p, 2); len(list) != 2 || list[0].State != store.Cancelled || len(h.asked()) != 1 {
		t.Fatalf("%+v, %d jobs", list, len(h.asked()))
	}
	other := h.AddUser("other")
	h.Repo.SetRole(other, "write")
	q, err := h.Repo.OpenPullRequest(h.Ctx, githubtest.PullSpec{Author: other, Title: "The same", Branch: "feature/other",
		Change: githubtest.Change{Files: map[string]string{investigatetest.PolluterFile: h.Polluter()}}})
	h.Must(err)
	h.red(q, "demo.log")
	if list := h.settled(q, 1); list[0].State != store.Done || len(h.asked()) != 2 {
		t.Errorf("%+v, %d jobs", list, len(h.asked()))
	}
}

// TestApprovalSettings: where approval is needed.
func TestApprovalSettings(t *testing.T) {
	for name, c := range map[string]struct {
		config string
		public bool
		runs   int
	}{
		"public, never":   {"approval: {when: never}", true, 1},
		"private":         {"", false, 1},
		"private, always": {"approval: {when: always, label: go on}", false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := &hub{t: t, runner: investigatetest.NewRunner(t, "demo.report.json")}
			if h.Hub = investigatetest.NewPublic(t); !c.public {
				h.github(githubtest.Config{})
			}
			h.serve(h.runner)
			if c.config != "" {
				h.Configure(c.config + "\n")
			}
			p, _ := h.strangers("")
			if len(h.asked()) != c.runs {
				t.Fatalf("%d jobs", len(h.asked()))
			}
			if c.runs == 0 {
				wantIn(t, h.Posted(p).Checks[0].GetOutput().GetSummary(), "`go on`")
				p.Label(h.Ctx, h.Dev, "go on")
				if h.settle(); len(h.asked()) != 1 {
					t.Errorf("%d jobs after the label", len(h.asked()))
				}
			}
		})
	}
}

// TestAttackApprovedMerge: a maintainer approves a commit. CI's log, which the commit's author writes,
// names a merge of it with other files. That merge does not run.
func TestAttackApprovedMerge(t *testing.T) {
	t.Parallel()
	h := strangerHub(t)
	stranger := h.AddUser("stranger")
	fork, err := h.Repo.Fork(h.Ctx, stranger)
	h.Must(err)
	p, err := h.Repo.OpenPullRequest(h.Ctx, githubtest.PullSpec{Author: stranger, Title: "Import tests", Branch: "feature/import", From: fork,
		Change: githubtest.Change{Files: map[string]string{investigatetest.PolluterFile: h.Polluter()}}})
	h.Must(err)
	base, _, err := h.Client(h.App, h.Inst).Repositories.GetCommit(h.Ctx, "acme", "shop", "main", nil)
	h.Must(err)
	other, err := h.Repo.LooseCommit(h.Ctx, stranger, githubtest.Change{Files: map[string]string{
		investigatetest.PolluterFile: h.Polluter(), "UNSEEN.md": "x\n"}}, base.GetSHA(), p.HeadSha())
	h.Must(err)
	h.redBuild(p, other, false)
	h.settled(p, 1)
	p.Comment(h.Ctx, h.Dev, "/odfix run "+p.HeadSha())
	h.settled(p, 2)
	sources := h.runner.Sources()
	if len(sources) == 0 {
		t.Fatal("nothing ran")
	}
	for _, files := range sources {
		if slices.Contains(files, "UNSEEN.md") || !slices.Contains(files, investigatetest.PolluterFile) {
			t.Errorf("code runs that nobody has approved: %v", files)
		}
	}
}
