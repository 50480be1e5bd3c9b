package github

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	gh "github.com/google/go-github/v60/github"
)

// User reads what a signed-in person may read. The token is the person's for the App, so GitHub
// answers with nothing else.
type User struct{ c *gh.Client }

// UserInstallation is an installation that a person may see.
type UserInstallation struct {
	ID      int64
	Account string
}

// UserRepository is a repository that a person may read.
type UserRepository struct {
	ID       int64
	FullName string
}

// maxUserPages bounds the pages of a list, of a hundred entries each.
const maxUserPages = 20

// ErrSignedOut means that GitHub does not accept the token any more.
var ErrSignedOut = errors.New("GitHub does not accept the sign-in any more")

// ErrNoAccess means that the person may not see the installation, or that there is none.
var ErrNoAccess = errors.New("there is no such installation that you may see")

// NewUser is a client for one person. api is the address of GitHub's API; empty: github.com's.
func NewUser(api, token string, transport http.RoundTripper) (*User, error) {
	transport = newAnswers(cmp.Or(transport, http.DefaultTransport))
	c := newREST(transport).WithAuthToken(token)
	if api != "" {
		u, err := url.Parse(strings.TrimSuffix(api, "/") + "/")
		if err != nil || u.Host == "" {
			return nil, fmt.Errorf("%q is not the address of GitHub's API", api)
		}
		c.BaseURL = u
	}
	return &User{c}, nil
}

// Installations lists the App's installations that the person may see.
func (u *User) Installations(ctx context.Context) ([]UserInstallation, error) {
	return eachUserPage(func(o *gh.ListOptions) (out []UserInstallation, r *gh.Response, err error) {
		list, r, err := u.c.Apps.ListUserInstallations(ctx, o)
		for _, i := range list {
			out = append(out, UserInstallation{i.GetID(), i.GetAccount().GetLogin()})
		}
		return out, r, err
	})
}

// Repositories lists the repositories of an installation that the person may read.
func (u *User) Repositories(ctx context.Context, installation int64) ([]UserRepository, error) {
	return eachUserPage(func(o *gh.ListOptions) (out []UserRepository, r *gh.Response, err error) {
		list, r, err := u.c.Apps.ListUserRepos(ctx, installation, o)
		if err != nil {
			return nil, r, err
		}
		for _, one := range list.Repositories {
			out = append(out, UserRepository{one.GetID(), one.GetFullName()})
		}
		return out, r, nil
	})
}

func eachUserPage[T any](ask func(*gh.ListOptions) ([]T, *gh.Response, error)) ([]T, error) {
	var out []T
	o := &gh.ListOptions{PerPage: 100}
	for range maxUserPages {
		part, r, err := ask(o)
		var refused *gh.ErrorResponse
		switch {
		case errors.As(err, &refused) && refused.Response.StatusCode == http.StatusUnauthorized:
			return nil, ErrSignedOut
		case errors.As(err, &refused) && (refused.Response.StatusCode == http.StatusNotFound || refused.Response.StatusCode == http.StatusForbidden):
			return nil, ErrNoAccess
		case err != nil:
			return nil, err
		}
		out = append(out, part...)
		if o.Page = r.NextPage; o.Page == 0 {
			return out, nil
		}
	}
	return out, nil
}
