package githubtest

import (
	"cmp"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

var appTable = []entry{
	{"apps/create-from-manifest", anyone, "", (*call).convertManifest},
	{"apps/get-authenticated", asApp, "", (*call).getApp},
	{"apps/get-webhook-config-for-app", asApp, "", (*call).hookConfig},
	{"apps/list-webhook-deliveries", asApp, "", (*call).listDeliveries},
	{"apps/redeliver-webhook-delivery", asApp, "", (*call).redeliver},
	{"apps/list-installations", asApp, "", (*call).listInstallations},
	{"apps/create-installation-access-token", asApp, "", with((*call).installation, (*call).createToken)},
	{"apps/list-repos-accessible-to-installation", asInstall, "", (*call).listInstalledRepositories},
}

// AppSpec describes a GitHub App to be registered.
type AppSpec struct {
	Name        string
	WebhookURL  string
	CallbackURL string // where GitHub sends the browser of a person who has signed in
	Secret      string
	Permissions map[string]string // such as {"checks": "write"}; metadata: read is added
	Events      []string          // such as "workflow_run"
}

// App is a registered GitHub App.
type App struct {
	ID            int64
	Slug          string
	Name          string
	ClientID      string
	ClientSecret  string
	WebhookURL    string
	CallbackURL   string
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
	wake          chan struct{} // nil: the App has no webhook
}

// key is the key of all Apps of a process: making one takes up to a second.
var key = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })

// AddApp registers an App and starts sending its webhooks.
func (s *Server) AddApp(spec AppSpec) (*App, error) {
	defer s.lock()()
	return s.addApp(spec)
}

func (s *Server) addApp(spec AppSpec) (*App, error) {
	key, err := key()
	if err != nil {
		return nil, err
	}
	slug := strings.ToLower(strings.ReplaceAll(spec.Name, " ", "-"))
	permissions := map[string]string{"metadata": "read"}
	maps.Copy(permissions, spec.Permissions)
	a := &App{s: s, ID: s.id("app"), Slug: slug, Name: spec.Name, ClientID: "Iv23li" + randomHex(7), ClientSecret: randomHex(20),
		WebhookURL: spec.WebhookURL, WebhookSecret: spec.Secret, CallbackURL: spec.CallbackURL, Key: key, owner: s.addAccount(slug+"-owner", "User"),
		permissions: permissions,
		events:      slices.Clone(spec.Events), created: s.now(), wake: make(chan struct{}, 1), Bot: s.addAccount(slug+"[bot]", "Bot")}
	s.apps = append(s.apps, a)
	for range max(s.config.Senders, 1) {
		s.running.Go(a.send)
	}
	return a, nil
}

// addActions registers GitHub Actions, the App that the checks of CI's jobs belong to.
func (s *Server) addActions() {
	defer s.lock()()
	a := &App{s: s, ID: 15368, Slug: "github-actions", Name: "GitHub Actions", owner: s.addAccount("github", "Organization"),
		permissions: map[string]string{"metadata": "read", "checks": "write", "actions": "write"}, created: s.now()}
	a.Bot = s.addAccount("github-actions[bot]", "Bot")
	s.apps = append(s.apps, a)
}

func (s *Server) actions() *App { return s.apps[0] }

// PEM is the App's private key as GitHub offers it for download.
func (a *App) PEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(a.Key)})
}

// SetWebhookURL changes the address that webhooks are sent to.
func (a *App) SetWebhookURL(url string) {
	defer a.s.lock()()
	a.WebhookURL = url
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

func (c *call) getApp() (answer, error) {
	o := c.by.app.view()
	o["installations_count"], o["client_id"] = len(c.by.app.installations), c.by.app.ClientID
	return ok(o), nil
}

func (c *call) hookConfig() (answer, error) {
	return ok(Object{"url": c.by.app.WebhookURL, "content_type": "json", "insecure_ssl": "0", "secret": "********"}), nil
}

// Installation is an App on the repositories of an account.
type Installation struct {
	ID      int64
	Account *Account

	app       *App
	granted   map[string]string
	created   time.Time
	suspended time.Time
	left      []*Repository
}

// Install installs the App on all repositories of an account.
func (a *App) Install(account *Account) *Installation {
	defer a.s.lock()()
	i := &Installation{ID: a.s.id("installation"), Account: account, app: a, granted: maps.Clone(a.permissions), created: a.s.now()}
	a.installations = append(a.installations, i)
	i.emit("created")
	return i
}

// SetPermissions changes what the account's owner grants.
func (i *Installation) SetPermissions(permissions map[string]string) {
	defer i.app.s.lock()()
	i.granted = map[string]string{"metadata": "read"}
	maps.Copy(i.granted, permissions)
	i.emit("new_permissions_accepted")
}

// Suspend suspends the installation: its requests are refused, and it receives no webhooks.
func (i *Installation) Suspend() {
	defer i.app.s.lock()()
	i.suspended = i.app.s.now()
	i.emit("suspend")
}

// Leave removes a repository from the installation, without a webhook.
func (i *Installation) Leave(r *Repository) {
	defer i.app.s.lock()()
	i.left = append(i.left, r)
}

func (i *Installation) covers(r *Repository) bool {
	return r.owner == i.Account && !slices.Contains(i.left, r)
}

// repositories are those that the installation reaches.
func (i *Installation) repositories() []*Repository {
	return slices.DeleteFunc(slices.Clone(i.app.s.repos), func(r *Repository) bool { return !i.covers(r) })
}

func (i *Installation) view() Object {
	url := fmt.Sprintf("%s/app/installations/%d", i.app.s.URL, i.ID)
	var suspendedBy any
	if !i.suspended.IsZero() {
		suspendedBy = i.Account.view()
	}
	return Object{
		"id": i.ID, "account": i.Account.view(), "repository_selection": "all", "access_tokens_url": url + "/access_tokens",
		"repositories_url": i.app.s.URL + "/installation/repositories",
		"html_url":         fmt.Sprintf("%s/settings/installations/%d", i.app.s.WebURL, i.ID),
		"app_id":           i.app.ID, "app_slug": i.app.Slug, "target_id": i.Account.ID, "target_type": i.Account.Type,
		"permissions": i.granted, "events": append([]string{}, i.app.events...), "created_at": stamp(i.created),
		"updated_at":       stamp(i.created),
		"single_file_name": nil, "has_multiple_single_files": false, "single_file_paths": []string{},
		"suspended_by": suspendedBy, "suspended_at": stampOrNull(i.suspended),
	}
}

func (c *call) listInstallations() (answer, error) {
	return list(c, c.by.app.installations, (*Installation).view)
}

// installation finds the App's installation of the path.
func (c *call) installation() (*Installation, error) {
	for _, i := range c.by.app.installations {
		if i.ID == c.number("installation_id") {
			return i, nil
		}
	}
	return nil, notFound()
}

// createToken makes an installation access token for the requested repositories and permissions.
func (c *call) createToken(i *Installation) (answer, error) {
	var in struct {
		RepositoryIDs []int64           `json:"repository_ids"`
		Repositories  []string          `json:"repositories"`
		Permissions   map[string]string `json:"permissions"`
	}
	c.decode(&in)
	if !i.suspended.IsZero() {
		return answer{}, refuse(http.StatusForbidden, "This installation has been suspended")
	}
	t := &token{text: tokenText(), installation: i, expires: c.s.now().Add(time.Hour), permissions: maps.Clone(i.granted)}
	if len(in.Permissions) > 0 {
		t.permissions = map[string]string{"metadata": "read"}
	}
	for name, level := range in.Permissions {
		if rank(level) > rank(i.granted[name]) {
			return answer{}, refuse(http.StatusUnprocessableEntity, "The permissions requested are not granted to this installation.")
		}
		t.permissions[name] = level
	}
	o := Object{"token": t.text, "expires_at": stamp(t.expires), "permissions": t.permissions, "repository_selection": "all"}
	wanted := len(in.RepositoryIDs) + len(in.Repositories)
	if wanted > 0 {
		t.repositories = slices.DeleteFunc(i.repositories(), func(r *Repository) bool {
			return !slices.Contains(in.RepositoryIDs, r.ID) && !slices.Contains(in.Repositories, r.Name)
		})
		o["repository_selection"], o["repositories"] = "selected", views(t.repositories, (*Repository).full)
	}
	if len(t.repositories) < wanted {
		return answer{}, refuse(http.StatusUnprocessableEntity,
			"There is at least one repository that does not exist or is not accessible to the parent installation.")
	}
	c.s.tokens[t.text] = t
	return created(o), nil
}

func (c *call) listInstalledRepositories() (answer, error) {
	all := slices.DeleteFunc(c.by.token.installation.repositories(), func(r *Repository) bool { return !c.by.token.covers(r) })
	a, err := counted(c, "repositories", all, (*Repository).full)
	a.body.(Object)["repository_selection"] = "all"
	return a, err
}

// number is an id or a number in the path. The router accepts only digits. A number that is too
// long becomes the largest int64, which no object has.
func (c *call) number(param string) int64 {
	n, _ := strconv.ParseInt(c.params[param], 10, 64)
	return n
}

// manifest is an App that a person agreed to create, and that is not created yet.
type manifest struct {
	spec    AppSpec
	expires time.Time
}

// ManifestCode is the code that GitHub gives to the browser when a person has agreed to create an
// App from a manifest. It works once, within an hour.
func (s *Server) ManifestCode(spec AppSpec) string {
	defer s.lock()()
	code := randomHex(20)
	s.manifests[code] = &manifest{spec: spec, expires: s.now().Add(time.Hour)}
	return code
}

func (c *call) convertManifest() (answer, error) {
	m := c.s.manifests[c.params["code"]]
	if m == nil || !c.s.now().Before(m.expires) {
		return answer{}, notFound()
	}
	delete(c.s.manifests, c.params["code"])
	m.spec.Secret = cmp.Or(m.spec.Secret, randomHex(20))
	a, err := c.s.addApp(m.spec)
	if err != nil {
		return answer{}, err
	}
	o := a.view()
	o["client_id"], o["client_secret"], o["webhook_secret"], o["pem"] = a.ClientID, a.ClientSecret, a.WebhookSecret, string(a.PEM())
	return created(o), nil
}
