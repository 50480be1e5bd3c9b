// Package page renders pull requests of the stand-in GitHub as web pages that look like GitHub's.
//
// Invariants: a page has no scripts and no images, and loads nothing from other hosts; its security
// policy says so. Text of a pull request is untrusted: it is never interpreted as HTML. Only pages
// of the same origin can send forms.
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

// policy allows the style sheet, and forms to the same origin.
func policy() string {
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; base-uri 'none'; form-action 'self'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Host has the data for the pages, and carries out what a person does on them.
type Host interface {
	// Repository finds a repository, or returns nil.
	Repository(owner, name string) *githubtest.Repository
	// PullRequests returns all pull requests.
	PullRequests() []*githubtest.PullRequest
	// Busy describes the work in progress for a pull request; empty: none.
	Busy(*githubtest.PullRequest) string
	// Accept commits the suggestion of a review comment.
	Accept(ctx context.Context, p *githubtest.PullRequest, comment int64) error
}

// Handler serves the pages. It answers only under loopback names, so that no other site can point
// its name here.
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
			http.Error(w, "These pages are for this machine only: use localhost.", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

type site struct{ host Host }

// first redirects to the newest pull request.
func (s site) first(w http.ResponseWriter, r *http.Request) {
	all := s.host.PullRequests()
	if len(all) == 0 {
		http.Error(w, "There is no pull request yet.", http.StatusNotFound)
		return
	}
	http.Redirect(w, r, path(all[len(all)-1]), http.StatusSeeOther)
}

// check redirects to a check on the page of the newest pull request.
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

// accept commits a suggestion. The page shows the error if the stand-in refuses.
func (s site) accept(w http.ResponseWriter, r *http.Request) {
	p := s.find(r)
	if p == nil {
		http.NotFound(w, r)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, 4<<10)
	id, err := strconv.ParseInt(r.PostFormValue("comment"), 10, 64)
	if err != nil {
		http.Error(w, "The form names no comment.", http.StatusBadRequest)
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
	_, _ = b.WriteTo(w) // an error means that the client is gone
}

// Write renders a pull request as a page without forms.
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
