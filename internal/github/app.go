package github

import (
	"context"
	"crypto/rsa"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/bradleyfalzon/ghinstallation/v2"
	"github.com/golang-jwt/jwt/v4"
	gh "github.com/google/go-github/v60/github"
)

// App talks to GitHub as one GitHub App.
type App struct {
	o       AppOptions
	key     *rsa.PrivateKey
	api     *url.URL // ends in a slash
	own     *gh.Client
	plain   *http.Client // without anybody's credentials
	mu      sync.Mutex
	clients map[int64]*Client
	slug    string
}

// AppOptions are for NewApp.
type AppOptions struct {
	ID  int64
	Key []byte // the App's private key, PEM
	// API is where GitHub's API is; empty: github.com's.
	API string
	// Transport is what requests go through; nil: http.DefaultTransport.
	Transport http.RoundTripper
	Now       func() time.Time // nil: time.Now
	Budget    Budget           // of each installation; zero fields take DefaultBudget
}

// NewApp checks the options; it does not ask GitHub anything.
func NewApp(o AppOptions) (*App, error) {
	if o.ID <= 0 {
		return nil, errors.New("there is no App id: it stands on the App's settings page")
	}
	key, err := jwt.ParseRSAPrivateKeyFromPEM(o.Key)
	if err != nil {
		return nil, fmt.Errorf("the App's private key cannot be read (%v): it is the .pem file that GitHub gave when the key was made", err)
	}
	if o.API == "" {
		o.API = "https://api.github.com/"
	}
	api, err := url.Parse(strings.TrimSuffix(o.API, "/") + "/")
	if err != nil || api.Host == "" || api.Scheme != "https" && api.Scheme != "http" {
		return nil, fmt.Errorf("%q is not the address of GitHub's API; github.com's is https://api.github.com", o.API)
	}
	if o.Transport == nil {
		o.Transport = http.DefaultTransport
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Budget.fill()
	a := &App{o: o, key: key, api: api, clients: map[int64]*Client{}}
	a.plain = &http.Client{Transport: o.Transport, Timeout: downloadTime, CheckRedirect: a.noFurther}
	a.own = a.client(a.appTransport(newGovernor(o.Budget, o.Now, o.Transport)))
	return a, nil
}

// appTransport signs with the App's key. Each user has one of its own:
// ghinstallation writes to it when it renews a token.
func (a *App) appTransport(through http.RoundTripper) *ghinstallation.AppsTransport {
	t := ghinstallation.NewAppsTransportFromPrivateKey(through, a.o.ID, a.key)
	t.BaseURL = strings.TrimSuffix(a.api.String(), "/")
	return t
}

func (a *App) client(t http.RoundTripper) *gh.Client {
	c := gh.NewClient(&http.Client{Transport: t, Timeout: requestTime, CheckRedirect: sameHost})
	c.BaseURL, c.UserAgent = a.api, "odfix"
	return c
}

const (
	requestTime  = 30 * time.Second
	downloadTime = 10 * time.Minute
)

// sameHost keeps the token from other hosts: ghinstallation would send it along.
func sameHost(r *http.Request, via []*http.Request) error {
	if r.URL.Host != via[0].URL.Host || r.URL.Scheme != via[0].URL.Scheme || len(via) > 5 {
		return http.ErrUseLastResponse
	}
	return nil
}

// Slug is the App's name in addresses; its comments are by slug[bot].
func (a *App) Slug(ctx context.Context) (string, error) {
	a.mu.Lock()
	slug := a.slug
	a.mu.Unlock()
	if slug != "" {
		return slug, nil
	}
	me, _, err := a.own.Apps.Get(ctx, "")
	if err != nil {
		return "", fmt.Errorf("GitHub does not know the App by its id and key: %w", err)
	}
	a.mu.Lock()
	a.slug = me.GetSlug()
	a.mu.Unlock()
	return me.GetSlug(), nil
}

// Client talks to GitHub as the App on one account.
type Client struct {
	app  *App
	id   int64
	gh   *gh.Client
	gate *governor
}

// For is the client of an installation: the same one each time, since it keeps the
// token and counts what was spent.
func (a *App) For(installation int64) *Client {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c := a.clients[installation]; c != nil {
		return c
	}
	gate := newGovernor(a.o.Budget, a.o.Now, a.o.Transport)
	t := ghinstallation.NewFromAppsTransport(a.appTransport(gate), installation)
	c := &Client{app: a, id: installation, gh: a.client(t), gate: gate}
	a.clients[installation] = c
	return c
}

// reader is a client whose token can do nothing but read one repository's contents.
func (c *Client) reader(repository int64) *gh.Client {
	t := ghinstallation.NewFromAppsTransport(c.app.appTransport(c.gate), c.id)
	t.InstallationTokenOptions = &gh.InstallationTokenOptions{
		RepositoryIDs: []int64{repository}, Permissions: &gh.InstallationPermissions{Contents: gh.String("read")},
	}
	return c.app.client(t)
}

// Repo names a repository: by id for the database, by name for the API.
type Repo struct {
	ID          int64
	Owner, Name string
}

// RepoOf takes a full name apart.
func RepoOf(id int64, fullName string) (Repo, error) {
	owner, name, ok := strings.Cut(fullName, "/")
	if !ok || owner == "" || name == "" || strings.Contains(name, "/") {
		return Repo{}, fmt.Errorf("%q is no repository's name", fullName)
	}
	return Repo{id, owner, name}, nil
}
