package githubtest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"time"
)

var userTable = []entry{
	{"apps/list-installations-for-authenticated-user", asUser, "", (*call).userInstallations},
	{"apps/list-installation-repos-for-authenticated-user", asUser, "", (*call).userRepositories},
}

// userToken lets an App act for a person.
type userToken struct {
	app     *App
	person  *Account
	expires time.Time
}

// grant is a code that the browser of a person brought to an App.
type grant struct {
	userToken
	challenge string // PKCE's S256; empty: none
}

// SignIn sets the person whose browser visits the web host; nil: nobody.
func (s *Server) SignIn(person *Account) {
	defer s.lock()()
	s.browser = person
}

// RevokeUserTokens makes all tokens of people invalid, as a person can in the settings.
func (s *Server) RevokeUserTokens() {
	defer s.lock()()
	s.people = map[string]*userToken{}
}

// serveAuthorize is the page on which a person lets an App act for them. The person agrees at once.
func (s *Server) serveAuthorize(w http.ResponseWriter, r *http.Request) {
	defer s.lock()()
	q := r.URL.Query()
	app := s.appByClient(q.Get("client_id"))
	switch {
	case app == nil || app.CallbackURL == "" || r.Method != http.MethodGet:
		http.NotFound(w, r)
		return
	case s.browser == nil:
		http.Error(w, "Sign in to GitHub", http.StatusUnauthorized)
		return
	case q.Get("redirect_uri") != "" && q.Get("redirect_uri") != app.CallbackURL:
		s.mismatch("request", "authorize", "redirect_uri is not the App's callback URL")
	case q.Get("state") == "":
		s.mismatch("request", "authorize", "there is no state")
	case q.Get("code_challenge") != "" && q.Get("code_challenge_method") != "S256":
		s.mismatch("request", "authorize", "code_challenge_method is not S256")
	}
	code := randomHex(10)
	s.grants[code] = &grant{userToken{app, s.browser, s.now().Add(10 * time.Minute)}, q.Get("code_challenge")}
	back := url.Values{"code": {code}, "state": {q.Get("state")}}
	http.Redirect(w, r, app.CallbackURL+"?"+back.Encode(), http.StatusFound)
}

// serveToken exchanges a code for a token. Errors have the status 200, as on GitHub.
func (s *Server) serveToken(w http.ResponseWriter, r *http.Request) {
	defer s.lock()()
	if r.Method != http.MethodPost || r.ParseForm() != nil {
		http.NotFound(w, r)
		return
	}
	id, secret := r.PostForm.Get("client_id"), r.PostForm.Get("client_secret")
	app, g := s.appByClient(id), s.grants[r.PostForm.Get("code")]
	out := map[string]any{}
	switch {
	case app == nil || app.ClientSecret != secret:
		out["error"] = "incorrect_client_credentials"
	case g == nil || g.app != app || !s.now().Before(g.expires) || !g.verified(r.PostForm.Get("code_verifier")):
		out["error"] = "bad_verification_code"
	default:
		delete(s.grants, r.PostForm.Get("code"))
		token := "ghu_" + randomHex(18)
		s.people[token] = &userToken{app, g.person, s.now().Add(8 * time.Hour)}
		out["access_token"], out["token_type"], out["scope"], out["expires_in"] = token, "bearer", "", 8*60*60
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(out) // an error means that the client is gone
}

func (g *grant) verified(verifier string) bool {
	sum := sha256.Sum256([]byte(verifier))
	return g.challenge == "" || g.challenge == base64.RawURLEncoding.EncodeToString(sum[:])
}

func (s *Server) appByClient(id string) *App {
	i := slices.IndexFunc(s.apps, func(a *App) bool { return id != "" && a.ClientID == id })
	if i < 0 {
		return nil
	}
	return s.apps[i]
}

// explicit reports whether a person may read a repository because of a role, and not only because
// it is public.
func (r *Repository) explicit(a *Account) bool {
	return r.association(a) != "NONE" && r.role(a) != "none"
}

// readable are the installation's repositories that the person of the token may read.
func (t *userToken) readable(i *Installation) []*Repository {
	return slices.DeleteFunc(i.repositories(), func(r *Repository) bool { return !r.explicit(t.person) })
}

func (c *call) userInstallations() (answer, error) {
	u := c.by.user
	seen := slices.DeleteFunc(slices.Clone(u.app.installations), func(i *Installation) bool { return len(u.readable(i)) == 0 })
	return counted(c, "installations", seen, (*Installation).view)
}

func (c *call) userRepositories() (answer, error) {
	u := c.by.user
	for _, i := range u.app.installations {
		if all := u.readable(i); i.ID == c.number("installation_id") && len(all) > 0 {
			return counted(c, "repositories", all, (*Repository).full)
		}
	}
	return answer{}, notFound()
}
