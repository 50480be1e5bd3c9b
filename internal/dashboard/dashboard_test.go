package dashboard_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/odfix/odfix/internal/dashboard"
	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/githubtest/testserver"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/store/storetest"
	"github.com/odfix/odfix/internal/suite"
)

// world is two accounts with the App, and its dashboard. dev belongs to acme alone.
type world struct {
	*githubtest.Server
	t             *testing.T
	app           *githubtest.App
	dev           *githubtest.Account
	acme, rival   *githubtest.Installation
	shop, secret  *githubtest.Repository // of acme; dev cannot read secret
	theirs        *githubtest.Repository // of rival
	store         *store.Store
	site          *httptest.Server
	log           bytes.Buffer
	browser       *http.Client
	investigation string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, Server: testserver.Start(t, githubtest.Config{})}
	w.dev = w.AddUser("dev")
	acme, rival := w.AddOrganization("acme", w.dev), w.AddOrganization("rival", w.AddUser("eve"))
	w.site = httptest.NewUnstartedServer(nil)
	w.site.StartTLS()
	t.Cleanup(w.site.Close)
	var err error
	w.app, err = w.AddApp(githubtest.AppSpec{Name: "odfix", WebhookURL: "http://127.0.0.1:9/", Secret: "s",
		CallbackURL: w.site.URL + dashboard.CallbackPath})
	w.must(err)
	w.shop, w.secret, w.theirs = w.repository(acme, "shop"), w.repository(acme, "secret"), w.repository(rival, "engine")
	w.secret.SetRole(w.dev, "none")
	w.acme, w.rival = w.app.Install(acme), w.app.Install(rival)
	w.SignIn(w.dev)
	w.store = storetest.Open(t, storetest.SQLite(t), store.Options{})
	for n, r := range []*githubtest.Repository{w.shop, w.secret, w.theirs} {
		i := w.acme
		if r == w.theirs {
			i = w.rival
		}
		w.investigate(i.ID, r.ID, fmt.Sprintf("com.example.Test%d#<b>of</b>", n))
	}
	w.serve(w.app.ClientID, w.app.ClientSecret)
	w.browser = w.newBrowser()
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) repository(owner *githubtest.Account, name string) *githubtest.Repository {
	r, err := w.AddRepository(w.t.Context(), githubtest.RepositorySpec{Owner: owner, Name: name, Private: true, Files: map[string]string{"a": "b"}})
	w.must(err)
	return r
}

// investigate stores an investigation that proved a patch, and was followed by a green build.
func (w *world) investigate(installation, repository int64, test string) {
	w.must(w.store.Do(w.t.Context(), func(tx *store.Tx) error {
		p := store.PullRequest{Repository: repository, Number: 7, HeadSHA: "0123456789abcdef", Open: true, Updated: time.Now()}
		if _, err := tx.SavePullRequest(p); err != nil {
			return err
		}
		i, _, err := tx.OpenInvestigation(store.Push{Installation: installation, Repository: repository, PullRequest: 7,
			HeadSHA: p.HeadSHA, Lifetime: time.Hour})
		if err != nil {
			return err
		}
		w.investigation = i.ID
		if _, err := tx.Move(i.ID, store.Change{To: store.Queued}); err != nil {
			return err
		}
		if _, err := tx.Take(i.ID, "h"); err != nil {
			return err
		}
		id := suite.TestID(test)
		_, err = tx.SaveReport(i.ID, "h", &job.Report{Version: job.Version, Cost: job.Cost{Total: 90}, Tests: []job.TestReport{
			{Test: id, Verdict: suite.Victim, Patches: []job.Patch{{Fixes: []suite.TestID{id}, Proof: job.Proof{Proved: true}}}}}})
		if err != nil {
			return err
		}
		_, err = tx.Move(i.ID, store.Change{To: store.Done, Reason: "=1+1 <i>answered</i>"})
		return err
	}))
	w.must(w.store.Do(w.t.Context(), func(tx *store.Tx) error {
		for _, kind := range []string{"comment", "settled"} {
			p := store.Posted{Key: fmt.Sprint(kind, repository), Repository: repository, PullRequest: 7, Kind: kind, Holder: "h"}
			if _, _, err := tx.ClaimPost(p, time.Minute); err != nil {
				return err
			}
			if err := tx.Posted(p.Key, "h", 1); err != nil {
				return err
			}
		}
		return nil
	}))
}

func (w *world) serve(id, secret string) {
	log := zap.New(zapcore.NewCore(zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig()), zapcore.AddSync(&w.log), zapcore.DebugLevel))
	d, err := dashboard.New(dashboard.Options{Store: w.store, Log: log, ClientID: id, ClientSecret: secret, API: w.URL, Web: w.WebURL})
	w.must(err)
	mux := http.NewServeMux()
	d.Register(mux)
	w.site.Config.Handler = mux
}

func (w *world) newBrowser() *http.Client {
	jar, err := cookiejar.New(nil)
	w.must(err)
	return &http.Client{Transport: w.site.Client().Transport, Jar: jar}
}

// get opens a page and returns its status and text.
func (w *world) get(path string) (int, string) {
	w.t.Helper()
	r, err := w.browser.Get(w.site.URL + path)
	w.must(err)
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	w.must(err)
	return r.StatusCode, string(text)
}

// want checks a page's status and parts of its text; a part after "!" must not be there.
func (w *world) want(path string, status int, parts ...string) {
	w.t.Helper()
	got, text := w.get(path)
	if got != status {
		w.t.Errorf("%s: status %d", path, got)
	}
	for _, p := range parts {
		bad, not := strings.CutPrefix(p, "!")
		if not == strings.Contains(text, bad) {
			w.t.Errorf("%s: %q\n%s", path, p, text)
		}
	}
}

func (w *world) overview() string { return fmt.Sprintf("%s/%d", dashboard.Path, w.acme.ID) }

// cookies are the browser's for the site, by name.
func (w *world) cookies() map[string]string {
	u, err := url.Parse(w.site.URL)
	w.must(err)
	out := map[string]string{}
	for _, c := range w.browser.Jar.Cookies(u) {
		out[c.Name] = c.Value
	}
	return out
}

func TestOverview(t *testing.T) {
	w := newWorld(t)
	w.want(dashboard.Path, http.StatusUnauthorized, "Sign in with GitHub")
	w.want("/login", http.StatusOK, "acme", "!rival")
	w.want(w.overview(), http.StatusOK, "acme/shop#7", "Order-dependent, patch proved", "<dt>Tests fixed</dt><dd>1</dd>",
		"<dt>Investigations</dt><dd>1</dd>", "!secret", "!engine", "&lt;b&gt;of", "!<b>of", "!<i>answered")
	w.want(w.overview()+"?days=365", http.StatusOK, `<a href="?days=365" aria-current="page">`)
	r, err := w.browser.Post(w.site.URL+"/logout", "", nil)
	w.must(err)
	r.Body.Close()
	w.want(w.overview(), http.StatusUnauthorized, "Sign in")
}

// TestAttackSignOut: another site cannot sign a person out.
func TestAttackSignOut(t *testing.T) {
	w := newWorld(t)
	w.want("/login", http.StatusOK)
	q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.site.URL+"/logout", nil)
	w.must(err)
	q.Header.Set("Sec-Fetch-Site", "cross-site")
	r, err := w.browser.Do(q)
	w.must(err)
	r.Body.Close()
	if r.StatusCode != http.StatusForbidden {
		t.Errorf("status %d", r.StatusCode)
	}
	w.want(w.overview(), http.StatusOK)
}

func TestExports(t *testing.T) {
	w := newWorld(t)
	w.want("/login", http.StatusOK)
	_, text := w.get(w.overview() + "/investigations.json")
	var out struct {
		Investigations []struct {
			Repository, Outcome string
			Tests               []struct{ Test, Verdict string }
		}
	}
	w.must(json.Unmarshal([]byte(text), &out))
	if len(out.Investigations) != 1 || out.Investigations[0].Repository != "acme/shop" || out.Investigations[0].Outcome != "proved" ||
		len(out.Investigations[0].Tests) != 1 || out.Investigations[0].Tests[0].Verdict != "victim" {
		t.Errorf("%s", text)
	}
	_, text = w.get(w.overview() + "/investigations.csv")
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	w.must(err)
	if len(lines) != 2 || lines[1][2] != "acme/shop" || lines[1][7] != "'=1+1 <i>answered</i>" || lines[1][8] != "90.0" || lines[1][10] != "1" {
		t.Errorf("%q", lines)
	}
}

func TestOff(t *testing.T) {
	w := newWorld(t)
	w.serve("", "")
	for _, path := range []string{dashboard.Path, w.overview(), "/login", dashboard.CallbackPath} {
		w.want(path, http.StatusNotFound, "This page is off", "--client-id")
	}
}
