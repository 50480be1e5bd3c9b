package investigate

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/investigate/investigatetest"
	"github.com/odfix/odfix/internal/job"
)

// setting is a configuration and what has to come of it.
type setting struct {
	file   string
	policy string // of the organisation's .github repository
	jobs   int    // that reach a runner
	checks int
	ask    func(j job.Job) bool                // what the runner is asked; nil: anything
	check  string                              // words on the check
	said   func(s investigatetest.Posted) bool // on the pull request; nil: anything
}

// eachSetting has the keys of .odfix.yml that people see something of. Those that only change the
// runner's job are internal/investigate's to test.
var eachSetting = map[string]setting{
	"jobs that fit":    {file: "ci: {jobs: ['test*']}", jobs: 1, checks: 1},
	"jobs that do not": {file: "ci: {jobs: [lint]}"},
	"foreign command": {file: "tests: {command: [npm, test]}", jobs: 1, checks: 1,
		ask: func(j job.Job) bool { return len(j.BuildArgs) == 0 }, check: "begins with npm"},
	"another module": {file: "tests: {modules: [web]}", checks: 1, check: "tests.modules"},
	"jdk":            {file: "jdk: 21", jobs: 1, checks: 1, ask: func(j job.Job) bool { return j.Runtime == "/jdks/21" }},
	"environment": {file: "environment: [REGION, ZONE]", jobs: 1, checks: 1,
		ask: func(j job.Job) bool { return slices.Equal(j.Env, []string{"REGION=eu west"}) }, check: "variable ZONE"},
	"techniques": {file: "techniques: [reset]", jobs: 1, checks: 1,
		ask: func(j job.Job) bool { return slices.Equal(j.Techniques, []string{"reset"}) }, check: "kind helper", said: noPatch},
	"place": {file: "repair: {place: victim-start}", jobs: 1, checks: 1,
		ask: func(j job.Job) bool { return j.Place == "victim-start" }, check: "its place is polluter-teardown", said: noPatch},
	"no investigations": {file: "budgets: {investigations-per-day: 0}"},
	"ladder": {file: "ladder: [comment]", jobs: 1, checks: 1,
		said: func(s investigatetest.Posted) bool { return len(s.Comments) == 1 && s.Reviews == 0 }},
	"no rung": {file: "ladder: []", jobs: 1, checks: 1,
		said: func(s investigatetest.Posted) bool { return len(s.Comments)+s.Reviews == 0 }},
	"ignored until then": {file: "ignore: [{test: com.example.shop.ReceiptTest, until: 2001-01-01}]", jobs: 1, checks: 1},
	"forbidden": {
		file:   "network: true\nenvironment: [REGION]\ntests: {command: [mvn, -Pci]}\nbudgets: {job-minutes: 60}",
		policy: "policy: {forbid: [network, environment, commands], max-job-minutes: 5}", jobs: 1, checks: 1,
		ask: func(j job.Job) bool {
			return !j.Network && len(j.Env) == 0 && len(j.BuildArgs) == 0 && j.Budget == 5*time.Minute
		},
	},
	"ignoring is forbidden": {file: "ignore: [{test: '*', until: 2999-01-01}]", policy: "policy: {forbid: [ignoring]}", jobs: 1, checks: 1},
	"enabling is forbidden": {file: "enabled: true", policy: "enabled: false\npolicy: {forbid: [enabling]}"},
	"the organisation's":    {policy: "budgets: {reruns: 4}", jobs: 1, checks: 1, ask: func(j job.Job) bool { return j.Rerun == 4 }},
	"the policy's files": {policy: "policy: {never-patch: ['**/test/**']}", jobs: 1, checks: 1,
		check: "never to be patched", said: noPatch},
}

func noPatch(s investigatetest.Posted) bool {
	return !slices.ContainsFunc(s.Causes(), func(b string) bool {
		return strings.Contains(b, "```suggestion") || strings.Contains(b, "git apply")
	})
}

// TestEachSetting: what is written on the base branch reaches the runner, or the people.
func TestEachSetting(t *testing.T) {
	for name, c := range eachSetting {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := settingHub(t, c)
			p := h.Pull(nil)
			h.red(p, "demo.log")
			h.settled(p, c.jobs)
			s, asked := h.Posted(p), h.asked()
			if len(s.Checks) != c.checks || len(asked) != c.jobs {
				t.Fatalf("%d checks, %d jobs", len(s.Checks), len(asked))
			}
			for _, j := range asked {
				if c.ask != nil && !c.ask(j) {
					t.Errorf("asked: %+v", j)
				}
				if !slices.Contains(j.Tests, investigatetest.Victim) {
					t.Errorf("tests: %v", j.Tests)
				}
			}
			for _, k := range s.Checks {
				wantIn(t, k.GetOutput().GetTitle()+k.GetOutput().GetSummary()+k.GetOutput().GetText(), c.check)
			}
			if c.said != nil && !c.said(s) {
				t.Errorf("said: %q", s.Causes())
			}
		})
	}
}

func settingHub(t *testing.T, c setting) *hub {
	t.Helper()
	h := &hub{t: t, runner: investigatetest.NewRunner(t, "demo.report.json")}
	h.adjust = func(o *Options) {
		o.Environment = map[string]string{"REGION": "eu west", "OTHER": "not asked for"}
	}
	h.github(githubtest.Config{})
	if c.policy != "" {
		_, err := h.AddRepository(h.Ctx, githubtest.RepositorySpec{Owner: h.Owner, Name: ".github",
			Files: map[string]string{".odfix.yml": c.policy + "\n"}})
		h.Must(err)
	}
	if c.file != "" {
		_, err := h.Repo.Commit(h.Ctx, h.Dev, "main", "Configure", githubtest.Change{Files: map[string]string{".odfix.yml": c.file + "\n"}})
		h.Must(err)
	}
	h.serve(h.runner)
	return h
}

// TestShortTone: it says less, and brings the patch all the same.
func TestShortTone(t *testing.T) {
	said := map[string]string{}
	for _, tone := range []string{"full", "short"} {
		h := settingHub(t, setting{file: "comments: {tone: " + tone + "}"})
		p := h.Pull(nil)
		h.red(p, "demo.log")
		h.settled(p, 1)
		said[tone] = strings.Join(h.Posted(p).Causes(), "\n")
	}
	if len(said["short"]) == 0 || len(said["short"]) >= len(said["full"]) || !strings.Contains(said["short"], "```suggestion") {
		t.Errorf("short: %s\nfull: %s", said["short"], said["full"])
	}
}
