package githubtest

import (
	"crypto/rand"
	"crypto/rsa"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"time"
)

var appTable = []entry{
	{"meta/root", anyone, "", (*call).root},
	{"rate-limit/get", anyone, "", (*call).rateLimit},
	{"users/get-by-username", anyone, "", (*call).user},
	{"apps/create-from-manifest", anyone, "", (*call).convertManifest},
	{"apps/get-authenticated", asApp, "", (*call).getApp},
	{"apps/get-webhook-config-for-app", asApp, "", (*call).hookConfig},
	{"apps/update-webhook-config-for-app", asApp, "", (*call).setHookConfig},
	{"apps/list-webhook-deliveries", asApp, "", (*call).listDeliveries},
	{"apps/get-webhook-delivery", asApp, "", (*call).getDelivery},
	{"apps/redeliver-webhook-delivery", asApp, "", (*call).redeliver},
	{"apps/list-installations", asApp, "", (*call).listInstallations},
	{"apps/get-installation", asApp, "", withInstallation((*call).getInstallation)},
	{"apps/delete-installation", asApp, "", withInstallation((*call).deleteInstallation)},
	{"apps/suspend-installation", asApp, "", withInstallation((*call).suspendInstallation)},
	{"apps/unsuspend-installation", asApp, "", withInstallation((*call).unsuspendInstallation)},
	{"apps/create-installation-access-token", asApp, "", withInstallation((*call).createToken)},
	{"apps/get-org-installation", asApp, "", (*call).accountInstallation},
	{"apps/get-user-installation", asApp, "", (*call).accountInstallation},
	{"apps/get-repo-installation", asApp, "", (*call).repoInstallation},
	{"apps/list-repos-accessible-to-installation", asInstall, "", (*call).listInstalledRepositories},
	{"apps/revoke-installation-access-token", asInstall, "", (*call).revokeToken},
}

func (c *call) root() (answer, error) {
	o := Object{}
	for _, name := range c.end.op.RequiredInAnswer() {
		o[name] = c.s.URL + "/"
	}
	o["rate_limit_url"] = c.s.URL + "/rate_limit"
	return ok(o), nil
}

func (c *call) getApp() (answer, error) {
	o := c.by.app.view()
	o["installations_count"] = len(c.by.app.installations)
	o["client_id"] = c.by.app.ClientID
	return ok(o), nil
}

func (a *App) hook() Object {
	secret := "********"
	return Object{"url": a.WebhookURL, "content_type": "json", "insecure_ssl": "0", "secret": secret}
}

func (c *call) hookConfig() (answer, error) { return ok(c.by.app.hook()), nil }

func (c *call) setHookConfig() (answer, error) {
	var in struct{ URL, Secret *string }
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	if in.URL != nil {
		c.by.app.WebhookURL = *in.URL
	}
	if in.Secret != nil {
		c.by.app.WebhookSecret = *in.Secret
	}
	return ok(c.by.app.hook()), nil
}

func (c *call) listInstallations() (answer, error) {
	return list(c, c.by.app.installations, (*Installation).view)
}

func (c *call) number(param string) int64 {
	n, _ := strconv.ParseInt(c.params[param], 10, 64) // the router let only digits pass; what is too long is nobody's
	return n
}

// withInstallation finds the installation a path names among the App's own.
func withInstallation(do func(*call, *Installation) (answer, error)) func(*call) (answer, error) {
	return func(c *call) (answer, error) {
		for _, i := range c.by.app.installations {
			if i.ID == c.number("installation_id") {
				return do(c, i)
			}
		}
		return answer{}, notFound()
	}
}

func (c *call) getInstallation(i *Installation) (answer, error) { return ok(i.view()), nil }

func (c *call) deleteInstallation(i *Installation) (answer, error) {
	i.uninstall()
	return noContent, nil
}

func (c *call) suspendInstallation(i *Installation) (answer, error) {
	i.suspend(c.s.now())
	return noContent, nil
}

func (c *call) unsuspendInstallation(i *Installation) (answer, error) {
	i.suspend(time.Time{})
	return noContent, nil
}

func (c *call) accountInstallation() (answer, error) {
	login := c.params["org"] + c.params["username"]
	for _, i := range c.by.app.installations {
		if i.Account == c.s.account(login) {
			return ok(i.view()), nil
		}
	}
	return answer{}, notFound()
}

func (c *call) repoInstallation() (answer, error) {
	r := c.s.repository(c.params["owner"], c.params["repo"])
	for _, i := range c.by.app.installations {
		if r != nil && i.covers(r) {
			return ok(i.view()), nil
		}
	}
	return answer{}, notFound()
}

// createToken makes an installation access token, narrowed as asked.
func (c *call) createToken(i *Installation) (answer, error) {
	var in struct {
		Repositories  []string          `json:"repositories"`
		RepositoryIDs []int64           `json:"repository_ids"`
		Permissions   map[string]string `json:"permissions"`
	}
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	if !i.suspended.IsZero() {
		return answer{}, refuse(http.StatusForbidden, "This installation has been suspended")
	}
	t := &token{text: tokenText(), installation: i, expires: c.s.now().Add(time.Hour), permissions: maps.Clone(i.granted)}
	if len(in.Permissions) > 0 {
		t.permissions = map[string]string{"metadata": "read"}
		for name, level := range in.Permissions {
			if rank(level) > rank(i.granted[name]) {
				return answer{}, refuse(http.StatusUnprocessableEntity, "The permissions requested are not granted to this installation.")
			}
			t.permissions[name] = level
		}
	}
	if err := t.narrow(in.Repositories, in.RepositoryIDs); err != nil {
		return answer{}, err
	}
	c.s.tokens[t.text] = t
	return created(t.view(i)), nil
}

func (t *token) narrow(names []string, ids []int64) error {
	for _, r := range t.installation.all() {
		for _, name := range names {
			if name == r.Name {
				t.repositories = append(t.repositories, r)
			}
		}
		for _, id := range ids {
			if id == r.ID {
				t.repositories = append(t.repositories, r)
			}
		}
	}
	if len(t.repositories) < len(names)+len(ids) {
		return refuse(http.StatusUnprocessableEntity, "There is at least one repository that does not exist or is not accessible to the parent installation.")
	}
	return nil
}

func (t *token) view(i *Installation) Object {
	o := Object{"token": t.text, "expires_at": stamp(t.expires), "permissions": t.permissions, "repository_selection": i.selection()}
	if t.repositories != nil {
		o["repository_selection"] = "selected"
		o["repositories"] = views(t.repositories, (*Repository).full)
	}
	return o
}

func (c *call) revokeToken() (answer, error) {
	delete(c.s.tokens, c.by.token.text)
	return noContent, nil
}

func (c *call) listInstalledRepositories() (answer, error) {
	var all []*Repository
	for _, r := range c.by.token.installation.all() {
		if c.by.token.covers(r) {
			all = append(all, r)
		}
	}
	part, header := page(c, all)
	return answer{status: http.StatusOK, header: header, body: Object{"total_count": len(all),
		"repository_selection": c.by.token.installation.selection(), "repositories": views(part, (*Repository).full)}}, nil
}

// manifest is an App that somebody agreed to create and that is not converted yet.
type manifest struct {
	spec    AppSpec
	expires time.Time
}

// ManifestCode is what GitHub sends the browser back with once a person has
// agreed to create an App from a manifest; it can be converted once, within an hour.
func (s *Server) ManifestCode(spec AppSpec) string {
	s.mu.Lock()
	defer s.mu.Unlock()
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
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return answer{}, fmt.Errorf("making a key: %w", err)
	}
	if m.spec.Secret == "" {
		m.spec.Secret = randomHex(20)
	}
	a := c.s.addApp(m.spec, key)
	o := a.view()
	o["client_id"], o["client_secret"], o["webhook_secret"], o["pem"] = a.ClientID, a.ClientSecret, a.WebhookSecret, string(a.PEM())
	return created(o), nil
}
