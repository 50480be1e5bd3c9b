// Package page shows pull requests of the stand-in GitHub as web pages that
// look like a pull-request conversation, rendered here from the state that the
// API would return.
//
// Invariants: nothing on a page runs or comes from elsewhere (no scripts, no
// images, one embedded style sheet, a policy that says so); text of pull
// requests is foreign: it is shown, and never taken for HTML; forms are answered
// for pages of this very origin only.
package page

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"net"
	"net/http"
	"strconv"

	"github.com/odfix/odfix/internal/githubtest"
)

//go:embed style.css
var style string

//go:embed page.html.tmpl
var text string

var layout = template.Must(template.New("page").Parse(text))

// policy lets the style sheet in, forms back to us, and nothing else.
func policy() string {
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; base-uri 'none'; form-action 'self'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Host is what the pages show, and what a person can do on them.
type Host interface {
	// Repository finds one, or gives nil.
	Repository(owner, name string) *githubtest.Repository
	// PullRequests are those there are.
	PullRequests() []*githubtest.PullRequest
	// Busy says what goes on with a pull request; empty: nothing.
	Busy(*githubtest.PullRequest) string
	// Accept commits the suggestion of a review comment.
	Accept(ctx context.Context, p *githubtest.PullRequest, comment int64) error
}

// Handler serves the pages. Only requests to this machine by its own names are
// answered: no other site can have its name lead here.
func Handler(h Host) http.Handler {
	s := site{h}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.first)
	mux.HandleFunc("GET /{owner}/{repo}", s.first)
	mux.HandleFunc("GET /{owner}/{repo}/runs/{id}", s.check)
	mux.HandleFunc("GET /{owner}/{repo}/actions/runs/{run}/job/{id}", s.check)
	mux.HandleFunc("GET /{owner}/{repo}/pull/{number}", s.show)
	mux.HandleFunc("POST /{owner}/{repo}/pull/{number}", s.accept)
	return local(http.NewCrossOriginProtection().Handler(mux))
}

func local(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			http.Error(w, "These pages are for this machine: use localhost.", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

type site struct{ host Host }

// first leads to the newest pull request.
func (s site) first(w http.ResponseWriter, r *http.Request) {
	all := s.host.PullRequests()
	if len(all) == 0 {
		http.Error(w, "There is no pull request yet.", http.StatusNotFound)
		return
	}
	http.Redirect(w, r, path(all[len(all)-1]), http.StatusSeeOther)
}

// check leads to where a check is shown.
func (s site) check(w http.ResponseWriter, r *http.Request) {
	all := s.host.PullRequests()
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil || len(all) == 0 {
		http.NotFound(w, r)
		return
	}
	http.Redirect(w, r, fmt.Sprintf("%s#check-%d", path(all[len(all)-1]), id), http.StatusSeeOther)
}

func path(p *githubtest.PullRequest) string {
	return fmt.Sprintf("/%s/pull/%d", p.Repository().FullName(), p.Number)
}

func (s site) find(r *http.Request) *githubtest.PullRequest {
	repo := s.host.Repository(r.PathValue("owner"), r.PathValue("repo"))
	n, err := strconv.Atoi(r.PathValue("number"))
	if repo == nil || err != nil {
		return nil
	}
	return repo.PullRequest(n)
}

func (s site) show(w http.ResponseWriter, r *http.Request) {
	p := s.find(r)
	if p == nil {
		http.NotFound(w, r)
		return
	}
	s.write(w, r, p, http.StatusOK, "")
}

// accept commits a suggestion; what the stand-in refuses is said on the page.
func (s site) accept(w http.ResponseWriter, r *http.Request) {
	p := s.find(r)
	if p == nil {
		http.NotFound(w, r)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, 4<<10)
	id, err := strconv.ParseInt(r.PostFormValue("comment"), 10, 64)
	if err != nil {
		http.Error(w, "Which comment's suggestion?", http.StatusBadRequest)
		return
	}
	if err := s.host.Accept(r.Context(), p, id); err != nil {
		s.write(w, r, p, http.StatusUnprocessableEntity, "The suggestion was not committed: "+err.Error())
		return
	}
	http.Redirect(w, r, path(p), http.StatusSeeOther)
}

func (s site) write(w http.ResponseWriter, r *http.Request, p *githubtest.PullRequest, status int, problem string) {
	var b bytes.Buffer
	err := render(r.Context(), &b, p, options{live: true, busy: s.host.Busy(p), problem: problem})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", policy()+"; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = b.WriteTo(w) // whoever asked may have gone
}

// Write renders a pull request as a page that stands alone: nothing on it can be done.
func Write(ctx context.Context, w io.Writer, p *githubtest.PullRequest) error {
	return render(ctx, w, p, options{})
}

type options struct {
	live    bool
	busy    string
	problem string
}

func render(ctx context.Context, w io.Writer, p *githubtest.PullRequest, o options) error {
	v, err := newView(ctx, p, o)
	if err != nil {
		return err
	}
	return layout.Execute(w, v)
}
