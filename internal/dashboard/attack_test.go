package dashboard_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/dashboard"
)

// TestAnotherInstallation: nothing of an installation is shown to a person whom GitHub does not show it.
func TestAnotherInstallation(t *testing.T) {
	w := newWorld(t)
	w.want("/login", http.StatusOK)
	for _, id := range []string{fmt.Sprint(w.rival.ID), "999999", "0", "-1", "9999999999999999999999", "x"} {
		for _, end := range []string{"", "/investigations.csv", "/investigations.json"} {
			w.want(dashboard.Path+"/"+id+end, http.StatusNotFound, "!engine", "!Test2", "!rival")
		}
	}
	w.shop.SetRole(w.dev, "none") // the person loses access, and sees nothing from then on
	w.want(w.overview(), http.StatusNotFound, "!acme")
}

// TestForgedSignIn: only an answer to a sign-in that began in this browser is accepted.
func TestForgedSignIn(t *testing.T) {
	w := newWorld(t)
	victim := w.newBrowser()
	victim.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	// The attacker begins a sign-in of their own and stops before the callback.
	var last string
	w.browser.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		last = r.URL.String()
		if r.URL.Path == dashboard.CallbackPath {
			return http.ErrUseLastResponse
		}
		return nil
	}
	w.get("/login")
	code := last[strings.Index(last, "?"):]
	if !strings.Contains(code, "state=") {
		t.Fatal(last)
	}
	attempt := func(browser *http.Client, query string) (int, http.Header) {
		once := *browser
		once.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		r, err := once.Get(w.site.URL + dashboard.CallbackPath + query)
		w.must(err)
		r.Body.Close()
		return r.StatusCode, r.Header
	}
	refused := func(name string, browser *http.Client, query string) {
		status, h := attempt(browser, query)
		if status != http.StatusBadRequest || strings.Contains(strings.Join(h.Values("Set-Cookie"), " "), "odfix-session") {
			t.Errorf("%s: %d %v", name, status, h.Values("Set-Cookie"))
		}
	}
	refused("another browser", victim, code)
	r, err := victim.Get(w.site.URL + "/login")
	w.must(err)
	r.Body.Close()
	refused("another browser in a sign-in of its own", victim, code)
	refused("a used sign-in", victim, code)
	refused("a wrong state", w.browser, strings.Replace(code, "state=", "state=x", 1))
	w.get("/login")
	fresh := last[strings.Index(last, "?"):]
	if status, h := attempt(w.browser, fresh); status != http.StatusSeeOther || len(h.Values("Set-Cookie")) != 2 {
		t.Errorf("the browser itself: %d %v", status, h)
	}
	refused("the same answer again", w.browser, fresh)
	w.TakeMismatches()
}

// TestSessionCookies: a session is only what this server sealed, under its own name, and new with
// each sign-in.
func TestSessionCookies(t *testing.T) {
	w := newWorld(t)
	w.browser.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		if r.URL.Host != strings.TrimPrefix(w.site.URL, "https://") {
			return http.ErrUseLastResponse
		}
		return nil
	}
	w.get("/login")
	begun := w.cookies()["__Host-odfix-login"]
	w.browser.CheckRedirect = nil
	w.get("/login")
	first := w.cookies()["__Host-odfix-session"]
	w.get("/login")
	second := w.cookies()["__Host-odfix-session"]
	if begun == "" || first == "" || first == second {
		t.Fatalf("%q %q %q", begun, first, second)
	}
	flip := "A"
	if strings.HasSuffix(first[:len(first)-1], flip) {
		flip = "B"
	}
	for name, value := range map[string]string{"a sign-in": begun, "nothing": "", "no base64": "%%%", "changed": first[:len(first)-2] + flip + first[len(first)-1:],
		"short": "AAAA", "another server's": strings.Repeat("A", 120)} {
		q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.site.URL+w.overview(), nil)
		w.must(err)
		q.Header.Set("Cookie", "__Host-odfix-session="+value)
		r, err := w.site.Client().Do(q)
		w.must(err)
		r.Body.Close()
		if r.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: %d", name, r.StatusCode)
		}
	}
	w.RevokeUserTokens()
	w.want(w.overview(), http.StatusUnauthorized, "The sign-in has ended")
	if w.cookies()["__Host-odfix-session"] != "" {
		t.Error("the ended session is still there")
	}
}

// TestHeadersAndLog: cookies and headers are strict, and neither pages nor log hold a secret.
func TestHeadersAndLog(t *testing.T) {
	w := newWorld(t)
	w.browser.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	r, err := w.browser.Get(w.site.URL + "/login")
	w.must(err)
	r.Body.Close()
	for _, c := range r.Cookies() {
		if !c.Secure || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" || !strings.HasPrefix(c.Name, "__Host-") {
			t.Errorf("%+v", c)
		}
	}
	to, err := url.Parse(r.Header.Get("Location"))
	w.must(err)
	if q := to.Query(); q.Get("code_challenge_method") != "S256" || q.Get("state") == "" || strings.Contains(to.String(), w.app.ClientSecret) {
		t.Errorf("%s", to)
	}
	if r.Header.Get("Cache-Control") != "no-store" || !strings.Contains(r.Header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("%v", r.Header)
	}
	w.serve(w.app.ClientID, "another secret, which GitHub refuses")
	w.browser.CheckRedirect = nil
	w.want("/login", http.StatusBadGateway, "GitHub refused the sign-in")
	w.serve(w.app.ClientID, w.app.ClientSecret)
	w.want("/login", http.StatusOK, "!ghu_")
	w.store.Close()
	w.want(w.overview(), http.StatusBadGateway, "did not answer", "!ghu_")
	for _, secret := range []string{"ghu_", "another secret", w.app.ClientSecret} {
		if strings.Contains(w.log.String(), secret) {
			t.Errorf("%q is in the log:\n%s", secret, w.log.String())
		}
	}
	if !strings.Contains(w.log.String(), "incorrect_client_credentials") {
		t.Errorf("the log does not name the reason:\n%s", w.log.String())
	}
}
