package githubtest

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"
)

var checkTable = []entry{
	{"checks/create", onRepository, "checks:write", (*call).createCheck},
	{"checks/update", onRepository, "checks:write", withCheck((*call).updateCheck)},
	{"checks/get", onRepository, "checks:read", withCheck((*call).getCheck)},
	{"checks/list-annotations", onRepository, "checks:read", withCheck((*call).listAnnotations)},
	{"checks/rerequest-run", onRepository, "checks:write", withCheck((*call).rerequestRun)},
	{"checks/list-for-ref", onRepository, "checks:read", (*call).checksForRef},
	{"checks/list-suites-for-ref", onRepository, "checks:read", (*call).suitesForRef},
	{"checks/create-suite", onRepository, "checks:write", (*call).createSuite},
	{"checks/get-suite", onRepository, "checks:read", withSuite((*call).getSuite)},
	{"checks/list-for-suite", onRepository, "checks:read", withSuite((*call).checksForSuite)},
	{"checks/rerequest-suite", onRepository, "checks:write", withSuite((*call).rerequestSuite)},
	{"repos/create-commit-status", onRepository, "statuses:write", (*call).createStatus},
	{"repos/list-commit-statuses-for-ref", onRepository, "statuses:read", (*call).listStatuses},
	{"repos/get-combined-status-for-ref", onRepository, "statuses:read", (*call).combinedStatus},
}

type checkInput struct {
	Name       *string `json:"name"`
	HeadSha    string  `json:"head_sha"`
	DetailsURL *string `json:"details_url"`
	ExternalID *string `json:"external_id"`
	Status     string  `json:"status"`
	Conclusion string  `json:"conclusion"`
	Started    string  `json:"started_at"`
	Completed  string  `json:"completed_at"`
	Output     *struct {
		output
		Annotations []annotation `json:"annotations"`
	} `json:"output"`
	Actions *[]Object `json:"actions"`
}

func withCheck(do func(*call, *CheckRun) (answer, error)) func(*call) (answer, error) {
	return func(c *call) (answer, error) {
		if k := c.repo.checkRun(c.number("check_run_id")); k != nil {
			return do(c, k)
		}
		return answer{}, notFound()
	}
}

func (c *call) createCheck() (answer, error) {
	var in checkInput
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	sha, err := c.repo.git.Resolve(c.ctx, in.HeadSha)
	if err != nil || sha != in.HeadSha {
		return answer{}, refuse(http.StatusUnprocessableEntity, "No commit found for SHA: "+in.HeadSha)
	}
	if err := in.check(); err != nil {
		return answer{}, err
	}
	app := c.by.token.installation.app
	suite := c.repo.suite(app, sha)
	if suite == nil {
		suite = c.repo.addSuite(app, sha, c.branchOf(sha))
	}
	k := suite.addRun(*in.Name)
	k.started = c.s.now()
	in.apply(k, c.s.now())
	k.changed("", true)
	return created(k.view()), nil
}

// branchOf is a branch whose tip the commit is.
func (c *call) branchOf(sha string) string {
	refs, err := c.repo.git.Refs(c.ctx, "refs/heads/")
	if err != nil {
		return ""
	}
	for _, r := range refs {
		if r.Sha == sha {
			return r.Name[len("refs/heads/"):]
		}
	}
	return ""
}

// check refuses what the description cannot know.
func (in *checkInput) check() error {
	if in.Status == "completed" && in.Conclusion == "" {
		return refuse(http.StatusUnprocessableEntity, "Invalid request.\n\n\"conclusion\" wasn't supplied.")
	}
	if in.Conclusion == "stale" {
		return refuse(http.StatusUnprocessableEntity, "Invalid request.\n\nOnly GitHub can mark a check run as stale.")
	}
	if in.Output == nil {
		return nil
	}
	for _, a := range in.Output.Annotations {
		switch {
		case a.EndLine < a.StartLine:
			return invalid(custom("CheckRun", "annotations", "end_line must not be before start_line"))
		case (a.StartColumn != nil || a.EndColumn != nil) && a.StartLine != a.EndLine:
			return invalid(custom("CheckRun", "annotations", "start_column and end_column can only be used when start_line and end_line are equal"))
		}
	}
	return nil
}

func (in *checkInput) apply(k *CheckRun, now time.Time) {
	for field, value := range map[*string]*string{&k.name: in.Name, &k.details: in.DetailsURL, &k.external: in.ExternalID} {
		if value != nil {
			*field = *value
		}
	}
	if in.Status != "" {
		k.status = in.Status
		if k.status != "completed" {
			k.conclusion, k.completed = "", time.Time{}
		}
	}
	if in.Conclusion != "" {
		k.status, k.conclusion, k.completed = "completed", in.Conclusion, now
	}
	if t, err := time.Parse(time.RFC3339, in.Started); err == nil {
		k.started = t
	}
	if t, err := time.Parse(time.RFC3339, in.Completed); err == nil {
		k.completed = t
	}
	if in.Actions != nil {
		k.actions = *in.Actions
	}
	if in.Output != nil {
		in.applyOutput(k)
	}
}

// applyOutput replaces the texts that were sent and adds the annotations to
// those there are.
func (in *checkInput) applyOutput(k *CheckRun) {
	o := in.Output.output
	if o.Title != nil {
		k.output.Title = o.Title
	}
	if o.Summary != nil {
		k.output.Summary = o.Summary
	}
	if o.Text != nil {
		k.output.Text = o.Text
	}
	k.annotations = append(k.annotations, in.Output.Annotations...)
}

func (c *call) updateCheck(k *CheckRun) (answer, error) {
	if k.suite.app != c.by.token.installation.app {
		return answer{}, refuse(http.StatusForbidden, "Invalid app_id `"+itoa(k.suite.app.ID)+"` - check run can only be modified by the GitHub App that created it.")
	}
	var in checkInput
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	if err := in.check(); err != nil {
		return answer{}, err
	}
	was := k.status
	in.apply(k, c.s.now())
	k.changed(was, false)
	return ok(k.view()), nil
}

func (c *call) getCheck(k *CheckRun) (answer, error) { return ok(k.view()), nil }

func (c *call) listAnnotations(k *CheckRun) (answer, error) {
	return list(c, k.annotations, func(a annotation) Object {
		o := Object{"path": a.Path, "start_line": a.StartLine, "end_line": a.EndLine, "start_column": nil, "end_column": nil,
			"annotation_level": a.Level, "message": a.Message, "title": nil, "raw_details": nil,
			"blob_href": k.repo().page() + "/blob/" + k.suite.sha + "/" + escape(a.Path)}
		if a.StartColumn != nil {
			o["start_column"] = *a.StartColumn
		}
		if a.EndColumn != nil {
			o["end_column"] = *a.EndColumn
		}
		if a.Title != nil {
			o["title"] = *a.Title
		}
		if a.RawDetails != nil {
			o["raw_details"] = *a.RawDetails
		}
		return o
	})
}

func (c *call) rerequestRun(k *CheckRun) (answer, error) {
	if k.suite.app != c.by.token.installation.app {
		return answer{}, refuse(http.StatusForbidden, "Resource not accessible by integration")
	}
	if err := k.rerequest(c.actor()); err != nil {
		return answer{}, refuse(http.StatusUnprocessableEntity, "This check run is not rerequestable")
	}
	return created(Object{}), nil
}

func (c *call) resolveRef() (string, error) {
	sha, err := c.repo.git.Resolve(c.ctx, c.params["ref"])
	if err != nil {
		return "", refuse(http.StatusUnprocessableEntity, "No commit found for SHA: "+c.params["ref"])
	}
	return sha, nil
}

func (c *call) checksForRef() (answer, error) {
	sha, err := c.resolveRef()
	if err != nil {
		return answer{}, err
	}
	var suites []*CheckSuite
	for _, u := range c.repo.suites {
		if u.sha == sha {
			suites = append(suites, u)
		}
	}
	return c.checks(suites)
}

// checks lists runs, newest first, filtered as asked.
func (c *call) checks(suites []*CheckSuite) (answer, error) {
	q := c.r.URL.Query()
	var all []*CheckRun
	for _, u := range suites {
		if id := q.Get("app_id"); id != "" && id != strconv.FormatInt(u.app.ID, 10) {
			continue
		}
		runs := u.runs
		if q.Get("filter") != "all" {
			runs = u.latest()
		}
		for _, k := range runs {
			if (q.Get("check_name") == "" || q.Get("check_name") == k.name) && (q.Get("status") == "" || q.Get("status") == k.status) {
				all = append(all, k)
			}
		}
	}
	slices.SortFunc(all, func(a, b *CheckRun) int { return int(b.id - a.id) })
	return counted(c, "check_runs", all, (*CheckRun).view)
}

func withSuite(do func(*call, *CheckSuite) (answer, error)) func(*call) (answer, error) {
	return func(c *call) (answer, error) {
		for _, u := range c.repo.suites {
			if u.id == c.number("check_suite_id") {
				return do(c, u)
			}
		}
		return answer{}, notFound()
	}
}

func (u *CheckSuite) own() Object {
	o := u.view()
	o["repository"] = u.repo.minimal()
	return o
}

func (c *call) suitesForRef() (answer, error) {
	sha, err := c.resolveRef()
	if err != nil {
		return answer{}, err
	}
	q := c.r.URL.Query()
	var all []*CheckSuite
	for _, u := range c.repo.suites {
		named := q.Get("check_name") == "" || slices.ContainsFunc(u.runs, func(k *CheckRun) bool { return k.name == q.Get("check_name") })
		if u.sha == sha && named && (q.Get("app_id") == "" || q.Get("app_id") == itoa(u.app.ID)) {
			all = append(all, u)
		}
	}
	return counted(c, "check_suites", all, (*CheckSuite).own)
}

func (c *call) createSuite() (answer, error) {
	var in struct {
		HeadSha string `json:"head_sha"`
	}
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	sha, err := c.repo.git.Resolve(c.ctx, in.HeadSha)
	if err != nil {
		return answer{}, refuse(http.StatusUnprocessableEntity, fmt.Sprintf("No commit found for SHA: %s", in.HeadSha))
	}
	app := c.by.token.installation.app
	if u := c.repo.suite(app, sha); u != nil {
		return ok(u.own()), nil
	}
	u := c.repo.addSuite(app, sha, c.branchOf(sha))
	u.tell("requested", c.actor())
	return created(u.own()), nil
}

func (c *call) getSuite(u *CheckSuite) (answer, error) { return ok(u.own()), nil }

func (c *call) checksForSuite(u *CheckSuite) (answer, error) { return c.checks([]*CheckSuite{u}) }

func (c *call) rerequestSuite(u *CheckSuite) (answer, error) {
	if u.app != c.by.token.installation.app {
		return answer{}, refuse(http.StatusForbidden, "Resource not accessible by integration")
	}
	u.tell("rerequested", c.actor())
	return created(Object{}), nil
}
