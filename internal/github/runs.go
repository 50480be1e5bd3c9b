package github

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	gh "github.com/google/go-github/v60/github"
)

// Run is the newest attempt of a workflow run.
type Run struct {
	ID         int64  `json:"id"`
	Workflow   string `json:"name"`
	Path       string `json:"path"`  // of the workflow's file; go-github's type has no field for it
	Event      string `json:"event"` // its trigger: pull_request, push, …
	Status     string `json:"status"`
	Conclusion string `json:"conclusion"`
	HeadSHA    string `json:"head_sha"`
	Attempt    int64  `json:"run_attempt"`
	Branch     string `json:"head_branch"`
	// HeadRepository has the branch: the repository of the run, or a fork. Its ID is 0 if it was deleted.
	HeadRepository struct {
		ID int64 `json:"id"`
	} `json:"head_repository"`

	Actor   Actor     `json:"actor"` // who caused the event
	Created time.Time `json:"created_at"`
	Updated time.Time `json:"updated_at"`
}

// Actor is an account.
type Actor struct {
	ID    int64  `json:"id"`
	Login string `json:"login"`
}

// Key identifies this attempt of the run.
func (r Run) Key() string { return fmt.Sprintf("run/%d/%d", r.ID, r.Attempt) }

// byAnybody are events that everybody can cause who can see a repository, and with texts that their
// workflows may print. Some of those runs have the tip of a branch as their head.
var byAnybody = []string{"check_run", "check_suite", "discussion", "discussion_comment", "fork", "gollum", "issue_comment", "issues", review,
	"pull_request_review_comment", "status", "watch", "workflow_run"}

const review = "pull_request_review"

// Reviewed reports whether a review has started the run.
func (r Run) Reviewed() bool { return r.Event == review }

// Concerns reports whether a run on the head of a pull request can be one of its CI. Its branch is in
// headRepository. Anybody can open a pull request with the same commit, from a fork of their own: such
// runs do not count.
func (r Run) Concerns(repository, headRepository int64) bool {
	return (r.HeadRepository.ID == repository || r.HeadRepository.ID == headRepository) && !slices.Contains(byAnybody, r.Event)
}

// Completed reports whether all jobs of the run have ended.
func (r Run) Completed() bool { return r.Status == "completed" }

// CIJob is a job of a run.
type CIJob struct {
	ID         int64
	Name       string
	Conclusion string
	URL        string
}

// Key identifies the job. Each attempt of a run has jobs of its own.
func (j CIJob) Key() string { return fmt.Sprintf("job/%d", j.ID) }

// Red reports whether failing tests can be the cause of the job's conclusion.
func (j CIJob) Red() bool { return Red(j.Conclusion) }

// Red reports whether failing tests can be the cause of a conclusion, or of a commit status.
func Red(conclusion string) bool {
	return conclusion == "failure" || conclusion == "timed_out" || conclusion == "error"
}

// MostRuns is how many runs of a commit GitHub lists, the newest ones.
const MostRuns = 1000

// Runs returns the workflow runs of a head commit, of all events: the push to a branch and its pull
// request have the same head. There may be older ones if it returns MostRuns.
func (c *Client) Runs(ctx context.Context, r Repo, headSHA string) ([]Run, error) {
	return c.runs(ctx, r, headSHA, "")
}

// RunsOf returns only the runs that an account caused.
func (c *Client) RunsOf(ctx context.Context, r Repo, headSHA, login string) ([]Run, error) {
	return c.runs(ctx, r, headSHA, "&actor="+url.QueryEscape(login))
}

// FailedRuns returns only the runs for a branch, of whatever repository, that have failed.
func (c *Client) FailedRuns(ctx context.Context, r Repo, headSHA, branch string) ([]Run, error) {
	return c.runs(ctx, r, headSHA, "&status=failure&branch="+url.QueryEscape(branch))
}

func (c *Client) runs(ctx context.Context, r Repo, headSHA, filter string) ([]Run, error) {
	var o gh.ListOptions
	var out []Run
	err := pages(&o, func() (*gh.Response, error) {
		u := fmt.Sprintf("repos/%s/%s/actions/runs?head_sha=%s%s&per_page=%d&page=%d", r.Owner, r.Name,
			url.QueryEscape(headSHA), filter, o.PerPage, max(o.Page, 1))
		req, err := c.on(r, readActions).NewRequest(http.MethodGet, u, nil)
		if err != nil {
			return nil, err
		}
		var list struct {
			Runs []Run `json:"workflow_runs"`
		}
		resp, err := c.on(r, readActions).Do(ctx, req, &list)
		out = append(out, list.Runs...)
		return resp, err
	})
	return slices.DeleteFunc(out, func(w Run) bool { return w.HeadSHA != headSHA }), err
}

// Jobs returns the jobs of a run's newest attempt.
func (c *Client) Jobs(ctx context.Context, r Repo, run Run) ([]CIJob, error) {
	o := gh.ListWorkflowJobsOptions{Filter: "latest"}
	var out []CIJob
	err := pages(&o.ListOptions, func() (*gh.Response, error) {
		list, resp, err := c.on(r, readActions).Actions.ListWorkflowJobs(ctx, r.Owner, r.Name, run.ID, &o)
		if err != nil {
			return resp, err
		}
		for _, j := range list.Jobs {
			out = append(out, CIJob{j.GetID(), j.GetName(), j.GetConclusion(), j.GetHTMLURL()})
		}
		return resp, nil
	})
	return out, err
}

// ArtifactInfo describes an artifact of a run.
type ArtifactInfo struct {
	ID   int64
	Name string
	Size int64 // of the zip file, from GitHub
}

// Artifacts returns the artifacts of a run that have not expired.
func (c *Client) Artifacts(ctx context.Context, r Repo, run int64) ([]ArtifactInfo, error) {
	var o gh.ListOptions
	var out []ArtifactInfo
	err := pages(&o, func() (*gh.Response, error) {
		list, resp, err := c.on(r, readActions).Actions.ListWorkflowRunArtifacts(ctx, r.Owner, r.Name, run, &o)
		if err != nil {
			return resp, err
		}
		for _, a := range list.Artifacts {
			if !a.GetExpired() {
				out = append(out, ArtifactInfo{a.GetID(), a.GetName(), a.GetSizeInBytes()})
			}
		}
		return resp, nil
	})
	return out, err
}
