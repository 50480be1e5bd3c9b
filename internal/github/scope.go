package github

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/bradleyfalzon/ghinstallation/v2"
	gh "github.com/google/go-github/v60/github"
)

// scope is what one kind of request needs. Each token is for one repository.
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

// readBuild is the scope of one token for the requests that read a red build and its pull request.
// A token that reads contents is not among them, since addresses of archives can hold it.
const readBuild = readActions + " " + readChecks + " " + readPulls

func (s scope) permissions() *gh.InstallationPermissions {
	p := &gh.InstallationPermissions{}
	for one := range strings.FieldsSeq(string(s)) {
		name, level, _ := strings.Cut(one, ":")
		*map[string]**string{"checks": &p.Checks, "actions": &p.Actions, "statuses": &p.Statuses, "pull_requests": &p.PullRequests,
			"contents": &p.Contents, "issues": &p.Issues, "metadata": &p.Metadata}[name] = &level
	}
	return p
}

// scopes holds the clients of an installation, by repository and scope, and their tokens.
type scopes struct {
	mu     sync.Mutex
	all    map[scopeKey]*gh.Client
	tokens map[scopeKey]*ghinstallation.Transport
	// apart: the installation lacks a permission of readBuild, so each scope has a token of its own,
	// until odfix starts again.
	apart atomic.Bool
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
	key := scopeKey{repository: r.ID, scope: s}
	if r.ID == 0 {
		key.name = r.Name
	}
	return c.with(key)
}

// list is a client whose token can list the installation's repositories, and nothing else.
func (c *Client) list() *gh.Client { return c.with(scopeKey{scope: metadata}) }

func (c *Client) with(key scopeKey) *gh.Client {
	c.scopes.mu.Lock()
	defer c.scopes.mu.Unlock()
	if known := c.scopes.all[key]; known != nil {
		return known
	}
	if c.scopes.all == nil || len(c.scopes.all) >= maxScopes {
		c.scopes.all, c.scopes.tokens = map[scopeKey]*gh.Client{}, map[scopeKey]*ghinstallation.Transport{}
	}
	s := scoped{own: c.token(key), of: c, repository: key.repository}
	if slices.Contains(strings.Fields(string(readBuild)), string(key.scope)) {
		build := key
		build.scope = readBuild
		s.build = c.token(build)
	}
	var through http.RoundTripper = s
	if c.app.o.Writes != nil {
		through = recorded{through, c.app.o.Writes, strings.TrimSuffix(c.app.api.Path, "/"), key, c.id}
	}
	c.scopes.all[key] = c.app.client(through)
	return c.scopes.all[key]
}

// token adds a token to requests. It asks for the token when the first request needs it.
func (c *Client) token(key scopeKey) *ghinstallation.Transport {
	if known := c.scopes.tokens[key]; known != nil {
		return known
	}
	t := ghinstallation.NewFromAppsTransport(c.app.appTransport(c.gate), c.id)
	o := &gh.InstallationTokenOptions{Permissions: key.scope.permissions()}
	switch {
	case key.repository != 0:
		o.RepositoryIDs = []int64{key.repository}
	case key.name != "":
		o.Repositories = []string{key.name}
	}
	t.InstallationTokenOptions = o
	c.scopes.tokens[key] = t
	return t
}

// scoped sends the requests that the guard lets through. It answers a request whose token is
// refused as GitHub answers a token without the permission or the repository.
type scoped struct {
	own        *ghinstallation.Transport
	build      *ghinstallation.Transport // that of readBuild, if it covers the scope
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
	token := s.own
	if s.build != nil && !s.of.scopes.apart.Load() {
		token = s.build
	}
	answer, err := token.RoundTrip(r)
	why, refused := refusal(err)
	if refused && token == s.build && !aboutRepository(why) {
		s.of.scopes.apart.Store(true)
		answer, err = s.own.RoundTrip(r) // it reads, and so has no body
		why, refused = refusal(err)
	}
	if !refused {
		return answer, err
	}
	status, text := http.StatusForbidden, `{"message":"Resource not accessible by integration"}`
	if aboutRepository(why) {
		status, text = http.StatusNotFound, `{"message":"Not Found"}`
	}
	return &http.Response{Status: http.StatusText(status), StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}}, ContentLength: int64(len(text)),
		Body: io.NopCloser(strings.NewReader(text)), Request: r}, nil
}

// refusal is why GitHub makes no token with these permissions for this repository, if that is the
// error.
func refusal(err error) (why []byte, refused bool) {
	var e *ghinstallation.HTTPError
	if !errors.As(err, &e) || e.Response == nil {
		return nil, false
	}
	defer e.Response.Body.Close()
	why, _ = io.ReadAll(io.LimitReader(e.Response.Body, 4096))
	return why, e.Response.StatusCode == http.StatusUnprocessableEntity
}

func aboutRepository(why []byte) bool { return bytes.Contains(why, []byte("repositor")) }
