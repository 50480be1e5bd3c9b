package github

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/bradleyfalzon/ghinstallation/v2"
	gh "github.com/google/go-github/v60/github"
)

// App sends requests to GitHub as a GitHub App.
type App struct {
	o       AppOptions
	pass    *passes
	api     *url.URL // ends in a slash
	own     *gh.Client
	plain   *http.Client // without credentials
	mu      sync.Mutex
	clients map[int64]*Client
	slug    string
	guard   Guard // nil: each request may be sent
}

// AppOptions are for NewApp.
type AppOptions struct {
	ID int64
	// Sign signs with the App's private key: RS256.
	Sign func(ctx context.Context, text []byte) ([]byte, error)
	// API is the address of GitHub's API; empty: github.com's.
	API string
	// Transport sends the requests; nil: http.DefaultTransport.
	Transport http.RoundTripper
	Now       func() time.Time // nil: time.Now
	// Writes records what installations change on GitHub; nil: nobody does.
	Writes WriteLog
	Budget Budget // of each installation; a zero field means that of DefaultBudget
}

// NewApp checks the options. It sends no request.
func NewApp(o AppOptions) (*App, error) {
	if o.ID <= 0 {
		return nil, errors.New("there is no App id: it is on the App's settings page")
	}
	if o.Sign == nil {
		return nil, errors.New("nothing signs with the App's private key")
	}
	a, err := newApp(o)
	if err != nil {
		return nil, err
	}
	a.pass, a.clients = &passes{sign: o.Sign}, map[int64]*Client{}
	a.own = a.client(a.appTransport(newGovernor(a.o.Budget, a.o.Now, a.o.Transport)))
	return a, nil
}

// newApp is what sends requests, without credentials.
func newApp(o AppOptions) (*App, error) {
	o.API = cmp.Or(o.API, "https://api.github.com/")
	api, err := url.Parse(strings.TrimSuffix(o.API, "/") + "/")
	if err != nil || api.Host == "" || api.Scheme != "https" && api.Scheme != "http" {
		return nil, fmt.Errorf("%q is not the address of GitHub's API; github.com's is https://api.github.com", o.API)
	}
	downloads := cmp.Or(o.Transport, http.DefaultTransport) // they have limits of their own
	o.Transport = newAnswers(downloads)
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Budget.fill()
	a := &App{o: o, api: api}
	a.plain = &http.Client{Transport: downloads, Timeout: downloadTime, CheckRedirect: a.noFurther}
	return a, nil
}

// appTransport signs with the App's key. Each client needs its own: ghinstallation writes to it
// when it renews a token.
func (a *App) appTransport(through http.RoundTripper) *ghinstallation.AppsTransport {
	t, err := ghinstallation.NewAppsTransportWithOptions(through, a.o.ID, ghinstallation.WithSigner(a.pass))
	if err != nil {
		panic(err) // it only checks that there is a signer
	}
	t.BaseURL = strings.TrimSuffix(a.api.String(), "/")
	return t
}

func (a *App) client(t http.RoundTripper) *gh.Client {
	c := newREST(t)
	c.BaseURL = a.api
	return c
}

const (
	requestTime  = 30 * time.Second
	downloadTime = 10 * time.Minute
)

// sameHost refuses redirects to other hosts: ghinstallation would send the token there.
func sameHost(r *http.Request, via []*http.Request) error {
	if r.URL.Host != via[0].URL.Host || r.URL.Scheme != via[0].URL.Scheme || len(via) > 5 {
		return http.ErrUseLastResponse
	}
	return nil
}

// Slug is the App's name in addresses. The author of its comments is slug[bot].
func (a *App) Slug(ctx context.Context) (string, error) {
	a.mu.Lock()
	slug := a.slug
	a.mu.Unlock()
	if slug != "" {
		return slug, nil
	}
	me, _, err := a.own.Apps.Get(ctx, "")
	if err != nil {
		return "", fmt.Errorf("GitHub does not accept the App's id and key: %w", err)
	}
	a.mu.Lock()
	a.slug = me.GetSlug()
	a.mu.Unlock()
	return me.GetSlug(), nil
}

// Client sends requests as an installation of the App. No token of it is for the whole installation.
type Client struct {
	app    *App
	id     int64
	gate   *governor
	scopes scopes
	fixed  *gh.Client // with the one token of a workflow run; nil: the App makes tokens
}

// For returns the client of an installation. It is the same one each time, since it keeps the tokens
// and the used budget.
func (a *App) For(installation int64) *Client {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c := a.clients[installation]; c != nil {
		return c
	}
	gate := newGovernor(a.o.Budget, a.o.Now, a.o.Transport)
	c := &Client{app: a, id: installation, gate: gate}
	a.clients[installation] = c
	return c
}

// Repo identifies a repository: by id for the database, by name for the API.
type Repo struct {
	ID          int64
	Owner, Name string
}

// RepoOf parses a full name.
func RepoOf(id int64, fullName string) (Repo, error) {
	owner, name, ok := strings.Cut(fullName, "/")
	if !ok || owner == "" || name == "" || strings.Contains(name, "/") {
		return Repo{}, fmt.Errorf("%q is not the name of a repository", fullName)
	}
	return Repo{id, owner, name}, nil
}
