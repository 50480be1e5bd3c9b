package githubtest_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-github/v60/github"

	"github.com/odfix/odfix/internal/githubtest"
)

// fetch downloads as an App must: without its token.
func (w *world) fetch(url string, headers ...string) (int, []byte) {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.ctx, "GET", url, nil)
	w.must(err)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	w.must(err)
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	w.must(err)
	return resp.StatusCode, body
}

func TestLogsAndArtifacts(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	run, err := w.repo.StartRun(w.ctx, githubtest.RunSpec{Pull: w.pull(), Jobs: []string{"test (17)", "test (21)"}})
	w.must(err)
	job := run.Job("test (17)")
	_, resp, _ := w.gh.Actions.GetWorkflowJobLogs(w.ctx, "acme", "demo", job.ID, 0)
	if status(resp) != 404 {
		t.Errorf("the log of a job that still runs: %d", status(resp))
	}
	job.Complete(w.ctx, "failure", []byte("Running AppTest\n"))
	artifact, err := run.AddArtifact("reports", map[string][]byte{"a/TEST-x.xml": []byte("<testsuite/>")})
	w.must(err)
	run.Complete(w.ctx, "failure")
	url, _, err := w.gh.Actions.GetWorkflowJobLogs(w.ctx, "acme", "demo", job.ID, 0)
	w.must(err)
	if strings.HasPrefix(url.String(), w.URL) || url.Hostname() == "127.0.0.1" {
		t.Errorf("%s is on the API's host", url)
	}
	if code, body := w.fetch(url.String()); code != 200 || string(body) != "Running AppTest\n" {
		t.Errorf("%d %s", code, body)
	}
	if code, _ := w.fetch(url.String(), "Authorization", "token ghs_x"); code != 401 {
		t.Errorf("with a token: %d", code)
	}
	w.expectMismatch("sends the token to another host")
	if code, _ := w.fetch(w.WebURL + "/_downloads/guessed/log.txt"); code != 403 {
		t.Errorf("a guessed address: %d", code)
	}
	w.Advance(time.Minute)
	if code, _ := w.fetch(url.String()); code != 403 {
		t.Errorf("a minute later: %d", code)
	}
	url, _, err = w.gh.Actions.DownloadArtifact(w.ctx, "acme", "demo", artifact.ID, 0)
	w.must(err)
	_, packed := w.fetch(url.String())
	if names := zipNames(t, packed); names != "a/TEST-x.xml" {
		t.Errorf("artifact: %s", names)
	}
}

func zipNames(t *testing.T, packed []byte) string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range z.File {
		names = append(names, f.Name)
	}
	return strings.Join(names, " ")
}

func TestArchives(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	p := w.pull()
	url, _, err := w.gh.Repositories.GetArchiveLink(w.ctx, "acme", "demo", github.Tarball,
		&github.RepositoryContentGetOptions{Ref: p.MergeSha()}, 0)
	w.must(err)
	code, packed := w.fetch(url.String())
	unzipped, err := gzip.NewReader(bytes.NewReader(packed))
	if code != 200 || err != nil {
		t.Fatalf("%d %v", code, err)
	}
	found := map[string]string{}
	for r := tar.NewReader(unzipped); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		w.must(err)
		text, err := io.ReadAll(r)
		w.must(err)
		found[h.Name] = string(text)
	}
	folder := "acme-demo-" + p.MergeSha()[:7] + "/"
	if found[folder+"src/test/AppTest.java"] != changed(10) || found[folder+"README.md"] != base["README.md"] {
		t.Errorf("%v", found)
	}
	_, resp, _ := w.gh.Repositories.GetArchiveLink(w.ctx, "acme", "demo", github.Tarball,
		&github.RepositoryContentGetOptions{Ref: "nowhere"}, 0)
	if status(resp) != 404 {
		t.Errorf("no such commit: %d", status(resp))
	}
}

func TestRunsAndAttempts(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	p := w.pull()
	run, err := w.repo.StartRun(w.ctx, githubtest.RunSpec{Pull: p, Jobs: []string{"lint", "test"}})
	w.must(err)
	if run.ID < 1<<32 {
		t.Errorf("run %d fits 32 bits", run.ID)
	}
	run.Job("lint").Complete(w.ctx, "success", nil)
	run.Complete(w.ctx, "timed_out")
	w.must(run.Rerun(w.ctx))
	run.Complete(w.ctx, "success")
	jobs, _, err := w.gh.Actions.ListWorkflowJobs(w.ctx, "acme", "demo", run.ID, &github.ListWorkflowJobsOptions{Filter: "all"})
	w.must(err)
	var got []string
	for _, j := range jobs.Jobs {
		got = append(got, j.GetName()+" "+j.GetConclusion())
	}
	if strings.Join(got, ", ") != "lint success, test timed_out, lint success, test success" {
		t.Errorf("%v", got)
	}
	runs, _, err := w.gh.Actions.ListRepositoryWorkflowRuns(w.ctx, "acme", "demo", &github.ListWorkflowRunsOptions{HeadSHA: p.HeadSha()})
	w.must(err)
	if runs.GetTotalCount() != 1 || runs.WorkflowRuns[0].GetRunAttempt() != 2 ||
		runs.WorkflowRuns[0].PullRequests[0].GetNumber() != p.Number {
		t.Errorf("%v", runs)
	}
	checks, _, err := w.gh.Checks.ListCheckRunsForRef(w.ctx, "acme", "demo", p.HeadSha(), nil)
	w.must(err)
	for _, c := range checks.CheckRuns {
		if c.GetApp().GetSlug() != "github-actions" || c.GetConclusion() != "success" {
			t.Errorf("%s of %s: %s", c.GetName(), c.GetApp().GetSlug(), c.GetConclusion())
		}
	}
	if len(checks.CheckRuns) != 2 {
		t.Errorf("%d checks", len(checks.CheckRuns))
	}
}
