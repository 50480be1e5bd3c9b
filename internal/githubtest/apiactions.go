package githubtest

import (
	"archive/zip"
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

var actionsTable = []entry{
	{"actions/list-workflow-runs-for-repo", onRepository, "actions:read", (*call).listRuns},
	{"actions/list-workflow-runs", onRepository, "actions:read", (*call).listRuns},
	{"actions/get-workflow-run", onRepository, "actions:read", withRun((*call).getRun)},
	{"actions/get-workflow-run-attempt", onRepository, "actions:read", withRun((*call).getRun)},
	{"actions/list-jobs-for-workflow-run", onRepository, "actions:read", withRun((*call).listJobs)},
	{"actions/list-jobs-for-workflow-run-attempt", onRepository, "actions:read", withRun((*call).listJobs)},
	{"actions/get-job-for-workflow-run", onRepository, "actions:read", withJob((*call).getJob)},
	{"actions/download-job-logs-for-workflow-run", onRepository, "actions:read", withJob((*call).jobLog)},
	{"actions/download-workflow-run-logs", onRepository, "actions:read", withRun((*call).runLogs)},
	{"actions/download-workflow-run-attempt-logs", onRepository, "actions:read", withRun((*call).runLogs)},
	{"actions/list-workflow-run-artifacts", onRepository, "actions:read", withRun((*call).runArtifacts)},
	{"actions/list-artifacts-for-repo", onRepository, "actions:read", (*call).listArtifacts},
	{"actions/get-artifact", onRepository, "actions:read", withArtifact((*call).getArtifact)},
	{"actions/download-artifact", onRepository, "actions:read", withArtifact((*call).downloadArtifact)},
	{"actions/list-repo-workflows", onRepository, "actions:read", (*call).listWorkflows},
	{"actions/get-workflow", onRepository, "actions:read", (*call).getWorkflow},
	{"actions/create-workflow-dispatch", onRepository, "actions:write", (*call).dispatch},
	{"actions/cancel-workflow-run", onRepository, "actions:write", withRun((*call).cancelRun)},
	{"actions/re-run-workflow", onRepository, "actions:write", withRun((*call).rerunRun)},
	{"actions/re-run-workflow-failed-jobs", onRepository, "actions:write", withRun((*call).rerunRun)},
}

func withRun(do func(*call, *Run) (answer, error)) func(*call) (answer, error) {
	return func(c *call) (answer, error) {
		for _, run := range c.repo.runs {
			if run.ID == c.number("run_id") {
				return do(c, run)
			}
		}
		return answer{}, notFound()
	}
}

func withJob(do func(*call, *Job) (answer, error)) func(*call) (answer, error) {
	return func(c *call) (answer, error) {
		for _, run := range c.repo.runs {
			for _, j := range run.jobs {
				if j.ID == c.number("job_id") {
					return do(c, j)
				}
			}
		}
		return answer{}, notFound()
	}
}

func withArtifact(do func(*call, *Artifact) (answer, error)) func(*call) (answer, error) {
	return func(c *call) (answer, error) {
		for _, a := range c.repo.artifacts {
			if a.ID == c.number("artifact_id") {
				return do(c, a)
			}
		}
		return answer{}, notFound()
	}
}

func (c *call) runView(run *Run) Object { return run.view(c.ctx) }

// listRuns filters by what the query names; newest first.
func (c *call) listRuns() (answer, error) {
	q := c.r.URL.Query()
	is := func(name, value string) bool { return q.Get(name) == "" || q.Get(name) == value }
	var all []*Run
	for _, run := range slices.Backward(c.repo.runs) {
		state := q.Get("status")
		fits := is("head_sha", run.HeadSha) && is("branch", run.branch) && is("event", run.event) && is("actor", run.actor.Login) &&
			is("check_suite_id", itoa(run.suite.id)) && (state == "" || state == run.status || state == run.conclusion)
		if w := c.params["workflow_id"]; w != "" {
			fits = fits && run.workflow.named(w)
		}
		if fits {
			all = append(all, run)
		}
	}
	return counted(c, "workflow_runs", all, c.runView)
}

func (w *workflow) named(id string) bool {
	return id == itoa(w.id) || id == w.path || strings.HasSuffix(w.path, "/"+id)
}

func (c *call) getRun(run *Run) (answer, error) {
	if n := c.number("attempt_number"); c.params["attempt_number"] != "" && (n < 1 || n > int64(run.attempt)) {
		return answer{}, notFound()
	}
	return ok(c.runView(run)), nil
}

// listJobs lists the newest attempt's jobs unless all or one attempt is asked for.
func (c *call) listJobs(run *Run) (answer, error) {
	attempt := int64(run.attempt)
	if c.params["attempt_number"] != "" {
		attempt = c.number("attempt_number")
	}
	all := slices.DeleteFunc(slices.Clone(run.jobs), func(j *Job) bool {
		return int64(j.attempt) != attempt && c.r.URL.Query().Get("filter") != "all"
	})
	return counted(c, "jobs", all, (*Job).view)
}

func (c *call) getJob(j *Job) (answer, error) { return ok(j.view()), nil }

// mustKnow: logs and artifacts are for those who are signed in, even where the
// repository is public.
func (c *call) mustKnow() error {
	if c.by.token == nil || !c.by.token.covers(c.repo) {
		return refuse(http.StatusForbidden, "Must have admin rights to Repository.")
	}
	return nil
}

func (c *call) jobLog(j *Job) (answer, error) {
	if err := c.mustKnow(); err != nil {
		return answer{}, err
	}
	switch {
	case j.gone:
		return answer{}, refuse(http.StatusGone, "Server Error")
	case j.status != "completed" || j.log == nil:
		return answer{}, notFound()
	}
	return redirect(c.s.offer(fmt.Sprintf("job-%d.txt", j.ID), "text/plain; charset=utf-8", j.log, time.Minute)), nil
}

// runLogs are the logs of all jobs in one zip file.
func (c *call) runLogs(run *Run) (answer, error) {
	if err := c.mustKnow(); err != nil {
		return answer{}, err
	}
	if run.status != "completed" {
		return answer{}, notFound()
	}
	files := map[string][]byte{}
	attempt := run.attempt
	if c.params["attempt_number"] != "" {
		attempt = int(c.number("attempt_number"))
	}
	for i, j := range run.jobs {
		if j.attempt != attempt {
			continue
		}
		if j.gone {
			return answer{}, refuse(http.StatusGone, "Server Error")
		}
		files[fmt.Sprintf("%d_%s.txt", i, strings.ReplaceAll(j.Name, "/", "_"))] = j.log
	}
	if len(files) == 0 {
		return answer{}, notFound()
	}
	packed, err := zipped(files)
	if err != nil {
		return answer{}, err
	}
	return redirect(c.s.offer(fmt.Sprintf("logs_%d.zip", run.ID), "application/zip", packed, time.Minute)), nil
}

func zipped(files map[string][]byte) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w, err := z.Create(name)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(files[name]); err != nil {
			return nil, err
		}
	}
	err := z.Close() // writes the directory: before the bytes are taken
	return b.Bytes(), err
}

func (a *Artifact) view() Object {
	api := fmt.Sprintf("%s/actions/artifacts/%d", a.run.repo.api(), a.ID)
	return Object{"id": a.ID, "node_id": nodeID("Artifact", a.ID), "name": a.Name, "size_in_bytes": len(a.zip), "url": api,
		"archive_download_url": api + "/zip", "expired": a.gone(), "created_at": stamp(a.created), "updated_at": stamp(a.created),
		"expires_at": stamp(a.expires), "workflow_run": Object{"id": a.run.ID, "repository_id": a.run.repo.ID,
			"head_repository_id": a.run.headRepo.ID, "head_branch": a.run.branch, "head_sha": a.run.HeadSha}}
}

func (a *Artifact) gone() bool { return a.expired || !a.run.repo.s.now().Before(a.expires) }

func (c *call) artifacts(run *Run) (answer, error) {
	name := c.r.URL.Query().Get("name")
	all := slices.DeleteFunc(slices.Clone(c.repo.artifacts), func(a *Artifact) bool {
		return run != nil && a.run != run || name != "" && a.Name != name
	})
	slices.Reverse(all)
	return counted(c, "artifacts", all, (*Artifact).view)
}

func (c *call) runArtifacts(run *Run) (answer, error) { return c.artifacts(run) }

func (c *call) listArtifacts() (answer, error) { return c.artifacts(nil) }

func (c *call) getArtifact(a *Artifact) (answer, error) { return ok(a.view()), nil }

func (c *call) downloadArtifact(a *Artifact) (answer, error) {
	if err := c.mustKnow(); err != nil {
		return answer{}, err
	}
	if c.params["archive_format"] != "zip" {
		return answer{}, notFound()
	}
	if a.gone() {
		return answer{}, refuse(http.StatusGone, "Artifact has expired")
	}
	return redirect(c.s.offer(a.Name+".zip", "application/zip", a.zip, time.Minute)), nil
}

func (c *call) listWorkflows() (answer, error) {
	return counted(c, "workflows", c.repo.workflows, (*workflow).view)
}

func (c *call) findWorkflow() *workflow {
	for _, w := range c.repo.workflows {
		if w.named(c.params["workflow_id"]) {
			return w
		}
	}
	return nil
}

func (c *call) getWorkflow() (answer, error) {
	if w := c.findWorkflow(); w != nil {
		return ok(w.view()), nil
	}
	return answer{}, notFound()
}

// dispatch takes a branch or a tag, never a sha, and answers before anything runs.
func (c *call) dispatch() (answer, error) {
	var in struct{ Ref string }
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	if c.findWorkflow() == nil {
		return answer{}, notFound()
	}
	name := strings.TrimPrefix(strings.TrimPrefix(in.Ref, "refs/heads/"), "refs/tags/")
	_, branch := c.repo.git.Resolve(c.ctx, "heads/"+name)
	_, tag := c.repo.git.Resolve(c.ctx, "tags/"+name)
	if branch != nil && tag != nil {
		return answer{}, refuse(http.StatusUnprocessableEntity, "No ref found for: "+in.Ref)
	}
	return noContent, nil
}

func (c *call) cancelRun(run *Run) (answer, error) {
	if run.status == "completed" {
		return answer{}, refuse(http.StatusConflict, "Cannot cancel a workflow run that is completed.")
	}
	run.complete(c.ctx, "cancelled")
	return answer{status: http.StatusAccepted, body: Object{}}, nil
}

func (c *call) rerunRun(run *Run) (answer, error) {
	if err := run.rerun(c.ctx, strings.HasSuffix(c.end.op.ID, "failed-jobs")); err != nil {
		return answer{}, refuse(http.StatusForbidden, "This workflow is already running")
	}
	return created(Object{}), nil
}
