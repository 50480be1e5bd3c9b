// Package dashboard serves the pages on which people see what odfix did in their repositories.
//
// Invariants: a person signs in through GitHub and sees only repositories that GitHub names for
// their token, asked again for each page. The token is in an encrypted cookie of their browser. It
// is not stored and not logged.
package dashboard

import (
	"context"
	"crypto/subtle"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"
	"golang.org/x/oauth2"
	"golang.org/x/sync/semaphore"

	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/templates"
)

// Options are for New. Store and Log are required.
type Options struct {
	Store *store.Store
	Log   *zap.Logger
	// ClientID and ClientSecret are the App's, from its settings page. Without them, the pages say
	// that they are off.
	ClientID, ClientSecret string
	API, Web               string // addresses of GitHub's API and pages
	Transport              http.RoundTripper
	Now                    func() time.Time
}

// Dashboard serves the pages.
type Dashboard struct {
	o     Options
	seal  sealer
	oauth oauth2.Config
	// made are places for overviews that are in memory. Installations share them by their ids, so
	// one installation takes one place at most.
	made [4]chan struct{}
	// sending are the bytes of pages and exports that are being sent.
	sending *semaphore.Weighted
}

// Path is where the pages begin.
const Path = "/installations"

// CallbackPath is where GitHub sends a browser that has signed in.
const CallbackPath = "/login/callback"

// New makes the pages.
func New(o Options) (*Dashboard, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	d := &Dashboard{o: o, sending: semaphore.NewWeighted(mostSending)}
	for i := range d.made {
		d.made[i] = make(chan struct{}, 1)
	}
	if !d.on() {
		return d, nil
	}
	web := strings.TrimSuffix(o.Web, "/") + "/login/oauth/"
	d.oauth = oauth2.Config{ClientID: o.ClientID, ClientSecret: o.ClientSecret,
		Endpoint: oauth2.Endpoint{AuthURL: web + "authorize", TokenURL: web + "access_token", AuthStyle: oauth2.AuthStyleInParams}}
	var err error
	d.seal, err = newSealer(o.ClientSecret)
	return d, err
}

func (d *Dashboard) on() bool { return d.o.ClientID != "" && d.o.ClientSecret != "" }

// Register adds the routes.
func (d *Dashboard) Register(mux *http.ServeMux) {
	for pattern, h := range map[string]http.HandlerFunc{
		"GET /login": d.login, "GET " + CallbackPath: d.callback, "POST /logout": d.logout,
		"GET " + Path:                               d.signedIn(d.list),
		"GET " + Path + "/{id}":                     d.signedIn(d.overview),
		"GET " + Path + "/{id}/investigations.json": d.signedIn(d.exportJSON),
		"GET " + Path + "/{id}/investigations.csv":  d.signedIn(d.exportCSV),
	} {
		mux.HandleFunc(pattern, d.protected(h))
	}
}

// protected adds the headers of every page, and answers for all of them while they are off.
func (d *Dashboard) protected(next http.HandlerFunc) http.HandlerFunc {
	origin := http.NewCrossOriginProtection()
	return func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", templates.DashboardPolicy)
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-store")
		if !d.on() {
			d.problem(w, http.StatusNotFound, "This page is off. The operator of this odfix can turn it on: "+
				"set --client-id and ODFIX_CLIENT_SECRET to the values in the App's settings, and start odfix serve again.", false)
			return
		}
		if err := origin.Check(r); err != nil {
			d.problem(w, http.StatusForbidden, "Another site sent this request. Sign out on the page of this odfix.", false)
			return
		}
		next(w, r)
	}
}

// login sends the browser to GitHub. The answer must come back to the same browser, with its state.
func (d *Dashboard) login(w http.ResponseWriter, r *http.Request) {
	l := login{State: newState(), Verifier: oauth2.GenerateVerifier(), Expires: d.o.Now().Add(loginTime)}
	if err := d.seal.set(w, loginCookie, l, loginTime); err != nil {
		d.broken(w, err)
		return
	}
	http.Redirect(w, r, d.oauth.AuthCodeURL(l.State, oauth2.S256ChallengeOption(l.Verifier)), http.StatusFound)
}

// callback exchanges GitHub's code for a token and signs the person in, in a new session.
func (d *Dashboard) callback(w http.ResponseWriter, r *http.Request) {
	var l login
	err := d.seal.get(r, loginCookie, &l)
	drop(w, loginCookie)
	state, code := r.URL.Query().Get("state"), r.URL.Query().Get("code")
	if err != nil || !d.o.Now().Before(l.Expires) || subtle.ConstantTimeCompare([]byte(state), []byte(l.State)) != 1 || code == "" {
		d.problem(w, http.StatusBadRequest, "This sign-in did not begin in this browser, or took too long. Please sign in again.", true)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), 15*time.Second)
	defer cancel()
	client := &http.Client{Transport: d.o.Transport, Timeout: 15 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	token, err := d.oauth.Exchange(context.WithValue(ctx, oauth2.HTTPClient, client), code, oauth2.VerifierOption(l.Verifier))
	if err != nil {
		d.o.Log.Warn("GitHub refused a sign-in", zap.String("error", reasonOf(err))) // the error itself may hold the answer
		d.problem(w, http.StatusBadGateway, "GitHub refused the sign-in. Please sign in again.", true)
		return
	}
	s := session{Token: token.AccessToken, Expires: d.o.Now().Add(sessionTime)}
	if err := d.seal.set(w, sessionCookie, s, sessionTime); err != nil {
		d.broken(w, err)
		return
	}
	http.Redirect(w, r, Path, http.StatusSeeOther)
}

// reasonOf is GitHub's code for a refusal, which holds no secret.
func reasonOf(err error) string {
	var e *oauth2.RetrieveError
	if errors.As(err, &e) && e.ErrorCode != "" {
		return e.ErrorCode
	}
	return "no answer"
}

func (d *Dashboard) logout(w http.ResponseWriter, r *http.Request) {
	drop(w, sessionCookie)
	http.Redirect(w, r, Path, http.StatusSeeOther)
}

// visitor is a signed-in person, as GitHub knows them.
type visitor struct{ *github.User }

// signedIn answers with an invitation to sign in where nobody is.
func (d *Dashboard) signedIn(next func(http.ResponseWriter, *http.Request, visitor) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var s session
		if err := d.seal.get(r, sessionCookie, &s); err != nil || s.Token == "" || !d.o.Now().Before(s.Expires) {
			d.problem(w, http.StatusUnauthorized, "Sign in to see what odfix did in your repositories.", true)
			return
		}
		u, err := github.NewUser(d.o.API, s.Token, d.o.Transport)
		if err == nil {
			ctx, cancel := context.WithTimeout(r.Context(), 25*time.Second)
			defer cancel()
			err = next(w, r.WithContext(ctx), visitor{u})
		}
		switch {
		case err == nil:
		case errors.Is(err, github.ErrSignedOut):
			drop(w, sessionCookie)
			d.problem(w, http.StatusUnauthorized, "The sign-in has ended. Please sign in again.", true)
		case errors.Is(err, github.ErrNoAccess):
			d.problem(w, http.StatusNotFound, "There is no such installation, or you may not see it.", false)
		default:
			d.broken(w, err)
		}
	}
}

func (d *Dashboard) list(w http.ResponseWriter, r *http.Request, v visitor) error {
	found, err := v.Installations(r.Context())
	if err != nil {
		return err
	}
	p := templates.InstallationsPage{}
	for _, i := range found {
		p.Items = append(p.Items, templates.InstallationLink{ID: i.ID, Account: i.Account})
	}
	return d.send(w, p.HTML())
}

// mostSending bounds the pages and exports that browsers have not read yet, in bytes.
const mostSending = 64 << 20

// reserve takes room for an answer of this size until free is called. If too many are being sent, it
// answers with a page that says so, and free is nil.
func (d *Dashboard) reserve(w http.ResponseWriter, size int) (free func()) {
	n := int64(size)
	if !d.sending.TryAcquire(n) {
		d.problem(w, http.StatusServiceUnavailable, "Too many pages are being sent. Please try again in a minute.", false)
		return nil
	}
	return func() { d.sending.Release(n) }
}

func (d *Dashboard) send(w http.ResponseWriter, html string) error {
	if free := d.reserve(w, len(html)); free != nil {
		defer free()
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, html) // an error means that the browser is gone
	}
	return nil
}

func (d *Dashboard) problem(w http.ResponseWriter, status int, text string, signIn bool) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, templates.InstallationsPage{Problem: text, SignIn: signIn}.HTML())
}

// broken answers where GitHub or the database does not.
func (d *Dashboard) broken(w http.ResponseWriter, err error) {
	d.o.Log.Error("a page of the dashboard could not be made", zap.Error(err))
	d.problem(w, http.StatusBadGateway, "GitHub or the database did not answer. Please try again in a minute.", false)
}

// chosen reads the installation, and the days of the overview, from the address. done gives the
// place in memory back.
func (d *Dashboard) chosen(r *http.Request, v visitor) (out *view, done func(), err error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil || id < 1 {
		return nil, nil, github.ErrNoAccess
	}
	repos, err := v.Repositories(r.Context(), id)
	if err != nil {
		return nil, nil, err
	}
	out = &view{id: id, days: defaultDays, now: d.o.Now().UTC(), names: map[int64]string{}}
	for _, n := range periods {
		if r.URL.Query().Get("days") == strconv.Itoa(n) {
			out.days = n
		}
	}
	var ids []int64
	for _, repo := range repos {
		ids = append(ids, repo.ID)
		out.names[repo.ID] = repo.FullName
	}
	out.since = out.now.AddDate(0, 0, 1-out.days).Truncate(24 * time.Hour)
	place := d.made[id%int64(len(d.made))]
	select {
	case place <- struct{}{}:
	case <-r.Context().Done():
		return nil, nil, r.Context().Err()
	}
	done = sync.OnceFunc(func() { <-place })
	read := false
	defer func() {
		if !read {
			done()
		}
	}()
	out.Overview, err = store.Read(r.Context(), d.o.Store, func(tx *store.Tx) (store.Overview, error) {
		return tx.Overview(id, ids, out.since)
	})
	read = err == nil
	return out, done, err
}
