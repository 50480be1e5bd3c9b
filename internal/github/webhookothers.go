package github

import (
	"errors"
	"strings"
	"time"

	"github.com/odfix/odfix/internal/config"
)

func decodePullRequest(body []byte, e *Event, actions []string) error {
	var p struct {
		payload
		Label struct {
			Name string `json:"name"`
		} `json:"label"`
		PullRequest struct {
			Number int64  `json:"number"`
			State  string `json:"state"`
			Head   struct {
				SHA  string `json:"sha"`
				Ref  string `json:"ref"`
				Repo *struct {
					ID    int64  `json:"id"`
					Owner idOnly `json:"owner"`
				} `json:"repo"` // null: the fork is gone
			} `json:"head"`
			Base struct {
				Ref  string `json:"ref"`
				Repo idOnly `json:"repo"`
			} `json:"base"`
			User        idOnly    `json:"user"`
			Association string    `json:"author_association"`
			UpdatedAt   time.Time `json:"updated_at"`
		} `json:"pull_request"`
	}
	if err := open(body, &p, &p.payload, e, actions); err != nil {
		return err
	}
	r := p.PullRequest
	if r.Number <= 0 || r.Base.Repo.ID != e.Repository.ID {
		return errors.New("it names no pull request of this repository")
	}
	if e.Action == "labeled" && r.Head.Repo != nil && r.Head.Repo.ID == e.Repository.ID {
		return ignored("a label on a pull request that is not from a fork")
	}
	e.PullRequest = &PullRequestEvent{
		Number: r.Number, HeadSHA: r.Head.SHA, HeadRef: r.Head.Ref, BaseRef: r.Base.Ref,
		Open: r.State == "open", Association: r.Association, Updated: r.UpdatedAt, Label: p.Label.Name, Author: r.User.ID,
	}
	if r.Head.Repo != nil {
		e.PullRequest.HeadRepository, e.PullRequest.HeadOwner = r.Head.Repo.ID, r.Head.Repo.Owner.ID
	}
	return needSHA(r.Head.SHA)
}

// decodeComment reads commands of people on pull requests. Their permission is checked later, with
// the API: the payload is not reliable for that.
func decodeComment(body []byte, e *Event, actions []string) error {
	var p struct {
		payload
		Issue struct {
			Number      int64     `json:"number"`
			PullRequest *struct{} `json:"pull_request"`
		} `json:"issue"`
		Comment struct {
			ID   int64  `json:"id"`
			Body string `json:"body"`
			User Sender `json:"user"`
		} `json:"comment"`
	}
	if err := open(body, &p, &p.payload, e, actions); err != nil {
		return err
	}
	command := commandIn(p.Comment.Body)
	switch {
	case p.Issue.PullRequest == nil:
		return ignored("a comment on an issue")
	case p.Comment.User.Type == "Bot":
		return ignored("a bot's comment")
	case command == "":
		return ignored("a comment without a command")
	case p.Issue.Number <= 0 || p.Comment.ID <= 0:
		return errors.New("it names no comment")
	}
	e.Comment = &CommentEvent{ID: p.Comment.ID, Number: p.Issue.Number, Author: p.Comment.User.Login, Command: command}
	return nil
}

// commandIn is the first line that is a command, outside of quotes and code blocks.
func commandIn(body string) string {
	fenced := false
	for line := range strings.Lines(body) {
		line = strings.TrimRight(line, " \t\r\n")
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			fenced = !fenced
		}
		if first, _, _ := strings.Cut(line, " "); !fenced && first == "/odfix" {
			return strings.ToValidUTF8(line[:min(len(line), maxField)], "")
		}
	}
	return ""
}

// mostCommits is the maximal number of commits in a push event.
const mostCommits = 2048

// decodePush reads pushes to branches that can change the configuration.
func decodePush(body []byte, e *Event, actions []string) error {
	type commit struct {
		Added    []string `json:"added"`
		Modified []string `json:"modified"`
		Removed  []string `json:"removed"`
	}
	var p struct {
		payload
		Ref     string   `json:"ref"`
		After   string   `json:"after"`
		Deleted bool     `json:"deleted"`
		Forced  bool     `json:"forced"`
		Commits []commit `json:"commits"`
	}
	if err := open(body, &p, &p.payload, e, actions); err != nil {
		return err
	}
	branch, ok := strings.CutPrefix(p.Ref, "refs/heads/")
	if !ok || p.Deleted {
		return ignored("a push that leaves no branch")
	}
	// If the list can be incomplete, the push counts as one that changes the configuration.
	touched := p.Forced || len(p.Commits) == 0 || len(p.Commits) >= mostCommits
	for _, c := range p.Commits {
		for _, list := range [][]string{c.Added, c.Modified, c.Removed} {
			for _, file := range list {
				touched = touched || file == config.Repository.PathIn() || file == config.GitHubFolder.PathIn() ||
					file == config.Misnamed.PathIn()
			}
		}
	}
	if !touched {
		return ignored("a push that leaves the configuration as it is")
	}
	e.Push = &PushEvent{Branch: branch[:min(len(branch), maxField)], After: p.After}
	return needSHA(p.After)
}

func decodeInstallation(body []byte, e *Event, actions []string) error {
	var p struct {
		payload
		Repositories []Repository `json:"repositories"`
		Added        []Repository `json:"repositories_added"`
		Removed      []Repository `json:"repositories_removed"`
	}
	if err := open(body, &p, &p.payload, e, actions); err != nil {
		return err
	}
	i := p.Installation
	if i.Account.Login == "" {
		return errors.New("it names no account")
	}
	e.Repository = Repository{}
	e.Installed = &InstallationEvent{
		AccountID: i.Account.ID, Account: i.Account.Login, Permissions: i.Permissions, Suspended: i.SuspendedAt != nil, Updated: i.UpdatedAt.Time,
		Added: p.Added, Gone: p.Removed,
	}
	if e.Name == "installation_repositories" {
		return nil
	}
	if e.Action == "deleted" {
		e.Installed.Removed, e.Installed.Gone = true, p.Repositories
	} else {
		e.Installed.Added = p.Repositories
	}
	return nil
}
