package githubtest_test

import (
	"crypto/rand"
	"crypto/rsa"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v4"
	"github.com/google/go-github/v60/github"

	"github.com/odfix/odfix/internal/githubtest"
)

// bearer sends one fixed Authorization header.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	if b != "" {
		r.Header.Set("Authorization", string(b))
	}
	return http.DefaultTransport.RoundTrip(r)
}

func (w *world) bearer(text string) *github.Client { return w.over(bearer(text)) }

func TestAppTokens(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	now := w.Now()
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	w.must(err)
	claims := func(iat, exp time.Duration) jwt.MapClaims {
		return jwt.MapClaims{"iss": fmt.Sprint(w.app.ID), "iat": now.Add(iat).Unix(), "exp": now.Add(exp).Unix()}
	}
	with := func(c jwt.MapClaims, name string, v any) jwt.MapClaims { c[name] = v; return c }
	sign := func(m jwt.SigningMethod, key any, c jwt.MapClaims) string {
		text, err := jwt.NewWithClaims(m, c).SignedString(key)
		w.must(err)
		return "Bearer " + text
	}
	rs := func(c jwt.MapClaims) string { return sign(jwt.SigningMethodRS256, w.app.Key, c) }
	const undecodable = "A JSON web token could not be decoded"
	for _, c := range []struct {
		name, auth string
		status     int
		says       string
	}{
		{"good", rs(claims(-time.Minute, 9*time.Minute)), 200, ""},
		{"number as issuer", rs(with(claims(0, time.Minute), "iss", w.app.ID)), 200, ""},
		{"client id as issuer", rs(with(claims(0, time.Minute), "iss", w.app.ClientID)), 200, ""},
		{"expired", rs(claims(-10*time.Minute, -time.Second)), 401, "must be a numeric value representing the future time"},
		{"too long", rs(claims(0, 11*time.Minute)), 401, "is too far in the future"},
		{"from the future", rs(claims(time.Minute, 5*time.Minute)), 401, "'Issued at' claim ('iat')"},
		{"no expiry", rs(jwt.MapClaims{"iss": w.app.ClientID, "iat": now.Unix()}), 401, "'Expiration time' claim"},
		{"no issuer", rs(jwt.MapClaims{"iat": now.Unix(), "exp": now.Add(time.Minute).Unix()}), 401, "'issuer' claim"},
		{"issuer with a typing error", rs(with(claims(0, time.Minute), "iss", "4200o1")), 401, "'Issuer' claim ('iss') must be an Integer"},
		{"unknown issuer", rs(with(claims(0, time.Minute), "iss", "1")), 404, "Integration not found"},
		{"another key", sign(jwt.SigningMethodRS256, other, claims(0, time.Minute)), 401, undecodable},
		{"secret as key", sign(jwt.SigningMethodHS256, []byte("k"), claims(0, time.Minute)), 401, undecodable},
		{"no signature", sign(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, claims(0, time.Minute)), 401, undecodable},
		{"nothing", "", 401, undecodable},
		{"rubbish", "Bearer rubbish", 401, "Bad credentials"},
	} {
		r := w.do(w.bearer(c.auth), "GET", "/app", nil)
		if r.status != c.status || c.says != "" && !strings.Contains(r.message(t), c.says) {
			t.Errorf("%s: %d %s", c.name, r.status, r.body)
		}
	}
	if r := w.do(w.gh, "GET", "/app", nil); r.status != 401 || r.message(t) != undecodable {
		t.Errorf("an installation's token as the App's: %d %s", r.status, r.body)
	}
	if r := w.do(w.asApp(), "GET", "/repos/acme/demo/pulls", nil); r.status != 401 {
		t.Errorf("the App's token on a repository: %d %s", r.status, r.body)
	}
}

// token makes an installation token with the given narrowing.
func (w *world) token(i *githubtest.Installation, opts *github.InstallationTokenOptions) (*github.InstallationToken, error) {
	t, _, err := w.asApp().Apps.CreateInstallationToken(w.ctx, i.ID, opts)
	return t, err
}

func TestInstallationTokens(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	second, err := w.repo.Commit(w.ctx, w.dev, "main", "x", githubtest.Change{Files: map[string]string{"x": "x"}})
	w.must(err)
	other, err := w.AddRepository(w.ctx, githubtest.RepositorySpec{Owner: w.owner, Name: "other", Private: true, Files: base})
	w.must(err)
	narrow, err := w.token(w.inst, &github.InstallationTokenOptions{RepositoryIDs: []int64{other.ID},
		Permissions: &github.InstallationPermissions{Contents: github.String("read")}})
	w.must(err)
	if text := narrow.GetToken(); len(text) < 500 || !strings.HasPrefix(text, "ghs_") || strings.Count(text, ".") != 2 {
		t.Errorf("token %q", text)
	}
	if len(narrow.Repositories) != 1 || narrow.Permissions.GetContents() != "read" || narrow.Permissions.Checks != nil {
		t.Errorf("token: %v", narrow)
	}
	c := w.bearer("token " + narrow.GetToken())
	for _, q := range []struct {
		method, path string
		body         any
		status       int
		says         string
	}{
		{"GET", "/repos/acme/other/contents/README.md", nil, 200, ""},
		{"GET", "/repos/acme/demo/contents/README.md", nil, 404, "Not Found"},
		{"GET", "/repos/acme/other/pulls", nil, 403, "Resource not accessible by integration"},
		{"GET", "/repos/nobody/nothing/pulls", nil, 404, "Not Found"},
		{"POST", "/repos/acme/other/check-runs", o{"name": "n", "head_sha": second}, 403, "Resource not accessible by integration"},
	} {
		if r := w.do(c, q.method, q.path, q.body); r.status != q.status || q.says != "" && r.message(t) != q.says {
			t.Errorf("%s %s: %d %s", q.method, q.path, r.status, r.body)
		}
	}
	_, err = w.token(w.inst, &github.InstallationTokenOptions{RepositoryIDs: []int64{1}})
	wantError(t, err, 422, "at least one repository that does not exist or is not accessible")
	_, err = w.token(w.inst, &github.InstallationTokenOptions{
		Permissions: &github.InstallationPermissions{Actions: github.String("write")}})
	wantError(t, err, 422, "The permissions requested are not granted to this installation.")
	w.Advance(time.Hour)
	if r := w.do(c, "GET", "/repos/acme/other/pulls", nil); r.status != 401 || r.message(t) != "Bad credentials" {
		t.Errorf("an hour later: %d %s", r.status, r.body)
	}
}

func wantError(t *testing.T, err error, status int, says string) {
	t.Helper()
	e, ok := err.(*github.ErrorResponse)
	if !ok || e.Response.StatusCode != status || !strings.Contains(e.Error(), says) {
		t.Errorf("%T %v, want %d %q", err, err, status, says)
	}
}

func TestRevokedPermissions(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	tok, err := w.token(w.inst, nil)
	w.must(err)
	c := w.bearer("Bearer " + tok.GetToken())
	statusOf := func() int { return w.do(c, "GET", "/repos/acme/demo/pulls", nil).status }
	if got := statusOf(); got != 200 {
		t.Errorf("at first: %d", got)
	}
	w.inst.SetPermissions(map[string]string{"contents": "read"})
	if got := statusOf(); got != 403 {
		t.Errorf("without the permission: %d", got)
	}
	w.inst.Suspend()
	if r := w.do(c, "GET", "/repos/acme/demo/pulls", nil); r.status != 403 || !strings.Contains(r.message(t), "suspended") {
		t.Errorf("suspended: %d %s", r.status, r.body)
	}
	_, err = w.token(w.inst, nil)
	wantError(t, err, 403, "suspended")
	want := "installation.created installation.new_permissions_accepted installation.suspend"
	if got := strings.Join(w.names(), " "); got != want {
		t.Errorf("events: %s", got)
	}
}

func TestPublicRepositories(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	pub, err := w.AddRepository(w.ctx, githubtest.RepositorySpec{Owner: w.dev, Name: "public", Files: base})
	w.must(err)
	for c, want := range map[*github.Client][2]int{w.bearer(""): {401, 404}, w.gh: {403, 200}} {
		got := [2]int{w.do(c, "GET", "/repos/"+pub.FullName()+"/pulls", nil).status, w.do(c, "GET", "/repos/acme/demo/pulls", nil).status}
		if got != want {
			t.Errorf("%v, want %v", got, want)
		}
	}
}

func TestManifestConversion(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	code := w.ManifestCode(githubtest.AppSpec{Name: "My odfix", WebhookURL: "http://127.0.0.1:1/",
		Permissions: permissions, Events: events})
	c := w.bearer("")
	config, _, err := c.Apps.CompleteAppManifest(w.ctx, code)
	w.must(err)
	if config.GetSlug() != "my-odfix" || !strings.Contains(config.GetPEM(), "RSA PRIVATE KEY") || config.GetWebhookSecret() == "" {
		t.Errorf("%v", config)
	}
	_, _, err = c.Apps.CompleteAppManifest(w.ctx, code)
	wantError(t, err, 404, "Not Found")
	late := w.ManifestCode(githubtest.AppSpec{Name: "late"})
	w.Advance(time.Hour)
	_, _, err = c.Apps.CompleteAppManifest(w.ctx, late)
	wantError(t, err, 404, "Not Found")
}

func TestCollaborators(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	stranger, maintainer, custom := w.AddUser("stranger"), w.AddUser("maintainer"), w.AddUser("custom")
	w.repo.SetRole(maintainer, "maintain")
	w.repo.SetRole(custom, "release manager")
	for login, want := range map[string][2]string{"dev": {"write", "write"}, stranger.Login: {"none", "none"},
		maintainer.Login: {"write", "maintain"}, custom.Login: {"write", "release manager"}} {
		level, _, err := w.gh.Repositories.GetPermissionLevel(w.ctx, "acme", "demo", login)
		w.must(err)
		if level.GetPermission() != want[0] || level.GetUser().GetRoleName() != want[1] {
			t.Errorf("%s: %v", login, level)
		}
	}
	_, resp, _ := w.gh.Repositories.GetPermissionLevel(w.ctx, "acme", "demo", "ghost")
	if status(resp) != 404 {
		t.Errorf("nobody: %d", status(resp))
	}
}

func TestInvalidRequests(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	p := w.pull()
	long, many := strings.Repeat("x", 65536), make([]o, 51)
	for i := range many {
		many[i] = o{"path": "README.md", "start_line": 1, "end_line": 1, "annotation_level": "notice", "message": "m"}
	}
	check := func(extra o) o {
		all := o{"name": "odfix", "head_sha": p.HeadSha()}
		for k, v := range extra {
			all[k] = v
		}
		return all
	}
	button := o{"label": "Retry", "description": "d", "identifier": "retry"}
	for _, c := range []struct {
		name, says string
		body       any
		status     int
	}{
		{"51 annotations", "No more than 50 items are allowed; 51 were supplied.",
			check(o{"output": o{"title": "t", "summary": "s", "annotations": many}}), 422},
		{"long summary", "Only 65535 characters are allowed; 65536 were supplied.",
			check(o{"output": o{"title": "t", "summary": long}}), 422},
		{"four buttons", "No more than 3 items are allowed; 4 were supplied.",
			check(o{"actions": []o{button, button, button, button}}), 422},
		{"long label", "Only 20 characters are allowed; 21 were supplied.",
			check(o{"actions": []o{{"label": strings.Repeat("x", 21), "description": "d", "identifier": "i"}}}), 422},
		{"no name", `"name" wasn't supplied.`, o{"head_sha": p.HeadSha()}, 422},
		{"not JSON", "Problems parsing JSON", "{", 400},
		{"unknown field", "", check(o{"colour": "red"}), 201},
	} {
		r := w.do(w.gh, "POST", "/repos/acme/demo/check-runs", c.body)
		if r.status != c.status || c.says != "" && !strings.Contains(r.message(t), c.says) {
			t.Errorf("%s: %d %.300s", c.name, r.status, r.body)
		}
		w.expectMismatch("request checks/create")
	}
	r := w.do(w.gh, "POST", "/repos/acme/demo/check-runs", o{"name": "n", "head_sha": strings.Repeat("0", 40)})
	if r.status != 422 || !strings.Contains(r.message(t), "No commit found for SHA") {
		t.Errorf("no such commit: %d %s", r.status, r.body)
	}
	if r := w.do(w.gh, "POST", fmt.Sprintf("/repos/acme/demo/issues/%d/comments", p.Number),
		o{"body": long + "x"}); r.status != 422 || !strings.Contains(string(r.body), "Body is too long (maximum is 65536 characters)") {
		t.Errorf("long comment: %d %s", r.status, r.body)
	}
	if r := w.do(w.gh, "GET", "/repos/acme/demo/unheard-of", nil); r.status != 404 {
		t.Errorf("unknown operation: %d", r.status)
	}
	w.expectMismatch("does not have this operation")
}

func TestContents(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	file, _, _, err := w.gh.Repositories.GetContents(w.ctx, "acme", "demo", "src/test/OldTest.java",
		&github.RepositoryContentGetOptions{Ref: "main"})
	w.must(err)
	if text, err := file.GetContent(); err != nil || text != base["src/test/OldTest.java"] {
		t.Errorf("%q %v", text, err)
	}
	_, _, resp, _ := w.gh.Repositories.GetContents(w.ctx, "acme", "demo", ".odfix.yml", nil)
	if status(resp) != 404 {
		t.Errorf("absent: %d", status(resp))
	}
}
