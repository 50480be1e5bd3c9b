package githubtest

import (
	"encoding/base64"
	"fmt"
	"strings"
)

// Account is a user, an organisation or the bot of an App.
type Account struct {
	ID    int64
	Login string
	Type  string // User, Organization or Bot
	Name  string
	Email string

	s       *Server
	members []*Account
}

// AddUser adds a person.
func (s *Server) AddUser(login string) *Account {
	defer s.lock()()
	return s.addAccount(login, "User")
}

// AddOrganization adds an organisation and its members.
func (s *Server) AddOrganization(login string, members ...*Account) *Account {
	defer s.lock()()
	a := s.addAccount(login, "Organization")
	a.members = members
	return a
}

func (s *Server) addAccount(login, kind string) *Account {
	id := s.id("account")
	a := &Account{s: s, ID: id, Login: login, Type: kind, Name: login,
		Email: fmt.Sprintf("%d+%s@users.noreply.github.com", id, login)}
	s.accounts = append(s.accounts, a)
	return a
}

func (s *Server) account(login string) *Account {
	for _, a := range s.accounts {
		if strings.EqualFold(a.Login, login) {
			return a
		}
	}
	return nil
}

func (s *Server) accountByEmail(email string) *Account {
	for _, a := range s.accounts {
		if strings.EqualFold(a.Email, email) {
			return a
		}
	}
	return nil
}

// nodeID is a global identifier in GitHub's older form, such as "MDQ6VXNlcjE=" of a user.
func nodeID(kind string, id int64) string {
	return base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "%03d:%s%d", len(kind), kind, id))
}

// view is the account as other objects show it.
func (a *Account) view() Object {
	if a == nil {
		return nil
	}
	url := a.s.URL + "/users/" + a.Login
	return Object{
		"login": a.Login, "id": a.ID, "node_id": nodeID(a.Type, a.ID),
		"avatar_url":  fmt.Sprintf("%s/avatars/u/%d?v=4", a.s.WebURL, a.ID),
		"gravatar_id": "", "url": url, "html_url": a.page(),
		"followers_url": url + "/followers", "following_url": url + "/following{/other_user}",
		"gists_url": url + "/gists{/gist_id}", "starred_url": url + "/starred{/owner}{/repo}",
		"subscriptions_url": url + "/subscriptions", "organizations_url": url + "/orgs", "repos_url": url + "/repos",
		"events_url": url + "/events{/privacy}", "received_events_url": url + "/received_events",
		"type": a.Type, "site_admin": false,
	}
}

// orNull turns a missing account into JSON's null.
func orNull(o Object) any {
	if o == nil {
		return nil
	}
	return o
}

func (a *Account) page() string {
	if name, bot := strings.CutSuffix(a.Login, "[bot]"); bot {
		return a.s.WebURL + "/apps/" + name
	}
	return a.s.WebURL + "/" + a.Login
}

func (a *Account) organization() Object {
	url := a.s.URL + "/orgs/" + a.Login
	return Object{
		"login": a.Login, "id": a.ID, "node_id": nodeID("Organization", a.ID), "url": url,
		"repos_url": url + "/repos", "events_url": url + "/events", "hooks_url": url + "/hooks", "issues_url": url + "/issues",
		"members_url": url + "/members{/member}", "public_members_url": url + "/public_members{/member}",
		"avatar_url": fmt.Sprintf("%s/avatars/u/%d?v=4", a.s.WebURL, a.ID), "description": "",
	}
}
