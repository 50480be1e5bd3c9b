package github

import (
	"cmp"
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// api is a GitHub that records requests, and what each token may do.
type api struct {
	mu     sync.Mutex
	tokens []map[string]any
	asked  []string // method and address, as sent
	lacks  string   // a permission for which no token is made
	answer string   // to requests that are not for tokens; "": an App
	client *Client
}

func newAPI(t *testing.T) *api {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	a := &api{}
	server := httptest.NewServer(a)
	t.Cleanup(server.Close)
	app, err := NewApp(AppOptions{ID: 1, API: server.URL, Sign: func(_ context.Context, text []byte) ([]byte, error) {
		sum := sha256.Sum256(text)
		return rsa.SignPKCS1v15(nil, key, crypto.SHA256, sum[:])
	}})
	if err != nil {
		t.Fatal(err)
	}
	a.client = app.For(5)
	return a
}

// ServeHTTP implements http.Handler.
func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if strings.HasSuffix(r.URL.Path, "/access_tokens") {
		var in map[string]any
		_ = json.NewDecoder(r.Body).Decode(&in)
		a.tokens = append(a.tokens, in)
		if granted, _ := in["permissions"].(map[string]any); granted[a.lacks] != nil {
			w.WriteHeader(http.StatusUnprocessableEntity)
			_, _ = io.WriteString(w, `{"message":"The permissions requested are not granted to this installation."}`)
			return
		}
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(map[string]any{"token": "t", "expires_at": time.Now().Add(time.Hour)})
		return
	}
	a.asked = append(a.asked, r.Method+" "+r.RequestURI)
	_, _ = io.WriteString(w, cmp.Or(a.answer, `{"slug":"odfix"}`))
}

var shop = Repo{ID: 7, Owner: "acme", Name: "shop"}

// TestForgedFilePaths: a path of a report leads to no other address of the API.
func TestForgedFilePaths(t *testing.T) {
	a := newAPI(t)
	for _, path := range []string{"../../../../orgs/acme/secrets", "a/../b", "./a", "a//b", "/a", "", "a/", "..", "a\x00b"} {
		if _, err := a.client.SmallFile(t.Context(), shop, "main", path, ""); !errors.Is(err, ErrPath) {
			t.Errorf("%q: %v", path, err)
		}
	}
	if len(a.asked) > 0 {
		t.Errorf("requests for paths of no file: %q", a.asked)
	}
	for path, want := range map[string]string{
		"src/test/java/A.java": "src/test/java/A.java", "a?ref=evil&x": "a%3Fref=evil&x", "a#b": "a%23b", "%2e%2e/%2F": "%252e%252e/%252F",
		"a b/ü": "a%20b/%C3%BC", "a;b\\c": "a%3Bb%5Cc", "[id]/a.test.js": "%5Bid%5D/a.test.js",
	} {
		a.asked = nil
		if _, err := a.client.SmallFile(t.Context(), shop, "x&y", path, ""); err != nil {
			t.Error(err)
		}
		if want = "GET /repos/acme/shop/contents/" + want + "?ref=x%26y"; !slices.Equal(a.asked, []string{want}) {
			t.Errorf("%q: %q, want %q", path, a.asked, want)
		}
	}
}

// TestTokensAreScoped: each token is for one repository, and has the one permission that the
// request needs. Requests that read a build share a token that reads builds.
func TestTokensAreScoped(t *testing.T) {
	sha := strings.Repeat("a", 40)
	for name, c := range map[string]struct {
		scope scope
		ask   func(c *Client) error
	}{
		"file":    {readContents, func(c *Client) error { _, err := c.SmallFile(t.Context(), shop, sha, "a", ""); return err }},
		"sources": {readContents, func(c *Client) error { return c.Source(t.Context(), shop, sha, io.Discard, 1) }},
		"parents": {readContents, func(c *Client) error { _, err := c.Parents(t.Context(), shop, sha); return err }},
		"base":    {readContents, func(c *Client) error { _, err := c.MergeBase(t.Context(), shop, "main", sha); return err }},
		"branch":  {writeContents, func(c *Client) error { return c.MakeBranch(t.Context(), shop, "odfix/x", sha) }},
		"advance": {writeContents, func(c *Client) error { return c.Advance(t.Context(), shop, "x", sha) }},
		"pull":    {readBuild, func(c *Client) error { _, err := c.Pull(t.Context(), shop, 1); return err }},
		"files":   {readBuild, func(c *Client) error { _, err := c.Files(t.Context(), shop, 1); return err }},
		"comment": {writePulls, func(c *Client) error { _, err := c.CreateComment(t.Context(), shop, 1, "x"); return err }},
		"review":  {writePulls, func(c *Client) error { _, err := c.CreateReview(t.Context(), shop, 1, sha, nil); return err }},
		"open":    {writePulls, func(c *Client) error { _, err := c.OpenPull(t.Context(), shop, "a", "b", "x", "y"); return err }},
		"check":   {writeChecks, func(c *Client) error { _, err := c.CreateCheck(t.Context(), shop, Check{}); return err }},
		"checked": {readBuild, func(c *Client) error { _, err := c.ReadCheck(t.Context(), shop, 1); return err }},
		"runs":    {readBuild, func(c *Client) error { _, err := c.Runs(t.Context(), shop, sha); return err }},
		"log":     {readBuild, func(c *Client) error { return c.JobLog(t.Context(), shop, 1, io.Discard, 1) }},
		"role":    {metadata, func(c *Client) error { _, _, err := c.Role(t.Context(), shop, "dev"); return err }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAPI(t)
			_ = c.ask(a.client) // some answers are none that the method can read
			if len(a.asked) == 0 || len(a.tokens) != 1 {
				t.Fatalf("%d requests, %d tokens", len(a.asked), len(a.tokens))
			}
			want := map[string]any{}
			for _, one := range strings.Fields(string(c.scope)) {
				permission, level, _ := strings.Cut(one, ":")
				want[permission] = level
			}
			ids, _ := a.tokens[0]["repository_ids"].([]any)
			granted, _ := a.tokens[0]["permissions"].(map[string]any)
			if len(ids) != 1 || ids[0] != float64(shop.ID) || !maps.Equal(granted, want) {
				t.Errorf("%v", a.tokens[0])
			}
		})
	}
	a := newAPI(t)
	if _, err := a.client.OrganisationFile(t.Context(), shop, "HEAD", ".odfix.yml", ""); err != nil || len(a.tokens) == 0 {
		t.Fatal(err)
	}
	if names, _ := a.tokens[0]["repositories"].([]any); len(names) != 1 || names[0] != ".github" {
		t.Errorf("%v", a.tokens[0])
	}
}

// TestOneTokenReadsABuild: requests that read a build share a token. Where the installation lacks
// one of its permissions, each other request has a token of its own.
func TestOneTokenReadsABuild(t *testing.T) {
	for lacks, want := range map[string]int{"": 1, "checks": 4} { // the shared one, actions, pull requests, checks
		a := newAPI(t)
		a.lacks = lacks
		for range 2 {
			if _, err := a.client.Runs(t.Context(), shop, strings.Repeat("a", 40)); err != nil {
				t.Errorf("%q: %v", lacks, err)
			}
			if _, err := a.client.Pull(t.Context(), shop, 1); err != nil {
				t.Errorf("%q: %v", lacks, err)
			}
		}
		if _, err := a.client.ReadCheck(t.Context(), shop, 1); Forbidden(err) != (lacks != "") {
			t.Errorf("%q: %v", lacks, err)
		}
		if len(a.tokens) != want {
			t.Errorf("%q: %d tokens: %v", lacks, len(a.tokens), a.tokens)
		}
	}
}

// TestOtherContents: a folder with a file's name, and a file that GitHub does not send as a whole, are
// no files with another text.
func TestOtherContents(t *testing.T) {
	for name, c := range map[string]struct {
		answer string
		want   error
	}{
		"a folder":     {`[{"type":"file","name":"a"}]`, nil},
		"a submodule":  {`{"type":"submodule","name":"a"}`, nil},
		"a large file": {`{"type":"file","encoding":"none","size":2000000,"content":""}`, ErrLarge},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAPI(t)
			a.answer = c.answer
			if f, err := a.client.SmallFile(t.Context(), shop, "main", "a", ""); f.Found || !errors.Is(err, c.want) {
				t.Errorf("%+v, %v", f, err)
			}
		})
	}
}
