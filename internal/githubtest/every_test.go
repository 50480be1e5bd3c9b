package githubtest_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-github/v60/github"

	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/githubtest/description"
)

// reply is an answer read to its end.
type reply struct {
	status int
	header http.Header
	body   []byte
}

func (r reply) object(t *testing.T) githubtest.Object {
	t.Helper()
	var o githubtest.Object
	if err := json.Unmarshal(r.body, &o); err != nil {
		t.Fatalf("%d %s: %v", r.status, r.body, err)
	}
	return o
}

func (r reply) message(t *testing.T) string {
	t.Helper()
	m, _ := r.object(t)["message"].(string)
	return m
}

// do sends one request as the client does, following no redirect.
func (w *world) do(c *github.Client, method, path string, body any, headers ...string) reply {
	w.t.Helper()
	var in io.Reader
	if text, ok := body.(string); ok {
		in = strings.NewReader(text)
	} else if body != nil {
		raw, err := json.Marshal(body)
		w.must(err)
		in = bytes.NewReader(raw)
	}
	r, err := http.NewRequestWithContext(w.ctx, method, w.URL+path, in)
	w.must(err)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := c.Client().Transport.RoundTrip(r)
	w.must(err)
	defer func() { _ = resp.Body.Close() }()
	read, err := io.ReadAll(resp.Body)
	w.must(err)
	return reply{resp.StatusCode, resp.Header, read}
}

type o = githubtest.Object

// Every operation is asked once for something it can give; what it answers is
// held against GitHub's description by the stand-in itself.
func TestEveryOperationAnswersAsDescribed(t *testing.T) {
	w := newWorld(t, githubtest.Config{Limits: githubtest.Limits{ContentPerMinute: -1, PointsPerMinute: -1}})
	app, p := w.asApp(), w.pull()
	w.must(w.repo.SetStatus(w.ctx, w.dev, p.HeadSha(), "failure", "ci/other", "https://ci.example.com/1"))
	run, err := w.repo.StartRun(w.ctx, githubtest.RunSpec{Pull: p})
	w.must(err)
	job := run.Job("build")
	job.Complete(w.ctx, "failure", []byte("log"))
	job.Annotate("src/test/AppTest.java", 3, "failure", "boom")
	artifact, err := run.AddArtifact("reports", map[string][]byte{"TEST-AppTest.xml": []byte("<testsuite/>")})
	w.must(err)
	run.Complete(w.ctx, "failure")
	w.app.Ping()
	w.must(w.Drain(w.ctx))

	ask := func(c *github.Client, want int, method, path string, body any, headers ...string) o {
		t.Helper()
		r := w.do(c, method, path, body, headers...)
		if r.status != want {
			t.Fatalf("%s %s: %d %s", method, path, r.status, r.body)
		}
		out := o{}
		_ = json.Unmarshal(r.body, &out) // some answer with lists, or with no JSON
		return out
	}
	id := func(out o) string { return fmt.Sprintf("%.0f", out["id"]) }
	install := fmt.Sprintf("/app/installations/%d", w.inst.ID)
	delivery := fmt.Sprintf("/app/hook/deliveries/%d", w.app.Deliveries()[0].ID)
	for _, path := range []string{"/", "/app", "/app/hook/config", "/app/hook/deliveries", delivery, "/app/installations", install,
		"/orgs/acme/installation", "/repos/acme/demo/installation", "/rate_limit", "/users/odfix[bot]"} {
		ask(app, 200, "GET", path, nil)
	}
	ask(app, 200, "PATCH", "/app/hook/config", o{"secret": "other"})
	ask(app, 202, "POST", delivery+"/attempts", nil)
	ask(app, 201, "POST", install+"/access_tokens", o{"repositories": []string{"demo"}, "permissions": o{"checks": "read"}})
	other := w.app.Install(w.dev)
	ask(app, 200, "GET", "/users/dev/installation", nil)
	otherPath := fmt.Sprintf("/app/installations/%d", other.ID)
	ask(app, 204, "PUT", otherPath+"/suspended", nil)
	ask(app, 204, "DELETE", otherPath+"/suspended", nil)
	ask(app, 204, "DELETE", otherPath, nil)
	ask(app, 201, "POST", "/app-manifests/"+w.ManifestCode(githubtest.AppSpec{Name: "made by manifest"})+"/conversions", nil)

	const repo = "/repos/acme/demo"
	pull, sha := fmt.Sprintf("%s/pulls/%d", repo, p.Number), p.HeadSha()
	w.mentionChecks(ask, id, repo, sha)
	ask(w.gh, 200, "GET", "/installation/repositories", nil)
	ask(w.gh, 200, "POST", pull+"/reviews", o{"event": "COMMENT", "body": "b", "comments": []o{{"path": "src/test/AppTest.java", "line": 10, "body": "x"}}})
	inline := ask(w.gh, 201, "POST", pull+"/comments", o{"commit_id": sha, "path": "src/test/AppTest.java", "subject_type": "file", "body": "x"})
	ask(w.gh, 201, "POST", pull+"/comments/"+id(inline)+"/replies", o{"body": "y"})
	ask(w.gh, 200, "GET", repo+"/pulls/comments/"+id(inline), nil)
	ask(w.gh, 200, "PATCH", repo+"/pulls/comments/"+id(inline), o{"body": "z"})
	ask(w.gh, 201, "POST", repo+"/pulls/comments/"+id(inline)+"/reactions", o{"content": "+1"})
	ask(w.gh, 204, "DELETE", repo+"/pulls/comments/"+id(inline), nil)
	pending := ask(w.gh, 200, "POST", pull+"/reviews", o{"body": "p"})
	ask(w.gh, 200, "GET", pull+"/reviews/"+id(pending), nil)
	ask(w.gh, 200, "PUT", pull+"/reviews/"+id(pending), o{"body": "q"})
	ask(w.gh, 200, "DELETE", pull+"/reviews/"+id(pending), nil)
	pending = ask(w.gh, 200, "POST", pull+"/reviews", o{"body": "p"})
	ask(w.gh, 200, "POST", pull+"/reviews/"+id(pending)+"/events", o{"event": "REQUEST_CHANGES"})
	ask(w.gh, 200, "PUT", pull+"/reviews/"+id(pending)+"/dismissals", o{"message": "done"})
	issue := fmt.Sprintf("%s/issues/%d", repo, p.Number)
	comment := ask(w.gh, 201, "POST", issue+"/comments", o{"body": "hello"})
	ask(w.gh, 200, "PATCH", repo+"/issues/comments/"+id(comment), o{"body": "bye"})
	reaction := ask(w.gh, 201, "POST", repo+"/issues/comments/"+id(comment)+"/reactions", o{"content": "eyes"})
	w.mentionGit(ask, repo, sha)
	runPath := fmt.Sprintf("%s/actions/runs/%d", repo, run.ID)
	jobPath, artifactPath := fmt.Sprintf("%s/actions/jobs/%d", repo, job.ID), fmt.Sprintf("%s/actions/artifacts/%d", repo, artifact.ID)
	for _, path := range []string{repo, repo + "/pulls?state=all", pull, pull + "/commits", pull + "/files", pull + "/reviews", pull + "/comments",
		pull + "/reviews/" + id(pending) + "/comments", repo + "/pulls/comments", repo + "/commits/" + sha + "/pulls", issue, issue + "/comments",
		repo + "/issues/comments", repo + "/issues/comments/" + id(comment), repo + "/issues/comments/" + id(comment) + "/reactions",
		repo + "/branches", repo + "/branches/feature/polluter", repo + "/collaborators/dev/permission", repo + "/contents/README.md",
		repo + "/contents/", repo + "/contents/src/test", repo + "/commits", repo + "/commits/" + sha, repo + "/compare/main...feature/polluter",
		repo + "/commits/feature%2Fpolluter/status", repo + "/commits/" + sha + "/statuses", repo + "/actions/runs", runPath, runPath + "/attempts/1", runPath + "/jobs",
		runPath + "/attempts/1/jobs", jobPath, runPath + "/artifacts", repo + "/actions/artifacts", artifactPath, repo + "/actions/workflows",
		repo + "/actions/workflows/ci.yml", repo + "/actions/workflows/ci.yml/runs"} {
		ask(w.gh, 200, "GET", path, nil)
	}
	for _, path := range []string{repo + "/tarball/" + sha, repo + "/zipball/main", jobPath + "/logs", runPath + "/logs", runPath + "/attempts/1/logs", artifactPath + "/zip"} {
		ask(w.gh, 302, "GET", path, nil)
	}
	ask(w.gh, 204, "DELETE", repo+"/issues/comments/"+id(comment)+"/reactions/"+id(reaction), nil)
	ask(w.gh, 204, "DELETE", repo+"/issues/comments/"+id(comment), nil)
	ask(w.gh, 201, "POST", repo+"/statuses/"+sha, o{"state": "success", "context": "odfix"})
	w.inst.SetPermissions(map[string]string{"actions": "write", "contents": "read", "pull_requests": "write"})
	actions := w.client(w.inst)
	ask(actions, 204, "POST", repo+"/actions/workflows/ci.yml/dispatches", o{"ref": "main"})
	ask(actions, 201, "POST", runPath+"/rerun", nil)
	ask(actions, 202, "POST", runPath+"/cancel", nil)
	ask(actions, 201, "POST", runPath+"/rerun-failed-jobs", nil)
	ask(actions, 200, "PATCH", pull, o{"title": "new", "state": "closed"})
	ask(actions, 204, "DELETE", "/installation/token", nil)
	w.must(w.Drain(w.ctx))
	w.allAsked()
}

func (w *world) mentionChecks(ask func(*github.Client, int, string, string, any, ...string) o, id func(o) string, repo, sha string) {
	check := ask(w.gh, 201, "POST", repo+"/check-runs", o{"name": "odfix", "head_sha": sha, "external_id": "x",
		"actions": []o{{"label": "Retry", "description": "again", "identifier": "retry"}}})
	path := repo + "/check-runs/" + id(check)
	ask(w.gh, 200, "PATCH", path, o{"conclusion": "neutral", "output": o{"title": "t", "summary": "s", "text": "x",
		"annotations": []o{{"path": "README.md", "start_line": 1, "end_line": 1, "annotation_level": "notice", "message": "m"}}}})
	suite := id(check["check_suite"].(o))
	for _, p := range []string{path, path + "/annotations", repo + "/commits/" + sha + "/check-runs?filter=all", repo + "/commits/" + sha + "/check-suites",
		repo + "/check-suites/" + suite, repo + "/check-suites/" + suite + "/check-runs"} {
		ask(w.gh, 200, "GET", p, nil)
	}
	ask(w.gh, 201, "POST", path+"/rerequest", nil)
	ask(w.gh, 201, "POST", repo+"/check-suites/"+suite+"/rerequest", nil)
	base, err := w.repo.Head(w.ctx, "main")
	w.must(err)
	ask(w.gh, 201, "POST", repo+"/check-suites", o{"head_sha": base})
}

// mentionGit makes a stacked pull request through the git operations.
func (w *world) mentionGit(ask func(*github.Client, int, string, string, any, ...string) o, repo, sha string) {
	sha1 := func(out o) string { return out["sha"].(string) }
	blob := ask(w.gh, 201, "POST", repo+"/git/blobs", o{"content": base64.StdEncoding.EncodeToString([]byte("fixed\r\n")), "encoding": "base64"})
	tree := ask(w.gh, 201, "POST", repo+"/git/trees", o{"base_tree": sha, "tree": []o{{"path": "fix.txt", "mode": "100644", "type": "blob", "sha": sha1(blob)}}})
	commit := ask(w.gh, 201, "POST", repo+"/git/commits", o{"message": "Fix", "tree": sha1(tree), "parents": []string{sha}})
	ask(w.gh, 201, "POST", repo+"/git/refs", o{"ref": "refs/heads/odfix/fix-1", "sha": sha1(commit)})
	ask(w.gh, 200, "PATCH", repo+"/git/refs/heads/odfix/fix-1", o{"sha": sha1(commit)})
	for _, p := range []string{"/git/blobs/" + sha1(blob), "/git/trees/" + sha1(tree) + "?recursive=1", "/git/commits/" + sha1(commit),
		"/git/ref/heads/odfix/fix-1", "/git/matching-refs/heads/odfix"} {
		ask(w.gh, 200, "GET", repo+p, nil)
	}
	ask(w.gh, 201, "POST", repo+"/pulls", o{"title": "Fix", "head": "odfix/fix-1", "base": "feature/polluter", "body": "b"})
	ask(w.gh, 201, "PUT", repo+"/contents/notes/a.txt", o{"message": "Note", "content": base64.StdEncoding.EncodeToString([]byte("x")), "branch": "odfix/fix-1"})
	ask(w.gh, 204, "DELETE", repo+"/git/refs/heads/odfix/fix-1", nil)
}

func (w *world) allAsked() {
	w.t.Helper()
	rest, err := description.REST()
	w.must(err)
	asked := map[string]bool{}
	for _, r := range w.Requests() {
		asked[r.Operation] = asked[r.Operation] || r.Status < 400
	}
	for _, op := range rest.Operations() {
		if !asked[op.ID] {
			w.t.Errorf("%s was not asked", op.ID)
		}
	}
}
