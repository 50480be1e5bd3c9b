package githubtest

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"
)

var actionsTable = []entry{
	{"actions/list-workflow-runs-for-repo", onRepository, "actions:read", (*call).listRuns},
	{"actions/list-jobs-for-workflow-run", onRepository, "actions:read", (*call).listJobs},
	{"actions/download-job-logs-for-workflow-run", onRepository, "actions:read", (*call).jobLog},
	{"actions/list-workflow-run-artifacts", onRepository, "actions:read", (*call).listArtifacts},
	{"actions/download-artifact", onRepository, "actions:read", (*call).downloadArtifact},
}

// RunSpec describes a run of a CI workflow.
type RunSpec struct {
	Workflow string       // its name; empty: CI
	Path     string       // of the workflow's file; empty: .github/workflows/ci.yml
	Pull     *PullRequest // the run tests the merge of its head into the base
	Jobs     []string     // names
	Event    string       // what caused it; empty: pull_request
	Actor    *Account     // who caused that; nil: the author of the pull request
}

// Run is a workflow run. Its jobs complete one by one, then the run.
type Run struct {
	ID       int64
	Workflow string
	HeadSha  string

	repo       *Repository
	headRepo   *Repository
	suite      *CheckSuite
	workflow   *workflow
	number     int
	attempt    int
	status     string
	conclusion string
	pull       *PullRequest
	event      string
	actor      *Account
	created    time.Time
	updated    time.Time
	jobs       []*Job
}

// Job is one job of a run.
type Job struct {
	ID   int64
	Name string

	run        *Run
	check      *CheckRun
	attempt    int
	status     string
	conclusion string
	created    time.Time
	started    time.Time
	completed  time.Time
	log        []byte
}

type workflow struct {
	id      int64
	repo    *Repository
	name    string
	path    string
	created time.Time
}

// Artifact is a zip file that a run has uploaded.
type Artifact struct {
	ID   int64
	Name string

	run     *Run
	zip     []byte
	created time.Time
}

// StartRun starts a workflow run of a pull request: requested, its jobs queued and then in
// progress.
func (r *Repository) StartRun(ctx context.Context, spec RunSpec) (*Run, error) {
	defer r.s.lock()()
	p := spec.Pull
	if p == nil || len(spec.Jobs) == 0 {
		return nil, errors.New("a run needs a pull request and jobs")
	}
	run := &Run{ID: r.s.id("run"), Workflow: cmp.Or(spec.Workflow, "CI"), HeadSha: p.headSha, repo: r, headRepo: p.head, pull: p,
		attempt: 1, status: "queued", created: r.s.now(), updated: r.s.now(), number: len(r.runs) + 1,
		event: cmp.Or(spec.Event, "pull_request"), actor: cmp.Or(spec.Actor, p.author)}
	run.workflow = r.workflow(run.Workflow, cmp.Or(spec.Path, ".github/workflows/ci.yml"))
	branch := p.headRef
	if p.head != r {
		branch = ""
	}
	run.suite = r.addSuite(r.s.actions(), run.HeadSha, branch)
	r.runs = append(r.runs, run)
	run.emit(ctx, "requested")
	run.start(ctx, spec.Jobs)
	return run, nil
}

// Repeat adds later runs that are like this one, without jobs. No delivery tells of them.
func (run *Run) Repeat(times int) {
	r := run.repo
	defer r.s.lock()()
	for range times {
		again := *run
		again.ID, again.number, again.jobs = r.s.id("run"), len(r.runs)+1, nil
		r.runs = append(r.runs, &again)
	}
}

func (r *Repository) workflow(name, file string) *workflow {
	for _, w := range r.workflows {
		if w.path == file {
			return w
		}
	}
	w := &workflow{id: r.s.id("workflow"), repo: r, name: name, path: file, created: r.s.now()}
	r.workflows = append(r.workflows, w)
	return w
}

func (run *Run) start(ctx context.Context, jobs []string) {
	now := run.repo.s.now()
	run.status, run.conclusion, run.updated = "in_progress", "", now
	run.emit(ctx, "in_progress")
	for _, name := range jobs {
		j := &Job{ID: run.repo.s.id("check"), Name: name, run: run, attempt: run.attempt, status: "queued", created: now, started: now}
		// As on GitHub, a job and its check run have the same id.
		j.check = &CheckRun{id: j.ID, suite: run.suite, name: name, status: "queued", details: j.page()}
		run.suite.runs = append(run.suite.runs, j.check)
		run.jobs = append(run.jobs, j)
		j.emit("queued")
		j.status, j.check.status, j.check.started = "in_progress", "in_progress", now
		j.check.emit("created", run.repo.s.actions().Bot, nil)
		j.emit("in_progress")
	}
}

// Job returns the newest job of that name, or nil.
func (run *Run) Job(name string) *Job {
	defer run.repo.s.lock()()
	var found *Job
	for _, j := range run.jobs {
		if j.Name == name {
			found = j
		}
	}
	return found
}

// Complete completes the job. In the log of a real runner, each line starts with a time stamp.
func (j *Job) Complete(_ context.Context, conclusion string, log []byte) {
	defer j.run.repo.s.lock()()
	if j.status == "completed" {
		return
	}
	j.end(conclusion)
	j.log = log
}

func (j *Job) end(conclusion string) {
	now := j.run.repo.s.now()
	j.status, j.conclusion, j.completed = "completed", conclusion, now
	j.check.status, j.check.conclusion, j.check.completed = "completed", conclusion, now
	j.check.emit("completed", j.run.repo.s.actions().Bot, nil)
	j.emit("completed")
}

// AddArtifact adds files, by name, as an artifact of the run.
func (run *Run) AddArtifact(name string, files map[string][]byte) (*Artifact, error) {
	packed, err := zipped(files)
	if err != nil {
		return nil, err
	}
	return run.AddRawArtifact(name, packed), nil
}

// AddRawArtifact adds an artifact from the bytes of its zip file.
func (run *Run) AddRawArtifact(name string, zip []byte) *Artifact {
	s := run.repo.s
	defer s.lock()()
	a := &Artifact{ID: s.id("artifact"), Name: name, run: run, zip: zip, created: s.now()}
	run.repo.artifacts = append(run.repo.artifacts, a)
	return a
}

func zipped(files map[string][]byte) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w, err := z.Create(name)
		if err != nil {
			return nil, err
		}
		_, _ = w.Write(files[name]) // into memory
	}
	err := z.Close() // it writes the directory, so it comes before b.Bytes
	return b.Bytes(), err
}

// Complete completes the run. Jobs that still run get its conclusion.
func (run *Run) Complete(ctx context.Context, conclusion string) {
	defer run.repo.s.lock()()
	for _, j := range run.jobs {
		if j.status != "completed" {
			j.end(conclusion)
		}
	}
	run.status, run.conclusion, run.updated = "completed", conclusion, run.repo.s.now()
	run.suite.emit("completed")
	run.emit(ctx, "completed")
}

// Rerun starts the next attempt of a completed run, as "Re-run all jobs" does.
func (run *Run) Rerun(ctx context.Context) error {
	defer run.repo.s.lock()()
	if run.status != "completed" {
		return fmt.Errorf("run %d is not completed", run.ID)
	}
	var again []string
	for _, j := range run.jobs {
		if j.attempt == run.attempt {
			again = append(again, j.Name)
		}
	}
	run.attempt++
	run.status, run.conclusion, run.updated = "queued", "", run.repo.s.now()
	run.emit(ctx, "requested")
	run.start(ctx, again)
	return nil
}

func (run *Run) api() string  { return fmt.Sprintf("%s/actions/runs/%d", run.repo.api(), run.ID) }
func (run *Run) page() string { return fmt.Sprintf("%s/actions/runs/%d", run.repo.page(), run.ID) }
func (j *Job) page() string   { return fmt.Sprintf("%s/job/%d", j.run.page(), j.ID) }

func (run *Run) view(ctx context.Context) Object {
	r, mentions := run.repo, []Object{}
	if run.headRepo == r { // a run of a fork's commit names no pull request
		mentions = r.mentions(run.HeadSha)
	}
	return Object{
		"id": run.ID, "name": run.Workflow, "node_id": nodeID("WorkflowRun", run.ID), "head_branch": run.pull.headRef,
		"head_sha": run.HeadSha, "path": run.workflow.path, "display_title": run.pull.title, "run_number": run.number,
		"run_attempt": run.attempt, "event": run.event, "status": run.status, "conclusion": textOrNull(run.conclusion),
		"workflow_id": run.workflow.id, "check_suite_id": run.suite.id, "check_suite_node_id": nodeID("CheckSuite", run.suite.id),
		"url": run.api(), "html_url": run.page(), "pull_requests": mentions, "created_at": stamp(run.created),
		"updated_at": stamp(run.updated), "run_started_at": stamp(run.created), "actor": run.actor.view(),
		"triggering_actor": run.actor.view(),
		"jobs_url":         run.api() + "/jobs", "logs_url": run.api() + "/logs", "check_suite_url": run.suite.api(),
		"artifacts_url": run.api() + "/artifacts", "cancel_url": run.api() + "/cancel", "rerun_url": run.api() + "/rerun",
		"previous_attempt_url": nil, "workflow_url": run.workflow.api(), "referenced_workflows": []Object{},
		"head_commit": run.headRepo.simpleCommit(ctx, run.HeadSha), "repository": r.minimal(), "head_repository": run.headRepo.minimal(),
	}
}

func (run *Run) emit(ctx context.Context, action string) {
	run.repo.s.emit(run.repo, "workflow_run", action, run.pull.author,
		Object{"workflow_run": run.view(ctx), "workflow": run.workflow.view()})
}

func (w *workflow) api() string { return fmt.Sprintf("%s/actions/workflows/%d", w.repo.api(), w.id) }

func (w *workflow) view() Object {
	return Object{"id": w.id, "node_id": nodeID("Workflow", w.id), "name": w.name, "path": w.path, "state": "active",
		"created_at": stamp(w.created), "updated_at": stamp(w.created), "url": w.api(),
		"html_url":  w.repo.page() + "/blob/" + mainBranch + "/" + w.path,
		"badge_url": w.repo.page() + "/workflows/" + strings.TrimSuffix(path.Base(w.path), path.Ext(w.path)) + "/badge.svg"}
}

func (j *Job) view() Object {
	r := j.run
	conclusion := j.conclusion
	if !slices.Contains([]string{"", "success", "failure", "skipped", "cancelled"}, conclusion) {
		conclusion = "cancelled" // a step has fewer conclusions than a job
	}
	step := Object{"name": "Run tests", "status": j.status, "conclusion": textOrNull(conclusion), "number": 1,
		"started_at": stampOrNull(j.started), "completed_at": stampOrNull(j.completed)}
	return Object{"id": j.ID, "run_id": r.ID, "workflow_name": r.Workflow, "head_branch": r.pull.headRef, "run_url": r.api(),
		"run_attempt": j.attempt, "node_id": nodeID("CheckRun", j.ID), "head_sha": r.HeadSha,
		"url": fmt.Sprintf("%s/actions/jobs/%d", r.repo.api(), j.ID), "html_url": j.page(), "status": j.status,
		"conclusion": textOrNull(j.conclusion), "created_at": stamp(j.created), "started_at": stamp(j.started),
		"completed_at": stampOrNull(j.completed), "name": j.Name, "steps": []Object{step}, "check_run_url": j.check.api(),
		"labels": []string{"ubuntu-latest"}, "runner_id": 1, "runner_name": "GitHub Actions 1",
		"runner_group_id": 2, "runner_group_name": "GitHub Actions"}
}

func (j *Job) emit(action string) {
	o := j.view()
	if action == "queued" {
		o["steps"] = []Object{}
		o["runner_id"], o["runner_name"], o["runner_group_id"], o["runner_group_name"] = nil, nil, nil, nil
	}
	j.run.repo.s.emit(j.run.repo, "workflow_job", action, j.run.pull.author, Object{"workflow_job": o})
}

// mostRuns is how many runs GitHub lists.
const mostRuns = 1000

// listRuns lists workflow runs, newest first: those that the query asks for.
func (c *call) listRuns() (answer, error) {
	q := c.r.URL.Query()
	is := func(name, value string) bool { return q.Get(name) == "" || q.Get(name) == value }
	all := slices.DeleteFunc(slices.Clone(c.repo.runs), func(run *Run) bool {
		return !is("head_sha", run.HeadSha) || !is("actor", run.actor.Login) || !is("branch", run.pull.headRef) ||
			!is("status", run.status) && !is("status", run.conclusion)
	})
	slices.Reverse(all)
	all = all[:min(len(all), mostRuns)]
	return counted(c, "workflow_runs", all, func(run *Run) Object { return run.view(c.ctx) })
}

// listJobs lists the jobs of the newest attempt, or of all attempts.
func (c *call) listJobs() (answer, error) {
	var all []*Job
	for _, run := range c.repo.runs {
		for _, j := range run.jobs {
			if run.ID == c.number("run_id") && (j.attempt == run.attempt || c.r.URL.Query().Get("filter") == "all") {
				all = append(all, j)
			}
		}
	}
	return counted(c, "jobs", all, (*Job).view)
}

func (c *call) jobLog() (answer, error) {
	for _, run := range c.repo.runs {
		for _, j := range run.jobs {
			if j.ID == c.number("job_id") && j.log != nil {
				return c.redirect(fmt.Sprintf("job-%d.txt", j.ID), "text/plain; charset=utf-8", j.log), nil
			}
		}
	}
	return answer{}, notFound()
}

func (a *Artifact) view() Object {
	api := fmt.Sprintf("%s/actions/artifacts/%d", a.run.repo.api(), a.ID)
	return Object{"id": a.ID, "node_id": nodeID("Artifact", a.ID), "name": a.Name, "size_in_bytes": len(a.zip), "url": api,
		"archive_download_url": api + "/zip", "expired": false, "created_at": stamp(a.created), "updated_at": stamp(a.created),
		"expires_at": stamp(a.created.AddDate(0, 0, 90)), "workflow_run": Object{"id": a.run.ID, "repository_id": a.run.repo.ID,
			"head_repository_id": a.run.headRepo.ID, "head_branch": a.run.pull.headRef, "head_sha": a.run.HeadSha}}
}

func (c *call) listArtifacts() (answer, error) {
	all := slices.DeleteFunc(slices.Clone(c.repo.artifacts), func(a *Artifact) bool { return a.run.ID != c.number("run_id") })
	slices.Reverse(all)
	return counted(c, "artifacts", all, (*Artifact).view)
}

func (c *call) downloadArtifact() (answer, error) {
	for _, a := range c.repo.artifacts {
		if a.ID == c.number("artifact_id") {
			return c.redirect(a.Name+".zip", "application/zip", a.zip), nil
		}
	}
	return answer{}, notFound()
}
