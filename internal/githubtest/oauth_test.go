package githubtest_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"testing"

	"github.com/google/go-github/v60/github"

	"github.com/odfix/odfix/internal/githubtest"
)

// authorize brings the browser to GitHub, and returns the code that it brings back; "" if none.
func (w *world) authorize(q url.Values) string {
	w.t.Helper()
	once := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	r, err := once.Get(w.WebURL + "/login/oauth/authorize?" + q.Encode())
	w.must(err)
	defer r.Body.Close()
	to, err := url.Parse(r.Header.Get("Location"))
	w.must(err)
	if code := to.Query().Get("code"); code == "" || to.Query().Get("state") == q.Get("state") {
		return code
	}
	w.t.Error("another state came back: ", to)
	return ""
}

// exchange sends a code, and returns the token or the error.
func (w *world) exchange(q url.Values) (token, problem string) {
	w.t.Helper()
	r, err := http.PostForm(w.WebURL+"/login/oauth/access_token", q)
	w.must(err)
	defer r.Body.Close()
	var out struct {
		Token string `json:"access_token"`
		Error string `json:"error"`
	}
	w.must(json.NewDecoder(r.Body).Decode(&out))
	return out.Token, out.Error
}

// signIn is a client with a token of dev for the App.
func (w *world) signIn() *github.Client {
	w.SignIn(w.dev)
	code := w.authorize(url.Values{"client_id": {w.app.ClientID}, "state": {"s"}})
	token, _ := w.exchange(url.Values{"client_id": {w.app.ClientID}, "client_secret": {w.app.ClientSecret}, "code": {code}})
	c, err := github.NewClient(nil).WithAuthToken(token).WithEnterpriseURLs(w.URL, w.URL)
	w.must(err)
	return c
}

// TestSignInIsStrict: a code works once, for its App, with its verifier.
func TestSignInIsStrict(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	sum := sha256.Sum256([]byte("verifier"))
	ask := url.Values{"client_id": {w.app.ClientID}, "state": {"s"}, "code_challenge_method": {"S256"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}}
	if w.authorize(ask) != "" {
		t.Error("a code for nobody")
	}
	w.SignIn(w.dev)
	if w.authorize(url.Values{"client_id": {"Iv23liother"}, "state": {"s"}}) != "" {
		t.Error("a code for no App")
	}
	good := url.Values{"client_id": {w.app.ClientID}, "client_secret": {w.app.ClientSecret}, "code": {w.authorize(ask)}, "code_verifier": {"verifier"}}
	for field, want := range map[string]string{"client_id": "incorrect_client_credentials", "client_secret": "incorrect_client_credentials",
		"code": "bad_verification_code", "code_verifier": "bad_verification_code"} {
		q := url.Values{}
		for k, v := range good {
			q[k] = v
		}
		q.Set(field, "wrong")
		if _, got := w.exchange(q); got != want {
			t.Errorf("a wrong %s: %q", field, got)
		}
	}
	if token, got := w.exchange(good); token == "" || got != "" {
		t.Errorf("%q", got)
	}
	if _, got := w.exchange(good); got != "bad_verification_code" {
		t.Errorf("the same code again: %q", got)
	}
}
