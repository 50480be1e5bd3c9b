package main

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/shell"
	"github.com/odfix/odfix/templates"
)

const manifestAbout = `Makes the GitHub App that your odfix serve will be: with the permissions and events it needs, its
webhook address, a webhook secret and a private key.

It prints the address of a page on this machine. Open it, go on at GitHub, and press the button there; key and
secret are then written to odfix-app.pem and odfix-app.env in --out, readable by you alone.

  odfix app manifest --url https://odfix.example.com --organization acme

--print only prints the manifest, for those who make the App themselves.`

// manifestOptions are the flags of `odfix app manifest`.
type manifestOptions struct {
	address, name, organisation string
	web, api, listen, out       string
	public, commits, print      bool
	wait                        time.Duration
}

func appCommand(w world, code *int) *cobra.Command {
	cmd := &cobra.Command{Use: "app", Short: "Create the GitHub App; pause its work", Args: cobra.ArbitraryArgs, RunE: unknownCommand}
	cmd.AddCommand(manifestCommand(w, code), pauseCommand(w, code), resumeCommand(w, code))
	return cmd
}

func manifestCommand(w world, code *int) *cobra.Command {
	var o manifestOptions
	cmd := &cobra.Command{
		Use: "manifest --url ADDRESS [flags]", DisableFlagsInUseLine: true, Short: "Make the GitHub App in three clicks",
		Long: manifestAbout, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			m, err := o.manifest()
			if err != nil {
				return err
			}
			if o.print {
				return printJSON(w, m)
			}
			if err := o.make(cmd.Context(), w, m); err != nil {
				*code = exitError
				complain(w, &job.Error{Message: err.Error(),
					Hint: "Nothing was kept. Run it again."})
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&o.address, "url", "", "`address` at which GitHub will reach odfix serve, without /webhook")
	f.StringVar(&o.name, "name", "odfix", "the App's `name`; no two Apps have the same, and it can be changed at GitHub")
	f.StringVar(&o.organisation, "organization", "", "the `organisation` it will belong to (default: you)")
	f.BoolVar(&o.public, "public", false, "other accounts can install it")
	f.BoolVar(&o.commits, "allow-commits", false, "request write access to repositories, for stacked-pull-request and commit in the ladder")
	f.BoolVar(&o.print, "print", false, "only print the manifest")
	f.StringVar(&o.out, "out", ".", "`folder` for the key and the settings")
	f.StringVar(&o.listen, "listen", "127.0.0.1:0", "`address` of the page")
	f.StringVar(&o.web, "github", "https://github.com", "`address` of GitHub's pages")
	f.StringVar(&o.api, "github-api", "https://api.github.com", "`address` of GitHub's API")
	f.DurationVar(&o.wait, "wait", 30*time.Minute, "`time` to wait for the browser")
	return cmd
}

func printJSON(w world, v any) error {
	e := json.NewEncoder(w.stdout)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

func (o *manifestOptions) manifest() (*github.Manifest, error) {
	if o.address == "" {
		return nil, usage("Give the address at which GitHub will reach odfix serve, such as https://odfix.example.com.",
			"--url is missing")
	}
	m, err := github.NewManifest(o.name, o.address, o.public, o.commits)
	if err != nil {
		return nil, usage("", "%v", err)
	}
	if u, err := url.Parse(o.web); err != nil || u.Host == "" {
		return nil, usage("An enterprise server's is https://HOST.", "--github is %q, which is no address", o.web)
	}
	return m, nil
}

// The files for what GitHub returns. They are never overwritten.
const (
	keyName      = "odfix-app.pem"
	settingsName = "odfix-app.env"
)

// make waits until a person has created the App in a browser.
func (o *manifestOptions) make(ctx context.Context, w world, m *github.Manifest) error {
	for _, name := range []string{keyName, settingsName} {
		if _, err := os.Lstat(filepath.Join(o.out, name)); err == nil {
			return fmt.Errorf("%s is there already: name another folder with --out", filepath.Join(o.out, name))
		}
	}
	listener, err := net.Listen("tcp", o.listen)
	if err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	here := "http://" + listener.Addr().String() + "/"
	m.RedirectURL = here + "made"
	b := &birth{o: o, m: m, state: rand.Text(), done: make(chan *github.Created, 1)}
	server := &http.Server{Handler: b, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 20 * time.Second, IdleTimeout: time.Minute}
	go server.Serve(listener) //nolint:errcheck // it ends with Shutdown
	defer func() {
		last, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = server.Shutdown(last) // the browser gets its last page
	}()
	fmt.Fprintf(w.stderr, "Open %s in a browser. (Ctrl-C gives up.)\n", here)
	ctx, cancel := context.WithTimeout(ctx, o.wait)
	defer cancel()
	select {
	case <-ctx.Done():
		return errors.New("the App was not created before the time ended")
	case made := <-b.done:
		return o.printNext(w, made)
	}
}

func (o *manifestOptions) printNext(w world, made *github.Created) error {
	env := filepath.Join(o.out, settingsName)
	_, err := fmt.Fprintf(w.stdout, "%s is made (%s).\n\n  1  install it:   %s/installations/new\n"+
		"  2  start odfix:  set -a; . %s; odfix serve\n  3  check it:     set -a; . %s; odfix doctor\n",
		made.Slug, made.Page, made.Page, shell.Quote(env), shell.Quote(env))
	return err
}

// birth serves the page on this machine from which the App is created.
type birth struct {
	o     *manifestOptions
	m     *github.Manifest
	state string // shows that the same browser comes back
	done  chan *github.Created
}

func (b *birth) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; form-action 'self' "+b.o.web)
	switch {
	case r.Method != http.MethodGet:
		http.Error(w, "Only GET.", http.StatusMethodNotAllowed)
	case r.URL.Path == "/":
		fmt.Fprint(w, b.form())
	case r.URL.Path == "/made":
		made, err := b.made(r)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, templates.ManifestPage{Problem: err.Error()}.HTML())
			return
		}
		fmt.Fprint(w, templates.ManifestPage{Name: made.Slug, Done: true, Install: made.Page + "/installations/new"}.HTML())
		b.done <- made
	default:
		http.NotFound(w, r)
	}
}

func (b *birth) form() string {
	text, _ := json.Marshal(b.m) // strings only, so it cannot fail
	action := strings.TrimSuffix(b.o.web, "/") + "/settings/apps/new"
	if b.o.organisation != "" {
		action = strings.TrimSuffix(b.o.web, "/") + "/organizations/" + url.PathEscape(b.o.organisation) + "/settings/apps/new"
	}
	p := templates.ManifestPage{Name: b.m.Name, Organisation: b.o.organisation, Hook: b.m.HookAttributes.URL,
		Manifest: string(text), Action: action + "?state=" + url.QueryEscape(b.state)}
	for _, n := range github.Needs() {
		p.Needs = append(p.Needs, templates.ManifestNeed{Title: n.Title, Level: b.m.DefaultPermissions[n.Name], Why: n.Why})
	}
	return p.HTML()
}

// made receives the code that GitHub sends with the browser.
func (b *birth) made(r *http.Request) (*github.Created, error) {
	code, state := r.URL.Query().Get("code"), r.URL.Query().Get("state")
	if subtle.ConstantTimeCompare([]byte(state), []byte(b.state)) != 1 || code == "" {
		return nil, errors.New("this does not come from the page that was opened here: begin there again")
	}
	made, err := github.Convert(r.Context(), b.o.api, code, http.DefaultTransport)
	if err != nil {
		return nil, err
	}
	return made, b.o.keep(made)
}

// keep writes the key and the secrets, which GitHub sends only once.
func (o *manifestOptions) keep(made *github.Created) error {
	key, err := filepath.Abs(filepath.Join(o.out, keyName))
	if err != nil {
		return err
	}
	if err := secretFile(key, made.Key); err != nil {
		return err
	}
	settings := fmt.Sprintf("ODFIX_APP_ID=%d\nODFIX_PRIVATE_KEY_FILE=%s\nODFIX_WEBHOOK_SECRET=%s\nODFIX_URL=%s\n",
		made.ID, shell.Quote(key), shell.Quote(made.WebhookSecret), shell.Quote(o.address))
	if made.ClientID != "" && made.ClientSecret != "" {
		settings += fmt.Sprintf("ODFIX_CLIENT_ID=%s\nODFIX_CLIENT_SECRET=%s\n", shell.Quote(made.ClientID), shell.Quote(made.ClientSecret))
	}
	if o.api != "https://api.github.com" {
		settings += "ODFIX_GITHUB_API=" + shell.Quote(o.api) + "\n"
	}
	return secretFile(filepath.Join(o.out, settingsName), settings)
}

// secretFile creates a file that only its owner can read. It never overwrites a file.
func secretFile(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
