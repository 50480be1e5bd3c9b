package github

import (
	"context"
	"net/http"
	"time"

	gh "github.com/google/go-github/v60/github"
)

// Standing is the App's registration at GitHub.
type Standing struct {
	Name, Slug  string
	Page        string // address of the App's page
	Permissions map[string]string
	Events      []string
	Hook        HookSettings
	Clock       time.Time // GitHub's time
}

// HookSettings are the App's webhook settings.
type HookSettings struct {
	URL      string
	JSON     bool // the content type is application/json
	Secret   bool // deliveries are signed
	Insecure bool // certificates are not verified
}

// Standing reads the App's registration. It needs only the key.
func (a *App) Standing(ctx context.Context) (*Standing, error) {
	me, resp, err := a.own.Apps.Get(ctx, "")
	if err != nil {
		return nil, err
	}
	hook, _, err := a.own.Apps.GetHookConfig(ctx)
	if err != nil {
		return nil, err
	}
	s := &Standing{
		Name: me.GetName(), Slug: me.GetSlug(), Page: me.GetHTMLURL(), Permissions: granted(me.GetPermissions()), Events: me.Events,
		Hook: HookSettings{URL: hook.GetURL(), JSON: hook.GetContentType() == "json", Secret: hook.GetSecret() != "",
			Insecure: hook.GetInsecureSSL() == "1"},
	}
	s.Clock, _ = http.ParseTime(resp.Header.Get("Date"))
	return s, nil
}

// DeliveryTry is one attempt of GitHub to deliver a webhook.
type DeliveryTry struct {
	Status int // of HTTP; 0: no answer
	Text   string
}

// Deliveries returns at most a hundred attempts since a time, the newest first.
func (a *App) Deliveries(ctx context.Context, since time.Time) ([]DeliveryTry, error) {
	list, _, err := a.own.Apps.ListHookDeliveries(ctx, &gh.ListCursorOptions{PerPage: 100})
	var out []DeliveryTry
	for _, d := range list {
		if !d.GetDeliveredAt().Before(since) {
			out = append(out, DeliveryTry{d.GetStatusCode(), d.GetStatus()})
		}
	}
	return out, err
}
