package githubtest

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// AppSpec describes a GitHub App to be registered.
type AppSpec struct {
	Name        string
	Owner       *Account
	WebhookURL  string
	Secret      string
	Permissions map[string]string // such as {"checks": "write"}; metadata: read is added
	Events      []string          // such as "workflow_run"
	Key         *rsa.PrivateKey   // nil: a new one
}

// App is a registered GitHub App.
type App struct {
	ID            int64
	Slug          string
	Name          string
	ClientID      string
	ClientSecret  string
	WebhookURL    string
	WebhookSecret string
	Key           *rsa.PrivateKey // GitHub keeps only the public half
	Bot           *Account

	s             *Server
	owner         *Account
	permissions   map[string]string
	events        []string
	created       time.Time
	installations []*Installation
	deliveries    []*Delivery
	queue         []*Delivery
	held          bool
	sending       int
	wake          chan struct{}
}

// AddApp registers an App and starts sending its webhooks.
func (s *Server) AddApp(spec AppSpec) (*App, error) {
	key := spec.Key
	if key == nil {
		var err error
		if key, err = rsa.GenerateKey(rand.Reader, 2048); err != nil { // the size of GitHub's
			return nil, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.addApp(spec, key), nil
}

func (s *Server) addApp(spec AppSpec, key *rsa.PrivateKey) *App {
	slug := strings.ToLower(strings.ReplaceAll(spec.Name, " ", "-"))
	owner := spec.Owner
	if owner == nil {
		if owner = s.account(slug + "-owner"); owner == nil {
			owner = s.addAccount(slug+"-owner", "User")
		}
	}
	permissions := map[string]string{"metadata": "read"}
	maps.Copy(permissions, spec.Permissions)
	a := &App{s: s, ID: s.id("app"), Slug: slug, Name: spec.Name, ClientID: "Iv23li" + randomHex(7), ClientSecret: randomHex(20),
		WebhookURL: spec.WebhookURL, WebhookSecret: spec.Secret, Key: key, owner: owner, permissions: permissions,
		events: slices.Clone(spec.Events), created: s.now(), wake: make(chan struct{}, 1)}
	a.Bot = s.addAccount(slug+"[bot]", "Bot")
	s.apps = append(s.apps, a)
	s.done.Add(1)
	go a.send()
	return a
}

// addActions registers GitHub Actions, the App whose checks CI's jobs are.
func (s *Server) addActions() {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := &App{s: s, ID: 15368, Slug: "github-actions", Name: "GitHub Actions", owner: s.addAccount("github", "Organization"),
		permissions: map[string]string{"metadata": "read", "checks": "write", "actions": "write"}, created: s.now()}
	a.Bot = s.addAccount("github-actions[bot]", "Bot")
	s.apps = append(s.apps, a)
}

func (s *Server) actions() *App { return s.apps[0] }

// PEM is the App's private key as GitHub lets it be downloaded.
func (a *App) PEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(a.Key)})
}

// SetWebhookURL says where webhooks go from now on.
func (a *App) SetWebhookURL(url string) {
	a.s.mu.Lock()
	defer a.s.mu.Unlock()
	a.WebhookURL = url
}

// Installation is an App on an account's repositories.
type Installation struct {
	ID      int64
	Account *Account

	app          *App
	repositories []*Repository // nil: all of the account's
	granted      map[string]string
	created      time.Time
	suspended    time.Time
	removed      bool
}

// Install puts the App on an account: on the given repositories, or on all.
func (a *App) Install(account *Account, repositories ...*Repository) *Installation {
	a.s.mu.Lock()
	defer a.s.mu.Unlock()
	i := &Installation{ID: a.s.id("installation"), Account: account, app: a, granted: maps.Clone(a.permissions), created: a.s.now()}
	if len(repositories) > 0 {
		i.repositories = slices.Clone(repositories)
	}
	a.installations = append(a.installations, i)
	i.tell("installation", "created", Object{"repositories": i.briefs(i.all())})
	return i
}

func (i *Installation) permissions() map[string]string {
	if i.removed {
		return nil
	}
	return i.granted
}

func (i *Installation) covers(r *Repository) bool {
	if i.removed || r.owner != i.Account {
		return false
	}
	return i.repositories == nil || slices.Contains(i.repositories, r)
}

// all are the repositories the installation reaches.
func (i *Installation) all() []*Repository {
	var all []*Repository
	for _, r := range i.app.s.repos {
		if i.covers(r) {
			all = append(all, r)
		}
	}
	return all
}

func (i *Installation) briefs(repos []*Repository) []Object {
	return views(repos, func(r *Repository) Object {
		return Object{"id": r.ID, "node_id": nodeID("Repository", r.ID), "name": r.Name, "full_name": r.FullName(), "private": r.Private}
	})
}

// AddRepository adds one to an installation on selected repositories.
func (i *Installation) AddRepository(r *Repository) {
	i.app.s.mu.Lock()
	defer i.app.s.mu.Unlock()
	i.repositories = append(i.repositories, r)
	i.tell("installation_repositories", "added", Object{"repository_selection": i.selection(),
		"repositories_added": i.briefs([]*Repository{r}), "repositories_removed": []Object{}, "requester": nil})
}

// RemoveRepository takes one away again.
func (i *Installation) RemoveRepository(r *Repository) {
	i.app.s.mu.Lock()
	defer i.app.s.mu.Unlock()
	i.repositories = slices.DeleteFunc(i.all(), func(one *Repository) bool { return one == r })
	i.tell("installation_repositories", "removed", Object{"repository_selection": i.selection(),
		"repositories_added": []Object{}, "repositories_removed": i.briefs([]*Repository{r}), "requester": nil})
}

// SetPermissions is what an owner grants: less than the App asks for, or more
// once it asks for more.
func (i *Installation) SetPermissions(permissions map[string]string) {
	i.app.s.mu.Lock()
	defer i.app.s.mu.Unlock()
	i.granted = map[string]string{"metadata": "read"}
	maps.Copy(i.granted, permissions)
	i.tell("installation", "new_permissions_accepted", Object{"repositories": i.briefs(i.all())})
}

// Suspend makes every request of the installation fail; Unsuspend ends that.
func (i *Installation) Suspend() {
	i.app.s.mu.Lock()
	defer i.app.s.mu.Unlock()
	i.suspend(i.app.s.now())
}

// Unsuspend ends a suspension.
func (i *Installation) Unsuspend() {
	i.app.s.mu.Lock()
	defer i.app.s.mu.Unlock()
	i.suspend(time.Time{})
}

func (i *Installation) suspend(at time.Time) {
	i.suspended = at
	action := "suspend"
	if at.IsZero() {
		action = "unsuspend"
	}
	i.tell("installation", action, Object{"repositories": i.briefs(i.all())})
}

// Uninstall removes the App from the account.
func (i *Installation) Uninstall() {
	i.app.s.mu.Lock()
	defer i.app.s.mu.Unlock()
	i.uninstall()
}

func (i *Installation) uninstall() {
	i.tell("installation", "deleted", Object{"repositories": i.briefs(i.all())})
	i.removed = true
	i.app.installations = slices.DeleteFunc(i.app.installations, func(one *Installation) bool { return one == i })
}

func (i *Installation) selection() string {
	if i.repositories == nil {
		return "all"
	}
	return "selected"
}

func (i *Installation) view() Object {
	s := i.app.s
	url := fmt.Sprintf("%s/app/installations/%d", s.URL, i.ID)
	page := fmt.Sprintf("%s/settings/installations/%d", s.WebURL, i.ID)
	if i.Account.Type == "Organization" {
		page = fmt.Sprintf("%s/organizations/%s/settings/installations/%d", s.WebURL, i.Account.Login, i.ID)
	}
	var by any
	if !i.suspended.IsZero() {
		by = i.Account.view()
	}
	return Object{
		"id": i.ID, "account": i.Account.view(), "repository_selection": i.selection(), "access_tokens_url": url + "/access_tokens",
		"repositories_url": s.URL + "/installation/repositories", "html_url": page,
		"app_id": i.app.ID, "app_slug": i.app.Slug, "target_id": i.Account.ID, "target_type": i.Account.Type,
		"permissions": i.granted, "events": append([]string{}, i.app.events...), "created_at": stamp(i.created), "updated_at": stamp(i.created),
		"single_file_name": nil, "has_multiple_single_files": false, "single_file_paths": []string{},
		"suspended_by": by, "suspended_at": stampOrNull(i.suspended),
	}
}

// view is the App as checks and comments show it.
func (a *App) view() Object {
	return Object{
		"id": a.ID, "slug": a.Slug, "node_id": nodeID("Integration", a.ID), "owner": a.owner.view(), "name": a.Name,
		"description": "", "external_url": a.s.WebURL, "html_url": a.s.WebURL + "/apps/" + a.Slug,
		"created_at": stamp(a.created), "updated_at": stamp(a.created),
		"permissions": maps.Clone(a.permissions), "events": append([]string{}, a.events...),
	}
}
