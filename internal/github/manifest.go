package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	gh "github.com/google/go-github/v60/github"
)

// Manifest describes an App to GitHub, which makes it from that.
type Manifest struct {
	Name               string            `json:"name"`
	URL                string            `json:"url"`
	Description        string            `json:"description"`
	Public             bool              `json:"public"`
	RedirectURL        string            `json:"redirect_url,omitempty"` // where GitHub sends the browser afterwards
	HookAttributes     HookAttributes    `json:"hook_attributes"`
	DefaultPermissions map[string]string `json:"default_permissions"`
	DefaultEvents      []string          `json:"default_events"`
}

// HookAttributes say where webhooks go.
type HookAttributes struct {
	URL    string `json:"url"`
	Active bool   `json:"active"`
}

// longestName is GitHub's limit for an App's name, in characters.
const longestName = 34

// NewManifest is for an odfix that GitHub reaches at the address. commits says
// that it may write to repositories, for the rungs of the ladder that need it.
func NewManifest(name, address string, public, commits bool) (*Manifest, error) {
	u, err := url.Parse(strings.TrimSuffix(address, "/"))
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return nil, fmt.Errorf("%q is not an address that GitHub can send webhooks to: write it like https://odfix.example.com", address)
	case u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("%q has more than a host and a path", address)
	case strings.TrimSpace(name) == "" || len([]rune(name)) > longestName:
		return nil, fmt.Errorf("%q cannot be an App's name: it has 1 to %d characters, and nobody else's App has it", name, longestName)
	}
	m := &Manifest{
		Name: name, URL: u.String(), Public: public, DefaultPermissions: map[string]string{}, DefaultEvents: Subscriptions(),
		Description:    "Finds tests that depend on the order in which they run, and suggests patches that it has proved.",
		HookAttributes: HookAttributes{URL: u.JoinPath("webhook").String(), Active: true},
	}
	for _, n := range Needs() {
		m.DefaultPermissions[n.Name] = n.Level
	}
	if commits {
		m.DefaultPermissions["contents"] = "write"
	}
	return m, nil
}

// Created is an App that GitHub has made. All of it is secret but the first line.
type Created struct {
	ID               int64
	Slug, Page       string
	Key              string // PEM
	WebhookSecret    string
	ClientID, Secret string
}

// Convert takes what GitHub keeps for the code that it gave the browser: once,
// and within an hour. api is where GitHub's API is; empty: github.com's.
func Convert(ctx context.Context, api, code string, transport http.RoundTripper) (*Created, error) {
	c := gh.NewClient(&http.Client{Transport: transport, Timeout: requestTime, CheckRedirect: sameHost})
	c.UserAgent = "odfix"
	if api != "" {
		u, err := url.Parse(strings.TrimSuffix(api, "/") + "/")
		if err != nil || u.Host == "" {
			return nil, fmt.Errorf("%q is not the address of GitHub's API", api)
		}
		c.BaseURL = u
	}
	made, _, err := c.Apps.CompleteAppManifest(ctx, url.PathEscape(code))
	if err != nil {
		return nil, fmt.Errorf("GitHub did not give the App's key: %w", err)
	}
	out := &Created{made.GetID(), made.GetSlug(), made.GetHTMLURL(), made.GetPEM(), made.GetWebhookSecret(), made.GetClientID(), made.GetClientSecret()}
	if out.ID == 0 || out.Key == "" {
		return nil, errors.New("GitHub's answer has no id or no key: make the App again")
	}
	return out, nil
}
