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

func (r reply) object(t testing.TB) githubtest.Object {
	t.Helper()
	var o githubtest.Object
	if err := json.Unmarshal(r.body, &o); err != nil {
		t.Fatalf("%d %s: %v", r.status, r.body, err)
	}
	return o
}

func (r reply) message(t testing.TB) string {
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

// asker sends a request, wants a status, and gives the object answered.
type asker struct{ *world }

func (w asker) ask(c *github.Client, want int, method, path string, body any) o {
	w.t.Helper()
	r := w.do(c, method, path, body)
	if r.status != want {
		w.t.Fatalf("%s %s: %d %s", method, path, r.status, r.body)
	}
	out := o{}
	_ = json.Unmarshal(r.body, &out) // some answer with lists, or with no JSON
	return out
}

func id(out o) string { return fmt.Sprintf("%.0f", out["id"]) }

// Every operation is asked once for something it can give; what it answers is
// held against GitHub's description by the stand-in itself.
func TestEveryOperationAnswersAsDescribed(t *testing.T) {
	w := asker{newWorld(t, githubtest.Config{Limits: githubtest.Limits{ContentPerMinute: -1, PointsPerMinute: -1}})}
	p := w.pull()
	w.appOperations()
	w.checkOperations(demo, p.HeadSha())
	w.reviewOperations(p)
	w.commentOperations(p)
	w.gitOperations(demo, p.HeadSha())
	w.repositoryOperations(p)
	w.actionsOperations(p)
	w.must(w.Drain(w.ctx))
	w.allAsked()
}

const demo = "/repos/acme/demo"

func (w asker) appOperations() {
	w.app.Ping()
	w.must(w.Drain(w.ctx))
	app, install := w.asApp(), fmt.Sprintf("/app/installations/%d", w.inst.ID)
	delivery := fmt.Sprintf("/app/hook/deliveries/%d", w.app.Deliveries()[0].ID)
	for _, path := range []string{"/", "/app", "/app/hook/config", "/app/hook/deliveries", delivery, "/app/installations", install,
		"/orgs/acme/installation", "/repos/acme/demo/installation", "/rate_limit", "/users/odfix[bot]"} {
		w.ask(app, 200, "GET", path, nil)
	}
	w.ask(app, 200, "PATCH", "/app/hook/config", o{"secret": "other"})
	w.ask(app, 202, "POST", delivery+"/attempts", nil)
	w.ask(app, 201, "POST", install+"/access_tokens", o{"repositories": []string{"demo"}, "permissions": o{"checks": "read"}})
	other := fmt.Sprintf("/app/installations/%d", w.app.Install(w.dev).ID)
	w.ask(app, 200, "GET", "/users/dev/installation", nil)
	w.ask(app, 204, "PUT", other+"/suspended", nil)
	w.ask(app, 204, "DELETE", other+"/suspended", nil)
	w.ask(app, 204, "DELETE", other, nil)
	w.ask(app, 201, "POST", "/app-manifests/"+w.ManifestCode(githubtest.AppSpec{Name: "made by manifest"})+"/conversions", nil)
	w.ask(w.gh, 200, "GET", "/installation/repositories", nil)
}

func (w asker) reviewOperations(p *githubtest.PullRequest) {
	pull, sha := fmt.Sprintf("%s/pulls/%d", demo, p.Number), p.HeadSha()
	w.ask(w.gh, 200, "POST", pull+"/reviews", o{"event": "COMMENT", "body": "b", "comments": []o{{"path": "src/test/AppTest.java", "line": 10, "body": "x"}}})
	inline := w.ask(w.gh, 201, "POST", pull+"/comments", o{"commit_id": sha, "path": "src/test/AppTest.java", "subject_type": "file", "body": "x"})
	self := demo + "/pulls/comments/" + id(inline)
	w.ask(w.gh, 201, "POST", pull+"/comments/"+id(inline)+"/replies", o{"body": "y"})
	w.ask(w.gh, 200, "GET", self, nil)
	w.ask(w.gh, 200, "PATCH", self, o{"body": "z"})
	w.ask(w.gh, 201, "POST", self+"/reactions", o{"content": "+1"})
	w.ask(w.gh, 204, "DELETE", self, nil)
	pending := w.ask(w.gh, 200, "POST", pull+"/reviews", o{"body": "p"})
	w.ask(w.gh, 200, "GET", pull+"/reviews/"+id(pending), nil)
	w.ask(w.gh, 200, "PUT", pull+"/reviews/"+id(pending), o{"body": "q"})
	w.ask(w.gh, 200, "DELETE", pull+"/reviews/"+id(pending), nil)
	pending = w.ask(w.gh, 200, "POST", pull+"/reviews", o{"body": "p"})
	w.ask(w.gh, 200, "POST", pull+"/reviews/"+id(pending)+"/events", o{"event": "REQUEST_CHANGES"})
	w.ask(w.gh, 200, "PUT", pull+"/reviews/"+id(pending)+"/dismissals", o{"message": "done"})
	for _, path := range []string{demo + "/pulls?state=all", pull, pull + "/commits", pull + "/files", pull + "/reviews", pull + "/comments",
		pull + "/reviews/" + id(pending) + "/comments", demo + "/pulls/comments", demo + "/commits/" + sha + "/pulls"} {
		w.ask(w.gh, 200, "GET", path, nil)
	}
}

func (w asker) commentOperations(p *githubtest.PullRequest) {
	issue := fmt.Sprintf("%s/issues/%d", demo, p.Number)
	comment := w.ask(w.gh, 201, "POST", issue+"/comments", o{"body": "hello"})
	self := demo + "/issues/comments/" + id(comment)
	w.ask(w.gh, 200, "PATCH", self, o{"body": "bye"})
	reaction := w.ask(w.gh, 201, "POST", self+"/reactions", o{"content": "eyes"})
	for _, path := range []string{issue, issue + "/comments", demo + "/issues/comments", self, self + "/reactions"} {
		w.ask(w.gh, 200, "GET", path, nil)
	}
	w.ask(w.gh, 204, "DELETE", self+"/reactions/"+id(reaction), nil)
	w.ask(w.gh, 204, "DELETE", self, nil)
}

func (w asker) repositoryOperations(p *githubtest.PullRequest) {
	w.must(w.repo.SetStatus(w.ctx, w.dev, p.HeadSha(), "failure", "ci/other", "https://ci.example.com/1"))
	w.ask(w.gh, 201, "POST", demo+"/statuses/"+p.HeadSha(), o{"state": "success", "context": "odfix"})
	commit := demo + "/commits/" + p.HeadSha()
	for _, path := range []string{demo, demo + "/branches", demo + "/branches/feature/polluter", demo + "/collaborators/dev/permission",
		demo + "/contents/README.md", demo + "/contents/", demo + "/contents/src/test", demo + "/commits", commit,
		demo + "/compare/main...feature/polluter", demo + "/commits/feature%2Fpolluter/status", commit + "/statuses"} {
		w.ask(w.gh, 200, "GET", path, nil)
	}
	w.ask(w.gh, 302, "GET", demo+"/tarball/"+p.HeadSha(), nil)
	w.ask(w.gh, 302, "GET", demo+"/zipball/main", nil)
}

func (w asker) actionsOperations(p *githubtest.PullRequest) {
	started, err := w.repo.StartRun(w.ctx, githubtest.RunSpec{Pull: p})
	w.must(err)
	started.Job("build").Complete(w.ctx, "failure", []byte("log"))
	left, err := started.AddArtifact("reports", map[string][]byte{"TEST-AppTest.xml": []byte("<testsuite/>")})
	w.must(err)
	started.Complete(w.ctx, "failure")
	run, job := fmt.Sprintf("%s/actions/runs/%d", demo, started.ID), fmt.Sprintf("%s/actions/jobs/%d", demo, started.Job("build").ID)
	artifact, workflow := fmt.Sprintf("%s/actions/artifacts/%d", demo, left.ID), demo+"/actions/workflows/ci.yml"
	for _, path := range []string{demo + "/actions/runs", run, run + "/attempts/1", run + "/jobs", run + "/attempts/1/jobs", job, run + "/artifacts",
		demo + "/actions/artifacts", artifact, demo + "/actions/workflows", workflow, workflow + "/runs"} {
		w.ask(w.gh, 200, "GET", path, nil)
	}
	for _, path := range []string{job + "/logs", run + "/logs", run + "/attempts/1/logs", artifact + "/zip"} {
		w.ask(w.gh, 302, "GET", path, nil)
	}
	w.inst.SetPermissions(map[string]string{"actions": "write", "contents": "read", "pull_requests": "write"})
	again := w.client(w.inst)
	w.ask(again, 204, "POST", workflow+"/dispatches", o{"ref": "main"})
	w.ask(again, 201, "POST", run+"/rerun", nil)
	w.ask(again, 202, "POST", run+"/cancel", nil)
	w.ask(again, 201, "POST", run+"/rerun-failed-jobs", nil)
	w.ask(again, 200, "PATCH", fmt.Sprintf("%s/pulls/%d", demo, p.Number), o{"title": "new", "state": "closed"})
	w.ask(again, 204, "DELETE", "/installation/token", nil)
}

func (w asker) checkOperations(repo, sha string) {
	check := w.ask(w.gh, 201, "POST", repo+"/check-runs", o{"name": "odfix", "head_sha": sha, "external_id": "x",
		"actions": []o{{"label": "Retry", "description": "again", "identifier": "retry"}}})
	path := repo + "/check-runs/" + id(check)
	w.ask(w.gh, 200, "PATCH", path, o{"conclusion": "neutral", "output": o{"title": "t", "summary": "s", "text": "x",
		"annotations": []o{{"path": "README.md", "start_line": 1, "end_line": 1, "annotation_level": "notice", "message": "m"}}}})
	suite := id(check["check_suite"].(o))
	for _, p := range []string{path, path + "/annotations", repo + "/commits/" + sha + "/check-runs?filter=all", repo + "/commits/" + sha + "/check-suites",
		repo + "/check-suites/" + suite, repo + "/check-suites/" + suite + "/check-runs"} {
		w.ask(w.gh, 200, "GET", p, nil)
	}
	w.ask(w.gh, 201, "POST", path+"/rerequest", nil)
	w.ask(w.gh, 201, "POST", repo+"/check-suites/"+suite+"/rerequest", nil)
	base, err := w.repo.Head(w.ctx, "main")
	w.must(err)
	w.ask(w.gh, 201, "POST", repo+"/check-suites", o{"head_sha": base})
}

// gitOperations make a stacked pull request through the git operations.
func (w asker) gitOperations(repo, sha string) {
	sha1 := func(out o) string { return out["sha"].(string) }
	blob := w.ask(w.gh, 201, "POST", repo+"/git/blobs", o{"content": base64.StdEncoding.EncodeToString([]byte("fixed\r\n")), "encoding": "base64"})
	tree := w.ask(w.gh, 201, "POST", repo+"/git/trees", o{"base_tree": sha, "tree": []o{{"path": "fix.txt", "mode": "100644", "type": "blob", "sha": sha1(blob)}}})
	commit := w.ask(w.gh, 201, "POST", repo+"/git/commits", o{"message": "Fix", "tree": sha1(tree), "parents": []string{sha}})
	w.ask(w.gh, 201, "POST", repo+"/git/refs", o{"ref": "refs/heads/odfix/fix-1", "sha": sha1(commit)})
	w.ask(w.gh, 200, "PATCH", repo+"/git/refs/heads/odfix/fix-1", o{"sha": sha1(commit)})
	for _, p := range []string{"/git/blobs/" + sha1(blob), "/git/trees/" + sha1(tree) + "?recursive=1", "/git/commits/" + sha1(commit),
		"/git/ref/heads/odfix/fix-1", "/git/matching-refs/heads/odfix"} {
		w.ask(w.gh, 200, "GET", repo+p, nil)
	}
	w.ask(w.gh, 201, "POST", repo+"/pulls", o{"title": "Fix", "head": "odfix/fix-1", "base": "feature/polluter", "body": "b"})
	w.ask(w.gh, 201, "PUT", repo+"/contents/notes/a.txt", o{"message": "Note", "content": base64.StdEncoding.EncodeToString([]byte("x")), "branch": "odfix/fix-1"})
	w.ask(w.gh, 204, "DELETE", repo+"/git/refs/heads/odfix/fix-1", nil)
}

func (w asker) allAsked() {
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
