package github

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/bradleyfalzon/ghinstallation/v2"
	gh "github.com/google/go-github/v60/github"
)

// scope is what one kind of request needs. Each token has one scope, and is for one repository.
type scope string

// The scopes: a permission of Needs, and a level.
const (
	readChecks    scope = "checks:read"
	writeChecks   scope = "checks:write"
	readActions   scope = "actions:read"
	readStatuses  scope = "statuses:read"
	readPulls     scope = "pull_requests:read"
	writePulls    scope = "pull_requests:write" // also comments on pull requests
	readContents  scope = "contents:read"
	writeContents scope = "contents:write"
	readIssues    scope = "issues:read"
	writeIssues   scope = "issues:write"
	metadata      scope = "metadata:read" // roles of people
)

func (s scope) permissions() *gh.InstallationPermissions {
	name, level, _ := strings.Cut(string(s), ":")
	p := &gh.InstallationPermissions{}
	*map[string]**string{"checks": &p.Checks, "actions": &p.Actions, "statuses": &p.Statuses, "pull_requests": &p.PullRequests,
		"contents": &p.Contents, "issues": &p.Issues, "metadata": &p.Metadata}[name] = &level
	return p
}

// scopes holds the clients of an installation, by repository and scope. Each client keeps its
// token.
type scopes struct {
	mu  sync.Mutex
	all map[scopeKey]*gh.Client
}

type scopeKey struct {
	repository int64
	name       string // if the repository's id is not known
	scope      scope
}

// maxScopes bounds the clients that are kept. Clients that are dropped are made again.
const maxScopes = 4000

// on is a client whose token is for one repository and one scope.
func (c *Client) on(r Repo, s scope) *gh.Client {
	if c.fixed != nil {
		return c.fixed
	}
	o := &gh.InstallationTokenOptions{Permissions: s.permissions()}
	key := scopeKey{repository: r.ID, scope: s}
	if r.ID != 0 {
		o.RepositoryIDs = []int64{r.ID}
	} else {
		key.name, o.Repositories = r.Name, []string{r.Name}
	}
	return c.with(key, o)
}

// list is a client whose token can list the installation's repositories, and nothing else.
func (c *Client) list() *gh.Client {
	return c.with(scopeKey{scope: metadata}, &gh.InstallationTokenOptions{Permissions: metadata.permissions()})
}

func (c *Client) with(key scopeKey, o *gh.InstallationTokenOptions) *gh.Client {
	c.scopes.mu.Lock()
	defer c.scopes.mu.Unlock()
	if known := c.scopes.all[key]; known != nil {
		return known
	}
	t := ghinstallation.NewFromAppsTransport(c.app.appTransport(c.gate), c.id)
	t.InstallationTokenOptions = o
	if c.scopes.all == nil || len(c.scopes.all) >= maxScopes {
		c.scopes.all = map[scopeKey]*gh.Client{}
	}
	var through http.RoundTripper = scoped{t, c, key.repository}
	if c.app.o.Writes != nil {
		through = recorded{through, c.app.o.Writes, strings.TrimSuffix(c.app.api.Path, "/"), key, c.id}
	}
	c.scopes.all[key] = c.app.client(through)
	return c.scopes.all[key]
}

// scoped sends the requests that the guard lets through. It answers a request whose token is
// refused as GitHub answers a token without the permission or the repository.
type scoped struct {
	through    *ghinstallation.Transport
	of         *Client
	repository int64
}

// RoundTrip implements http.RoundTripper.
func (s scoped) RoundTrip(r *http.Request) (*http.Response, error) {
	if guard := s.of.app.guard; guard != nil {
		if err := guard(r.Context(), s.of.id, s.repository); err != nil {
			closeBody(r)
			return nil, err
		}
	}
	answer, err := s.through.RoundTrip(r)
	var refused *ghinstallation.HTTPError
	if err == nil || !errors.As(err, &refused) || refused.Response == nil {
		return answer, err
	}
	defer refused.Response.Body.Close()
	if refused.Response.StatusCode != http.StatusUnprocessableEntity {
		return nil, err
	}
	why, _ := io.ReadAll(io.LimitReader(refused.Response.Body, 4096))
	status, text := http.StatusForbidden, `{"message":"Resource not accessible by integration"}`
	if bytes.Contains(why, []byte("repositor")) {
		status, text = http.StatusNotFound, `{"message":"Not Found"}`
	}
	return &http.Response{Status: http.StatusText(status), StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}}, ContentLength: int64(len(text)),
		Body: io.NopCloser(strings.NewReader(text)), Request: r}, nil
}
