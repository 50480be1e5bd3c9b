package githubtest

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
)

// RunSpec describes a run of a CI workflow.
type RunSpec struct {
	Workflow string       // its name; empty: CI
	Path     string       // empty: .github/workflows/ci.yml
	Pull     *PullRequest // whose head it tests (merged into the base), or
	Branch   string       // the branch whose tip it tests
	Event    string       // empty: pull_request or push
	Jobs     []string     // names; empty: build
}

// Run is a workflow run; its jobs end one by one, then it is completed.
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
	event      string
	branch     string
	title      string
	status     string
	conclusion string
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
	gone       bool // its log has expired
}

type workflow struct {
	id      int64
	repo    *Repository
	name    string
	path    string
	created time.Time
}

// Artifact is a file that a run left behind, zipped.
type Artifact struct {
	ID   int64
	Name string

	run     *Run
	zip     []byte
	created time.Time
	expires time.Time
	expired bool
}

// StartRun starts a workflow run: requested, its jobs queued and then in progress.
func (r *Repository) StartRun(ctx context.Context, spec RunSpec) (*Run, error) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	run := &Run{ID: r.s.id("run"), Workflow: either(spec.Workflow, "CI"), repo: r, headRepo: r, attempt: 1, status: "queued",
		created: r.s.now(), updated: r.s.now(), number: len(r.runs) + 1}
	switch {
	case spec.Pull != nil:
		p := spec.Pull
		run.HeadSha, run.branch, run.headRepo, run.event, run.title, run.actor = p.headSha, p.headRef, p.head, "pull_request", p.title, p.author
	case spec.Branch != "":
		sha, err := r.git.Resolve(ctx, "heads/"+spec.Branch)
		if err != nil {
			return nil, err
		}
		run.HeadSha, run.branch, run.event, run.title, run.actor = sha, spec.Branch, "push", spec.Branch, r.owner
	default:
		return nil, errors.New("a run needs a pull request or a branch")
	}
	run.event = either(spec.Event, run.event)
	run.workflow = r.workflow(run.Workflow, either(spec.Path, ".github/workflows/ci.yml"))
	suiteBranch := run.branch
	if run.headRepo != r {
		suiteBranch = ""
	}
	run.suite = r.addSuite(r.s.actions(), run.HeadSha, suiteBranch)
	r.runs = append(r.runs, run)
	run.tell(ctx, "requested")
	if len(spec.Jobs) == 0 {
		spec.Jobs = []string{"build"}
	}
	run.start(ctx, spec.Jobs)
	return run, nil
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
	run.tell(ctx, "in_progress")
	for _, name := range jobs {
		j := &Job{ID: run.repo.s.id("check"), Name: name, run: run, attempt: run.attempt, status: "queued", created: now, started: now}
		// A job and its check run share their id, as on GitHub.
		j.check = &CheckRun{id: j.ID, suite: run.suite, name: name, status: "queued", details: j.page()}
		run.suite.runs = append(run.suite.runs, j.check)
		run.jobs = append(run.jobs, j)
		j.tell("queued")
		j.status, j.check.status, j.check.started = "in_progress", "in_progress", now
		j.check.tell("created", run.repo.s.actions().Bot, nil)
		j.tell("in_progress")
	}
}

// Job is the newest job of that name, or nil.
func (run *Run) Job(name string) *Job {
	run.repo.s.mu.Lock()
	defer run.repo.s.mu.Unlock()
	var found *Job
	for _, j := range run.jobs {
		if j.Name == name {
			found = j
		}
	}
	return found
}

// Complete ends the job with its log, which is taken as it is: a runner's log
// has a time stamp before every line.
func (j *Job) Complete(_ context.Context, conclusion string, log []byte) {
	s := j.run.repo.s
	s.mu.Lock()
	defer s.mu.Unlock()
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
	bot := j.run.repo.s.actions().Bot
	j.check.tell("completed", bot, nil)
	j.tell("completed")
}

// annotationsKept is how many of each level GitHub keeps of a step.
const annotationsKept = 10

// Annotate adds an annotation to the job's check, as "::error file=…" does:
// beyond ten of a level it is dropped without a word.
func (j *Job) Annotate(path string, line int, level, message string) {
	s := j.run.repo.s
	s.mu.Lock()
	defer s.mu.Unlock()
	same := 0
	for _, a := range j.check.annotations {
		if a.Level == level {
			same++
		}
	}
	if same >= annotationsKept {
		return
	}
	j.check.annotations = append(j.check.annotations, annotation{Path: path, StartLine: line, EndLine: line, Level: level, Message: message})
}

// ExpireLog removes the job's log, as GitHub does after some months.
func (j *Job) ExpireLog() {
	s := j.run.repo.s
	s.mu.Lock()
	defer s.mu.Unlock()
	j.gone, j.log = true, nil
}

// AddArtifact keeps files, by name, as an artifact of the run.
func (run *Run) AddArtifact(name string, files map[string][]byte) (*Artifact, error) {
	packed, err := zipped(files)
	if err != nil {
		return nil, err
	}
	return run.AddRawArtifact(name, packed), nil
}

// AddRawArtifact keeps bytes as an artifact, whether they are a zip file or not.
func (run *Run) AddRawArtifact(name string, zip []byte) *Artifact {
	s := run.repo.s
	s.mu.Lock()
	defer s.mu.Unlock()
	a := &Artifact{ID: s.id("artifact"), Name: name, run: run, zip: zip, created: s.now(), expires: s.now().Add(90 * 24 * time.Hour)}
	run.repo.artifacts = append(run.repo.artifacts, a)
	return a
}

// Expire makes the artifact's download answer 410.
func (a *Artifact) Expire() {
	s := a.run.repo.s
	s.mu.Lock()
	defer s.mu.Unlock()
	a.expired, a.zip = true, nil
}

// Complete ends the run; jobs that still run end with its conclusion.
func (run *Run) Complete(ctx context.Context, conclusion string) {
	s := run.repo.s
	s.mu.Lock()
	defer s.mu.Unlock()
	run.complete(ctx, conclusion)
}

func (run *Run) complete(ctx context.Context, conclusion string) {
	if run.status == "completed" {
		return
	}
	for _, j := range run.jobs {
		if j.status != "completed" {
			j.end(conclusion)
		}
	}
	run.status, run.conclusion, run.updated = "completed", conclusion, run.repo.s.now()
	run.suite.tell("completed", run.repo.s.actions().Bot)
	run.tell(ctx, "completed")
}

// Rerun starts the run's next attempt, as a person's "Re-run jobs" does.
func (run *Run) Rerun(ctx context.Context) error {
	s := run.repo.s
	s.mu.Lock()
	defer s.mu.Unlock()
	return run.rerun(ctx, false)
}

func (run *Run) rerun(ctx context.Context, failedOnly bool) error {
	if run.status != "completed" {
		return fmt.Errorf("run %d still goes on", run.ID)
	}
	var again []string
	for _, j := range run.jobs {
		if j.attempt == run.attempt && (!failedOnly || j.conclusion != "success") {
			again = append(again, j.Name)
		}
	}
	run.attempt++
	run.status, run.conclusion, run.updated = "queued", "", run.repo.s.now()
	run.tell(ctx, "requested")
	run.start(ctx, again)
	return nil
}

func (run *Run) api() string  { return fmt.Sprintf("%s/actions/runs/%d", run.repo.api(), run.ID) }
func (run *Run) page() string { return fmt.Sprintf("%s/actions/runs/%d", run.repo.page(), run.ID) }
func (j *Job) page() string   { return fmt.Sprintf("%s/job/%d", j.run.page(), j.ID) }

func (run *Run) view(ctx context.Context) Object {
	r := run.repo
	return Object{
		"id": run.ID, "name": run.Workflow, "node_id": nodeID("WorkflowRun", run.ID), "head_branch": textOrNull(run.branch),
		"head_sha": run.HeadSha, "path": run.workflow.path, "display_title": run.title, "run_number": run.number,
		"run_attempt": run.attempt, "event": run.event, "status": run.status, "conclusion": textOrNull(run.conclusion),
		"workflow_id": run.workflow.id, "check_suite_id": run.suite.id, "check_suite_node_id": nodeID("CheckSuite", run.suite.id),
		"url": run.api(), "html_url": run.page(), "pull_requests": run.mentions(), "created_at": stamp(run.created),
		"updated_at": stamp(run.updated), "run_started_at": stamp(run.created), "actor": run.actor.view(), "triggering_actor": run.actor.view(),
		"jobs_url": run.api() + "/jobs", "logs_url": run.api() + "/logs", "check_suite_url": run.suite.api(),
		"artifacts_url": run.api() + "/artifacts", "cancel_url": run.api() + "/cancel", "rerun_url": run.api() + "/rerun",
		"previous_attempt_url": nil, "workflow_url": run.workflow.api(), "referenced_workflows": []Object{},
		"head_commit": run.headRepo.simpleCommit(ctx, run.HeadSha), "repository": r.minimal(), "head_repository": run.headRepo.minimal(),
	}
}

// mentions: a run of a fork's commit names no pull request.
func (run *Run) mentions() []Object {
	if run.headRepo != run.repo {
		return []Object{}
	}
	return run.repo.mentions(run.HeadSha)
}

func (run *Run) tell(ctx context.Context, action string) {
	run.repo.s.emit(run.repo, "workflow_run", action, run.actor, Object{"workflow_run": run.view(ctx), "workflow": run.workflow.hookView()})
}

func (w *workflow) api() string { return fmt.Sprintf("%s/actions/workflows/%d", w.repo.api(), w.id) }

func (w *workflow) view() Object {
	return Object{"id": w.id, "node_id": nodeID("Workflow", w.id), "name": w.name, "path": w.path, "state": "active",
		"created_at": stamp(w.created), "updated_at": stamp(w.created), "url": w.api(),
		"html_url":  w.repo.page() + "/blob/" + w.repo.Default + "/" + w.path,
		"badge_url": w.repo.page() + "/workflows/" + strings.TrimSuffix(path.Base(w.path), path.Ext(w.path)) + "/badge.svg"}
}

func (w *workflow) hookView() Object { return w.view() }

func (j *Job) view() Object {
	r := j.run
	conclusion := j.conclusion
	if !slices.Contains([]string{"", "success", "failure", "skipped", "cancelled"}, conclusion) {
		conclusion = "cancelled" // a step ends in fewer ways than a job: it was cut short
	}
	step := Object{"name": "Run tests", "status": j.status, "conclusion": textOrNull(conclusion), "number": 1,
		"started_at": stampOrNull(j.started), "completed_at": stampOrNull(j.completed)}
	return Object{"id": j.ID, "run_id": r.ID, "workflow_name": r.Workflow, "head_branch": textOrNull(r.branch), "run_url": r.api(),
		"run_attempt": j.attempt, "node_id": nodeID("CheckRun", j.ID), "head_sha": r.HeadSha,
		"url": fmt.Sprintf("%s/actions/jobs/%d", r.repo.api(), j.ID), "html_url": j.page(), "status": j.status,
		"conclusion": textOrNull(j.conclusion), "created_at": stamp(j.created), "started_at": stamp(j.started),
		"completed_at": stampOrNull(j.completed), "name": j.Name, "steps": []Object{step}, "check_run_url": j.check.api(),
		"labels": []string{"ubuntu-latest"}, "runner_id": 1, "runner_name": "GitHub Actions 1", "runner_group_id": 2, "runner_group_name": "GitHub Actions"}
}

func (j *Job) tell(action string) {
	o := j.view()
	if action == "queued" {
		o["steps"] = []Object{}
		o["runner_id"], o["runner_name"], o["runner_group_id"], o["runner_group_name"] = nil, nil, nil, nil
	}
	j.run.repo.s.emit(j.run.repo, "workflow_job", action, j.run.actor, Object{"workflow_job": o})
}
