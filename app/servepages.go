package main

import (
	"cmp"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/odfix/odfix/internal/dashboard"
)

// clientOptions are the flags of `odfix serve` with which people sign in to the overview.
type clientOptions struct {
	id, secretFile, web string

	secret string // from the environment or secretFile
}

func (o *clientOptions) register(f *pflag.FlagSet) {
	f.StringVar(&o.id, "client-id", "", "the App's client `id`, for the sign-in to /installations; without one, that page is off")
	f.StringVar(&o.secretFile, "client-secret-file", "", "`file` with the App's client secret, instead of ODFIX_CLIENT_SECRET")
	f.StringVar(&o.web, "github", "", "`address` of GitHub's pages (default: that of --github-api)")
}

// complete reads the secret. An id and a secret are there together, or neither is.
func (o *clientOptions) complete(getenv func(string) string) error {
	const variable = "ODFIX_CLIENT_SECRET"
	o.secret = getenv(variable)
	if o.secretFile != "" {
		text, err := os.ReadFile(o.secretFile)
		if err != nil {
			return usage("Name a file that can be read.", "--client-secret-file: %v", err)
		}
		o.secret = string(text)
	}
	o.secret = strings.TrimSpace(o.secret)
	switch {
	case o.id != "" && o.secret == "":
		return usage("Set "+variable+" to the one in the App's settings, or name a file with --client-secret-file.",
			"there is a --client-id, and no client secret")
	case o.id == "" && o.secret != "":
		return usage("The App's settings page shows it.", "there is a client secret, and no --client-id")
	}
	return nil
}

// secrets are what no log may hold.
func (o *clientOptions) secrets() []string {
	if o.secret == "" {
		return nil
	}
	return []string{o.secret}
}

// dashboard makes the pages for people.
func (s *server) dashboard(w world) (*dashboard.Dashboard, error) {
	o := s.o.app
	return dashboard.New(dashboard.Options{Store: s.store, Log: s.log.Named("dashboard"), ClientID: o.client.id,
		ClientSecret: o.client.secret, API: o.api, Web: cmp.Or(o.client.web, webOf(o.api)), Now: w.now})
}

// webOf is the address of the pages of the GitHub with this API: https://HOST of https://HOST/api/v3.
func webOf(api string) string {
	u, err := url.Parse(api)
	if err != nil {
		return api
	}
	return u.Scheme + "://" + strings.TrimPrefix(u.Host, "api.")
}
