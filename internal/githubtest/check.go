package githubtest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"
)

// CheckSuite holds an App's check runs of one commit.
type CheckSuite struct {
	id      int64
	repo    *Repository
	app     *App
	sha     string
	branch  string // empty for what was pushed to a fork
	runs    []*CheckRun
	created time.Time
	updated time.Time
}

// CheckRun is one check.
type CheckRun struct {
	id          int64
	suite       *CheckSuite
	name        string
	details     string
	external    string
	status      string
	conclusion  string
	started     time.Time
	completed   time.Time
	output      output
	annotations []annotation
	actions     []Object
}

type output struct {
	Title   *string `json:"title"`
	Summary *string `json:"summary"`
	Text    *string `json:"text"`
}

type annotation struct {
	Path        string  `json:"path"`
	StartLine   int     `json:"start_line"`
	EndLine     int     `json:"end_line"`
	StartColumn *int    `json:"start_column"`
	EndColumn   *int    `json:"end_column"`
	Level       string  `json:"annotation_level"`
	Message     string  `json:"message"`
	Title       *string `json:"title"`
	RawDetails  *string `json:"raw_details"`
}

// openSuites makes a check suite for each App that writes checks, and tells it
// so, as GitHub does behind every push.
func (r *Repository) openSuites(sha, branch string) {
	for _, a := range r.s.apps {
		for _, i := range a.installations {
			if i.covers(r) && i.suspended.IsZero() && rank(i.granted["checks"]) >= rank("write") && r.suite(a, sha) == nil {
				r.addSuite(a, sha, branch).tell("requested", r.owner)
			}
		}
	}
}

func (r *Repository) suite(a *App, sha string) *CheckSuite {
	for _, u := range r.suites {
		if u.app == a && u.sha == sha {
			return u
		}
	}
	return nil
}

func (r *Repository) addSuite(a *App, sha, branch string) *CheckSuite {
	u := &CheckSuite{id: r.s.id("suite"), repo: r, app: a, sha: sha, branch: branch, created: r.s.now(), updated: r.s.now()}
	r.suites = append(r.suites, u)
	return u
}

// state is what the runs of a suite add up to.
func (u *CheckSuite) state() (status, conclusion string) {
	if len(u.runs) == 0 {
		return "queued", ""
	}
	order := []string{"success", "neutral", "skipped", "stale", "cancelled", "action_required", "timed_out", "startup_failure", "failure"}
	worst := -1
	for _, c := range u.latest() {
		if c.status != "completed" {
			return "in_progress", ""
		}
		worst = max(worst, slices.Index(order, c.conclusion))
	}
	return "completed", order[max(worst, 0)]
}

// latest are the newest runs of each name.
func (u *CheckSuite) latest() []*CheckRun {
	var all []*CheckRun
	for _, c := range u.runs {
		all = slices.DeleteFunc(all, func(one *CheckRun) bool { return one.name == c.name })
		all = append(all, c)
	}
	return all
}

func (u *CheckSuite) api() string { return fmt.Sprintf("%s/check-suites/%d", u.repo.api(), u.id) }

func (u *CheckSuite) brief() Object {
	status, conclusion := u.state()
	return Object{"id": u.id, "node_id": nodeID("CheckSuite", u.id), "head_branch": textOrNull(u.branch), "head_sha": u.sha,
		"status": status, "conclusion": textOrNull(conclusion), "url": u.api(), "before": nil, "after": u.sha,
		"pull_requests": u.repo.mentions(u.sha), "app": u.app.view(), "created_at": stamp(u.created), "updated_at": stamp(u.updated)}
}

func (u *CheckSuite) view() Object {
	o := u.brief()
	maps.Copy(o, Object{"latest_check_runs_count": len(u.latest()), "check_runs_url": u.api() + "/check-runs",
		"head_commit": u.repo.simpleCommit(context.Background(), u.sha), "rerequestable": true, "runs_rerequestable": true})
	return o
}

// tell: requests go to the suite's own App, its end to all.
func (u *CheckSuite) tell(action string, by *Account) {
	o := u.view()
	if action == "completed" {
		u.repo.s.emit(u.repo, "check_suite", action, by, Object{"check_suite": o})
		return
	}
	delete(o, "rerequestable")
	delete(o, "runs_rerequestable")
	u.app.emitTo(u.repo, "check_suite", action, by, Object{"check_suite": o})
}

func (c *CheckRun) repo() *Repository { return c.suite.repo }
func (c *CheckRun) api() string       { return fmt.Sprintf("%s/check-runs/%d", c.repo().api(), c.id) }
func (c *CheckRun) page() string      { return fmt.Sprintf("%s/runs/%d", c.repo().page(), c.id) }

func (c *CheckRun) view() Object {
	u := c.suite
	text := func(s *string) any {
		if s == nil {
			return nil
		}
		return *s
	}
	return Object{"id": c.id, "node_id": nodeID("CheckRun", c.id), "head_sha": u.sha, "name": c.name, "external_id": c.external,
		"url": c.api(), "html_url": c.page(), "details_url": either(c.details, c.page()), "status": c.status,
		"conclusion": textOrNull(c.conclusion), "started_at": stampOrNull(c.started), "completed_at": stampOrNull(c.completed),
		"output": Object{"title": text(c.output.Title), "summary": text(c.output.Summary), "text": text(c.output.Text),
			"annotations_count": len(c.annotations), "annotations_url": c.api() + "/annotations"},
		"check_suite": Object{"id": u.id}, "app": u.app.view(), "pull_requests": u.repo.mentions(u.sha)}
}

// tell: what somebody asks of a run goes to its own App, the rest to all.
func (c *CheckRun) tell(action string, by *Account, more Object) {
	o := c.view()
	o["check_suite"] = c.suite.brief()
	fields := Object{"check_run": o}
	maps.Copy(fields, more)
	if action == "rerequested" || action == "requested_action" {
		c.suite.app.emitTo(c.repo(), "check_run", action, by, fields)
		return
	}
	c.repo().s.emit(c.repo(), "check_run", action, by, fields)
}

// addRun starts a check run. Its conclusion, if it has one, completes it.
func (u *CheckSuite) addRun(name string) *CheckRun {
	c := &CheckRun{id: u.repo.s.id("check"), suite: u, name: name, status: "queued"}
	u.runs = append(u.runs, c)
	u.updated = u.repo.s.now()
	return c
}

// changed tells what a run's change of state means for others.
func (c *CheckRun) changed(was string, isNew bool) {
	by := c.suite.app.Bot
	c.suite.updated = c.repo().s.now()
	if isNew {
		c.tell("created", by, nil)
	}
	if c.status != "completed" || was == "completed" {
		return
	}
	c.tell("completed", by, nil)
	if status, _ := c.suite.state(); status == "completed" {
		c.suite.tell("completed", by)
	}
}

// Press presses a button on a check run of the App, as a person would.
func (p *PullRequest) Press(_ context.Context, by *Account, checkRun int64, identifier string) error {
	p.repo.s.mu.Lock()
	defer p.repo.s.mu.Unlock()
	c := p.repo.checkRun(checkRun)
	if c == nil {
		return fmt.Errorf("no check run %d", checkRun)
	}
	for _, a := range c.actions {
		if a["identifier"] == identifier {
			c.tell("requested_action", by, Object{"requested_action": Object{"identifier": identifier}})
			return nil
		}
	}
	return fmt.Errorf("check run %d has no button %q", checkRun, identifier)
}

// Rerequest asks for a check run again, as a person would on the Checks tab.
func (p *PullRequest) Rerequest(_ context.Context, by *Account, checkRun int64) error {
	p.repo.s.mu.Lock()
	defer p.repo.s.mu.Unlock()
	c := p.repo.checkRun(checkRun)
	if c == nil {
		return fmt.Errorf("no check run %d", checkRun)
	}
	return c.rerequest(by)
}

// rerequest asks again for a run that is over; others cannot be asked for.
func (c *CheckRun) rerequest(by *Account) error {
	if c.status != "completed" {
		return fmt.Errorf("check run %d is not completed", c.id)
	}
	c.tell("rerequested", by, nil)
	return nil
}

func (r *Repository) checkRun(id int64) *CheckRun {
	for _, u := range r.suites {
		for _, c := range u.runs {
			if c.id == id {
				return c
			}
		}
	}
	return nil
}
