package github

import (
	"net/http"
	"time"

	gh "github.com/google/go-github/v60/github"
)

// WorkflowOptions are for NewWorkflowClient.
type WorkflowOptions struct {
	Token string // GITHUB_TOKEN
	// API is the address of GitHub's API; empty: github.com's.
	API string
	// Transport sends the requests; nil: http.DefaultTransport.
	Transport http.RoundTripper
	Now       func() time.Time // nil: time.Now
}

// NewWorkflowClient returns a client with the token of a workflow run of GitHub Actions. Its comments
// and checks are those of github-actions[bot]. The token is for one repository, and has the
// permissions that the workflow gives it; GitHub refuses what they do not allow.
func NewWorkflowClient(o WorkflowOptions) (*Client, error) {
	a, err := newApp(AppOptions{API: o.API, Transport: o.Transport, Now: o.Now})
	if err != nil {
		return nil, err
	}
	a.slug = actionsApp
	gate := newGovernor(a.o.Budget, a.o.Now, a.o.Transport)
	return &Client{app: a, gate: gate, fixed: a.client(bearer{o.Token, gate})}, nil
}

// bearer sends a token with each request. The client follows no redirect to another host.
type bearer struct {
	token   string
	through http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return b.through.RoundTrip(r)
}

// own reports whether a check run is of the client's App.
func (c *Client) own(a *gh.App) bool {
	if c.fixed != nil { // on GitHub Enterprise Server, the App of Actions has another id
		return a.GetSlug() == actionsApp
	}
	return a.GetID() == c.app.o.ID
}
