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

// asker sends a request, checks the status, and returns the object in the answer.
type asker struct{ *world }

func (w asker) ask(c *github.Client, want int, method, path string, body any) o {
	w.t.Helper()
	r := w.do(c, method, path, body)
	if r.status != want {
		w.t.Fatalf("%s %s: %d %s", method, path, r.status, r.body)
	}
	out := o{}
	_ = json.Unmarshal(r.body, &out) // some answers are lists, or not JSON
	return out
}

func id(out o) string { return fmt.Sprintf("%.0f", out["id"]) }

// Each operation succeeds once. The stand-in itself checks its answer against GitHub's description.
func TestEveryOperationAnswersAsDescribed(t *testing.T) {
	w := asker{newWorld(t, githubtest.Config{})}
	p := w.pull()
	w.appOperations()
	w.checkOperations(demo, p.HeadSha())
	w.reviewOperations(p)
	w.commentOperations(p)
	w.issueOperations()
	w.gitOperations(demo, p.HeadSha())
	w.repositoryOperations(p)
	w.actionsOperations(p)
	w.must(w.Drain(w.ctx))
	w.allAsked()
}

const demo = "/repos/acme/demo"

func (w asker) appOperations() {
	w.must(w.Drain(w.ctx))
	app, install := w.asApp(), fmt.Sprintf("/app/installations/%d", w.inst.ID)
	for _, path := range []string{"/app", "/app/hook/config", "/app/hook/deliveries", "/app/installations"} {
		w.ask(app, 200, "GET", path, nil)
	}
	w.ask(app, 202, "POST", fmt.Sprintf("/app/hook/deliveries/%d/attempts", w.app.Deliveries()[0].ID), nil)
	w.ask(app, 201, "POST", install+"/access_tokens", o{"repository_ids": []int64{w.repo.ID}, "permissions": o{"checks": "read"}})
	w.ask(app, 201, "POST", "/app-manifests/"+w.ManifestCode(githubtest.AppSpec{Name: "made by manifest"})+"/conversions", nil)
	w.ask(w.gh, 200, "GET", "/installation/repositories", nil)
	person := w.signIn()
	w.ask(person, 200, "GET", "/user/installations", nil)
	w.ask(person, 200, "GET", fmt.Sprintf("/user/installations/%d/repositories", w.inst.ID), nil)
	w.ask(person, 404, "GET", "/user/installations/1/repositories", nil)
	w.ask(w.gh, 401, "GET", "/user/installations", nil)
	w.RevokeUserTokens()
	w.ask(person, 401, "GET", "/user/installations", nil)
}

func (w asker) reviewOperations(p *githubtest.PullRequest) {
	pull, sha := fmt.Sprintf("%s/pulls/%d", demo, p.Number), p.HeadSha()
	review := w.ask(w.gh, 200, "POST", pull+"/reviews",
		o{"event": "COMMENT", "commit_id": sha, "body": "b", "comments": []o{{"path": appTest, "line": 10, "body": "x"}}})
	inline := w.ask(w.gh, 201, "POST", pull+"/comments", o{"commit_id": sha, "path": appTest, "subject_type": "file", "body": "x"})
	self := demo + "/pulls/comments/" + id(inline)
	w.ask(w.gh, 200, "PATCH", self, o{"body": "z"})
	for _, path := range []string{demo + "/pulls?state=all", pull, pull + "/files", pull + "/comments",
		pull + "/reviews/" + id(review) + "/comments"} {
		w.ask(w.gh, 200, "GET", path, nil)
	}
	w.ask(w.gh, 204, "DELETE", self, nil)
}

func (w asker) commentOperations(p *githubtest.PullRequest) {
	issue := fmt.Sprintf("%s/issues/%d", demo, p.Number)
	comment := w.ask(w.gh, 201, "POST", issue+"/comments", o{"body": "hello"})
	self := demo + "/issues/comments/" + id(comment)
	w.ask(w.gh, 200, "PATCH", self, o{"body": "bye"})
	w.ask(w.gh, 201, "POST", self+"/reactions", o{"content": "eyes"})
	w.ask(w.gh, 200, "POST", self+"/reactions", o{"content": "eyes"})
	w.ask(w.gh, 200, "GET", issue+"/comments", nil)
}

func (w asker) issueOperations() {
	client := github.NewClient(nil).WithAuthToken(w.repo.WorkflowToken(map[string]string{"issues": "write"}))
	opened := w.ask(client, 201, "POST", demo+"/issues", o{"title": "a title", "body": "hello", "labels": []string{"ours"}})
	w.ask(client, 200, "PATCH", fmt.Sprintf("%s/issues/%.0f", demo, opened["number"]), o{"body": "bye", "state": "closed"})
	w.ask(client, 200, "GET", demo+"/issues?state=all&labels=ours", nil)
	if all := w.repo.Issues(); len(all) != 1 || all[0].Open || all[0].Body != "bye" {
		w.t.Errorf("%+v", all)
	}
}

func (w asker) repositoryOperations(p *githubtest.PullRequest) {
	for _, path := range []string{"/collaborators/dev/permission", "/contents/README.md", "/commits/" + p.HeadSha(),
		"/compare/main...feature/polluter", "/commits/feature%2Fpolluter/status"} {
		w.ask(w.gh, 200, "GET", demo+path, nil)
	}
	w.ask(w.gh, 302, "GET", demo+"/tarball/"+p.HeadSha(), nil)
}

func (w asker) actionsOperations(p *githubtest.PullRequest) {
	started, err := w.repo.StartRun(w.ctx, githubtest.RunSpec{Pull: p, Jobs: []string{"build"}})
	w.must(err)
	started.Job("build").Complete(w.ctx, "failure", []byte("log"))
	left, err := started.AddArtifact("reports", map[string][]byte{"TEST-AppTest.xml": []byte("<testsuite/>")})
	w.must(err)
	started.Complete(w.ctx, "failure")
	run := fmt.Sprintf("%s/actions/runs/%d", demo, started.ID)
	for _, path := range []string{demo + "/actions/runs", run + "/jobs", run + "/artifacts"} {
		w.ask(w.gh, 200, "GET", path, nil)
	}
	w.ask(w.gh, 302, "GET", fmt.Sprintf("%s/actions/jobs/%d/logs", demo, started.Job("build").ID), nil)
	w.ask(w.gh, 302, "GET", fmt.Sprintf("%s/actions/artifacts/%d/zip", demo, left.ID), nil)
}

func (w asker) checkOperations(repo, sha string) {
	check := w.ask(w.gh, 201, "POST", repo+"/check-runs", o{"name": "odfix", "head_sha": sha, "external_id": "x",
		"actions": []o{{"label": "Retry", "description": "again", "identifier": "retry"}}})
	path := repo + "/check-runs/" + id(check)
	w.ask(w.gh, 200, "PATCH", path, o{"conclusion": "neutral", "output": o{"title": "t", "summary": "s", "text": "x",
		"annotations": []o{{"path": "README.md", "start_line": 1, "end_line": 1, "annotation_level": "notice", "message": "m"}}}})
	for _, p := range []string{path, path + "/annotations", repo + "/commits/" + sha + "/check-runs?filter=all"} {
		w.ask(w.gh, 200, "GET", p, nil)
	}
}

// gitOperations make a stacked pull request.
func (w asker) gitOperations(repo, sha string) {
	shaOf := func(out o) string { return out["sha"].(string) }
	blob := w.ask(w.gh, 201, "POST", repo+"/git/blobs",
		o{"content": base64.StdEncoding.EncodeToString([]byte("fixed\r\n")), "encoding": "base64"})
	tree := w.ask(w.gh, 201, "POST", repo+"/git/trees",
		o{"base_tree": sha, "tree": []o{{"path": "fix.txt", "mode": "100644", "type": "blob", "sha": shaOf(blob)}}})
	commit := w.ask(w.gh, 201, "POST", repo+"/git/commits", o{"message": "Fix", "tree": shaOf(tree), "parents": []string{sha}})
	w.ask(w.gh, 201, "POST", repo+"/git/refs", o{"ref": "refs/heads/odfix/fix-1", "sha": shaOf(commit)})
	w.ask(w.gh, 200, "PATCH", repo+"/git/refs/heads/odfix/fix-1", o{"sha": shaOf(commit)})
	w.ask(w.gh, 200, "GET", repo+"/git/trees/"+shaOf(commit)+"?recursive=1", nil)
	w.ask(w.gh, 201, "POST", repo+"/pulls", o{"title": "Fix", "head": "odfix/fix-1", "base": "feature/polluter", "body": "b"})
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
			w.t.Errorf("no request for %s succeeded", op.ID)
		}
	}
}
