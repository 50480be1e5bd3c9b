package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// Manifest is the description from which GitHub makes an App.
type Manifest struct {
	Name               string            `json:"name"`
	URL                string            `json:"url"`
	Description        string            `json:"description"`
	Public             bool              `json:"public"`
	RedirectURL        string            `json:"redirect_url,omitempty"` // the browser's next page
	CallbackURLs       []string          `json:"callback_urls"`          // where people return who have signed in
	HookAttributes     HookAttributes    `json:"hook_attributes"`
	DefaultPermissions map[string]string `json:"default_permissions"`
	DefaultEvents      []string          `json:"default_events"`
}

// HookAttributes are the webhook settings.
type HookAttributes struct {
	URL    string `json:"url"`
	Active bool   `json:"active"`
}

// longestName is GitHub's limit for an App's name, in characters.
const longestName = 34

// NewManifest describes an App for an odfix at an address. commits asks for the permission to write
// to repositories, which some rungs of the ladder need.
func NewManifest(name, address string, public, commits bool) (*Manifest, error) {
	u, err := url.Parse(strings.TrimSuffix(address, "/"))
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return nil, fmt.Errorf("%q is not an address that GitHub can send webhooks to: write it like https://odfix.example.com", address)
	case u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("%q has a query or a fragment: give only a host and a path", address)
	case strings.TrimSpace(name) == "" || len([]rune(name)) > longestName:
		return nil, fmt.Errorf("%q cannot be an App's name: use 1 to %d characters, and a name that no other App has", name, longestName)
	}
	m := &Manifest{
		Name: name, URL: u.String(), Public: public, DefaultPermissions: map[string]string{}, DefaultEvents: Subscriptions(),
		Description:    "Finds tests that depend on the order in which they run, and suggests patches that it has proved.",
		HookAttributes: HookAttributes{URL: u.JoinPath("webhook").String(), Active: true},
		CallbackURLs:   []string{u.JoinPath("login", "callback").String()},
	}
	for _, n := range Needs() {
		m.DefaultPermissions[n.Name] = n.Level
	}
	if commits {
		m.DefaultPermissions["contents"] = "write"
	}
	return m, nil
}

// Created is an App that GitHub has made. Everything except the first line is secret.
type Created struct {
	ID            int64
	Slug, Page    string
	Key           string // PEM
	WebhookSecret string
	ClientID      string
	ClientSecret  string
}

// Convert exchanges the code that GitHub gave to the browser for the App. That works once, within
// an hour. api is the address of GitHub's API; empty: github.com's.
func Convert(ctx context.Context, api, code string, transport http.RoundTripper) (*Created, error) {
	c := newREST(transport)
	if api != "" {
		u, err := url.Parse(strings.TrimSuffix(api, "/") + "/")
		if err != nil || u.Host == "" {
			return nil, fmt.Errorf("%q is not the address of GitHub's API", api)
		}
		c.BaseURL = u
	}
	made, _, err := c.Apps.CompleteAppManifest(ctx, url.PathEscape(code))
	if err != nil {
		return nil, fmt.Errorf("GitHub did not return the App's key: %w", err)
	}
	out := &Created{made.GetID(), made.GetSlug(), made.GetHTMLURL(), made.GetPEM(), made.GetWebhookSecret(),
		made.GetClientID(), made.GetClientSecret()}
	if out.ID == 0 || out.Key == "" {
		return nil, errors.New("GitHub's answer has no id or no key: make the App again")
	}
	return out, nil
}
