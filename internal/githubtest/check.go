package githubtest

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"
)

var checkTable = []entry{
	{"checks/create", onRepository, "checks:write", (*call).createCheck},
	{"checks/update", onRepository, "checks:write", with((*call).checkRun, (*call).updateCheck)},
	{"checks/get", onRepository, "checks:read", with((*call).checkRun, (*call).getCheck)},
	{"checks/list-annotations", onRepository, "checks:read", with((*call).checkRun, (*call).listAnnotations)},
	{"checks/list-for-ref", onRepository, "checks:read", (*call).checksForRef},
	{"repos/get-combined-status-for-ref", onRepository, "statuses:read", (*call).combinedStatus},
}

// CheckSuite holds the check runs of an App on one commit.
type CheckSuite struct {
	id      int64
	repo    *Repository
	app     *App
	sha     string
	branch  string // empty for commits of a fork
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
	Path      string  `json:"path"`
	StartLine int     `json:"start_line"`
	EndLine   int     `json:"end_line"`
	Level     string  `json:"annotation_level"`
	Message   string  `json:"message"`
	Title     *string `json:"title"`
}

// openSuites makes a check suite for each App that can write checks, as GitHub does after a push.
func (r *Repository) openSuites(sha, branch string) {
	for _, a := range r.s.apps {
		for _, i := range a.installations {
			if i.covers(r) && i.granted["checks"] == "write" && r.suite(a, sha) == nil {
				r.addSuite(a, sha, branch).emit("requested")
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

// checksOf are all check runs of a commit, of all Apps.
func (r *Repository) checksOf(sha string) []*CheckRun {
	var all []*CheckRun
	for _, u := range r.suites {
		if u.sha == sha {
			all = append(all, u.runs...)
		}
	}
	return all
}

// state derives the state of a suite from its runs.
func (u *CheckSuite) state() (status, conclusion string) {
	if len(u.runs) == 0 {
		return "queued", ""
	}
	order := []string{"success", "neutral", "skipped", "stale", "cancelled", "action_required", "timed_out", "startup_failure", "failure"}
	worst := 0
	for _, c := range u.latest() {
		if c.status != "completed" {
			return "in_progress", ""
		}
		worst = max(worst, slices.Index(order, c.conclusion))
	}
	return "completed", order[worst]
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

// view is the suite as events of its check runs show it.
func (u *CheckSuite) view() Object {
	status, conclusion := u.state()
	return Object{"id": u.id, "node_id": nodeID("CheckSuite", u.id), "head_branch": textOrNull(u.branch), "head_sha": u.sha,
		"status": status, "conclusion": textOrNull(conclusion), "url": u.api(), "before": nil, "after": u.sha,
		"pull_requests": u.repo.mentions(u.sha), "app": u.app.view(), "created_at": stamp(u.created), "updated_at": stamp(u.updated)}
}

// emit sends an event of the suite: a request to the suite's own App, the completion to all.
func (u *CheckSuite) emit(action string) {
	o := u.view()
	maps.Copy(o, Object{"latest_check_runs_count": len(u.latest()), "check_runs_url": u.api() + "/check-runs",
		"head_commit": u.repo.simpleCommit(context.Background(), u.sha)})
	if action == "completed" {
		o["rerequestable"], o["runs_rerequestable"] = true, true
		u.repo.s.emit(u.repo, "check_suite", action, u.app.Bot, Object{"check_suite": o})
		return
	}
	u.app.emit(u.repo, "check_suite", action, "checks:write", u.repo.owner, Object{"check_suite": o})
}

func (c *CheckRun) repo() *Repository { return c.suite.repo }
func (c *CheckRun) api() string       { return fmt.Sprintf("%s/check-runs/%d", c.repo().api(), c.id) }
func (c *CheckRun) page() string      { return fmt.Sprintf("%s/runs/%d", c.repo().page(), c.id) }

func (c *CheckRun) view() Object {
	u := c.suite
	return Object{"id": c.id, "node_id": nodeID("CheckRun", c.id), "head_sha": u.sha, "name": c.name, "external_id": c.external,
		"url": c.api(), "html_url": c.page(), "details_url": cmp.Or(c.details, c.page()), "status": c.status,
		"conclusion": textOrNull(c.conclusion), "started_at": stampOrNull(c.started), "completed_at": stampOrNull(c.completed),
		"output": Object{"title": c.output.Title, "summary": c.output.Summary, "text": c.output.Text,
			"annotations_count": len(c.annotations), "annotations_url": c.api() + "/annotations"},
		"check_suite": Object{"id": u.id}, "app": u.app.view(), "pull_requests": u.repo.mentions(u.sha)}
}

// emit sends an event of the run: a person's request to the run's own App, other events to all.
func (c *CheckRun) emit(action string, by *Account, more Object) {
	o := c.view()
	o["check_suite"] = c.suite.view()
	fields := Object{"check_run": o}
	maps.Copy(fields, more)
	if action == "rerequested" || action == "requested_action" {
		c.suite.app.emit(c.repo(), "check_run", action, "checks:write", by, fields)
		return
	}
	c.repo().s.emit(c.repo(), "check_run", action, by, fields)
}

// Press presses a button of a check run, as a person does.
func (p *PullRequest) Press(_ context.Context, by *Account, checkRun int64, identifier string) error {
	defer p.repo.s.lock()()
	c := p.repo.checkRun(checkRun)
	if c == nil || !slices.ContainsFunc(c.actions, func(a Object) bool { return a["identifier"] == identifier }) {
		return fmt.Errorf("check run %d has no button %q", checkRun, identifier)
	}
	c.emit("requested_action", by, Object{"requested_action": Object{"identifier": identifier}})
	return nil
}

// Rerequest asks for another run of a completed check, as a person does on the Checks tab.
func (p *PullRequest) Rerequest(_ context.Context, by *Account, checkRun int64) error {
	defer p.repo.s.lock()()
	c := p.repo.checkRun(checkRun)
	if c == nil || c.status != "completed" {
		return fmt.Errorf("check run %d is not completed", checkRun)
	}
	c.emit("rerequested", by, nil)
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

type checkInput struct {
	Name       *string    `json:"name"`
	HeadSha    string     `json:"head_sha"`
	DetailsURL *string    `json:"details_url"`
	ExternalID *string    `json:"external_id"`
	Status     string     `json:"status"`
	Conclusion string     `json:"conclusion"`
	Started    *time.Time `json:"started_at"`
	Completed  *time.Time `json:"completed_at"`
	Output     struct {
		output
		Annotations []annotation `json:"annotations"`
	} `json:"output"`
	Actions *[]Object `json:"actions"`
}

func (c *call) createCheck() (answer, error) {
	var in checkInput
	c.decode(&in)
	if !c.repo.git.Has(c.ctx, in.HeadSha, "commit") {
		return answer{}, refuse(http.StatusUnprocessableEntity, "No commit found for SHA: "+in.HeadSha)
	}
	if err := in.check(); err != nil {
		return answer{}, err
	}
	app := c.by.token.installation.app
	suite := c.repo.suite(app, in.HeadSha)
	if suite == nil {
		suite = c.repo.addSuite(app, in.HeadSha, "")
	}
	k := &CheckRun{id: c.s.id("check"), suite: suite, status: "queued", started: c.s.now()}
	suite.runs = append(suite.runs, k)
	in.apply(k, c.s.now())
	k.emit("created", app.Bot, nil)
	k.changed("")
	return created(k.view()), nil
}

// check refuses what the description cannot refuse.
func (in *checkInput) check() error {
	if in.Status == "completed" && in.Conclusion == "" {
		return refuse(http.StatusUnprocessableEntity, "Invalid request.\n\n\"conclusion\" wasn't supplied.")
	}
	for _, a := range in.Output.Annotations {
		if a.EndLine < a.StartLine {
			return invalid(custom("CheckRun", "annotations", "end_line must not be before start_line"))
		}
	}
	return nil
}

// apply changes the fields that were sent, and adds the annotations to the existing ones.
func (in *checkInput) apply(k *CheckRun, now time.Time) {
	set(&k.name, in.Name)
	set(&k.details, in.DetailsURL)
	set(&k.external, in.ExternalID)
	set(&k.actions, in.Actions)
	if in.Status != "" {
		k.status = in.Status
		if k.status != "completed" {
			k.conclusion, k.completed = "", time.Time{}
		}
	}
	if in.Conclusion != "" {
		k.status, k.conclusion, k.completed = "completed", in.Conclusion, now
	}
	set(&k.started, in.Started)
	set(&k.completed, in.Completed)
	for field, value := range map[**string]*string{&k.output.Title: in.Output.Title, &k.output.Summary: in.Output.Summary,
		&k.output.Text: in.Output.Text} {
		if value != nil {
			*field = value
		}
	}
	k.annotations = append(k.annotations, in.Output.Annotations...)
}

// set changes a field to a value, if one was sent.
func set[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}

// changed sends the events of a check run that has just completed.
func (c *CheckRun) changed(before string) {
	c.suite.updated = c.repo().s.now()
	if c.status != "completed" || before == "completed" {
		return
	}
	c.emit("completed", c.suite.app.Bot, nil)
	if status, _ := c.suite.state(); status == "completed" {
		c.suite.emit("completed")
	}
}

func (c *call) updateCheck(k *CheckRun) (answer, error) {
	if k.suite.app != c.by.token.installation.app {
		return answer{}, refuse(http.StatusForbidden, "Invalid app_id `"+itoa(k.suite.app.ID)+
			"` - check run can only be modified by the GitHub App that created it.")
	}
	var in checkInput
	c.decode(&in)
	if err := in.check(); err != nil {
		return answer{}, err
	}
	before := k.status
	in.apply(k, c.s.now())
	k.changed(before)
	return ok(k.view()), nil
}

// checkRun finds the check run of the path.
func (c *call) checkRun() (*CheckRun, error) {
	if k := c.repo.checkRun(c.number("check_run_id")); k != nil {
		return k, nil
	}
	return nil, notFound()
}

func (c *call) getCheck(k *CheckRun) (answer, error) {
	return ok(k.view()), nil
}

func (c *call) listAnnotations(k *CheckRun) (answer, error) {
	return list(c, k.annotations, func(a annotation) Object {
		return Object{"path": a.Path, "start_line": a.StartLine, "end_line": a.EndLine, "start_column": nil, "end_column": nil,
			"annotation_level": a.Level, "message": a.Message, "title": a.Title, "raw_details": nil,
			"blob_href": k.repo().page() + "/blob/" + k.suite.sha + "/" + escape(a.Path)}
	})
}

// checksForRef lists check runs, newest first: those that the query asks for.
func (c *call) checksForRef() (answer, error) {
	sha, err := c.resolveRef()
	if err != nil {
		return answer{}, err
	}
	q := c.r.URL.Query()
	is := func(name, value string) bool { return q.Get(name) == "" || q.Get(name) == value }
	var all []*CheckRun
	for _, u := range c.repo.suites {
		if u.sha != sha || !is("app_id", itoa(u.app.ID)) {
			continue
		}
		runs := u.runs
		if q.Get("filter") != "all" {
			runs = u.latest()
		}
		for _, k := range runs {
			if is("check_name", k.name) && is("status", k.status) {
				all = append(all, k)
			}
		}
	}
	slices.SortFunc(all, func(a, b *CheckRun) int { return int(b.id - a.id) })
	return counted(c, "check_runs", all, (*CheckRun).view)
}

// combinedStatus returns no commit statuses: the stand-in has only check runs.
func (c *call) combinedStatus() (answer, error) {
	sha, err := c.resolveRef()
	url := c.repo.api() + "/commits/" + sha
	return ok(Object{"state": "pending", "sha": sha, "total_count": 0, "statuses": []Object{}, "repository": c.repo.minimal(),
		"commit_url": url, "url": url + "/status"}), err
}
