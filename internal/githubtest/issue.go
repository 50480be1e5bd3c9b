package githubtest

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

var issueTable = []entry{
	{"issues/list-for-repo", onRepository, "issues:read", (*call).listIssues},
	{"issues/create", onRepository, "issues:write", (*call).createIssue},
	{"issues/update", onRepository, "issues:write", with((*call).issue, (*call).updateIssue)},
}

// Issue is an issue that is no pull request.
type Issue struct {
	Number  int
	Title   string
	Body    string
	Open    bool
	repo    *Repository
	author  *Account
	app     *App
	labels  []string
	created time.Time
	updated time.Time
	closed  time.Time
}

// firstIssue is the number before that of the first issue: the numbers of pull requests are lower.
const firstIssue = 1000

// Issues are the issues of the repository, oldest first, as they are now.
func (r *Repository) Issues() []Issue {
	defer r.s.lock()()
	var out []Issue
	for _, i := range r.issues {
		out = append(out, *i)
	}
	return out
}

func (i *Issue) view() Object {
	url := fmt.Sprintf("%s/issues/%d", i.repo.api(), i.Number)
	state := "open"
	if !i.Open {
		state = "closed"
	}
	var app any
	if i.app != nil {
		app = i.app.view()
	}
	return Object{
		"url": url, "repository_url": i.repo.api(), "labels_url": url + "/labels{/name}", "comments_url": url + "/comments",
		"events_url": url + "/events", "html_url": fmt.Sprintf("%s/issues/%d", i.repo.page(), i.Number), "id": 2_000_000 + i.Number,
		"node_id": nodeID("Issue", int64(i.Number)), "number": i.Number, "title": i.Title, "user": i.author.view(),
		"labels": i.repo.labels(i.labels), "state": state, "locked": false, "assignee": nil, "assignees": []Object{}, "milestone": nil, "comments": 0,
		"created_at": stamp(i.created), "updated_at": stamp(i.updated), "closed_at": stampOrNull(i.closed),
		"author_association": i.repo.association(i.author), "active_lock_reason": nil, "body": textOrNull(i.Body),
		"reactions": reactionCounts(url, nil), "timeline_url": url + "/timeline", "performed_via_github_app": app, "state_reason": nil,
	}
}

// labels are labels as issues and pull requests show them.
func (r *Repository) labels(names []string) []Object {
	out := []Object{}
	for n, l := range names {
		out = append(out, Object{"id": n + 1, "node_id": nodeID("Label", int64(n+1)), "url": r.api() + "/labels/" + l, "name": l,
			"color": "ededed", "default": false, "description": nil})
	}
	return out
}

// issue finds the issue of the path.
func (c *call) issue() (*Issue, error) {
	for _, i := range c.repo.issues {
		if int64(i.Number) == c.number("issue_number") {
			return i, nil
		}
	}
	return nil, notFound()
}

// listIssues lists issues, the newest first: those of the query's state and label.
func (c *call) listIssues() (answer, error) {
	q := c.r.URL.Query()
	all := slices.DeleteFunc(slices.Clone(c.repo.issues), func(i *Issue) bool {
		label := q.Get("labels")
		return label != "" && !slices.Contains(i.labels, label) || q.Get("state") != "all" && i.Open == (q.Get("state") == "closed")
	})
	slices.Reverse(all)
	return list(c, all, (*Issue).view)
}

func (c *call) createIssue() (answer, error) {
	var in struct {
		Title, Body string
		Labels      []string
	}
	c.decode(&in)
	if strings.TrimSpace(in.Title) == "" {
		return answer{}, invalid(Object{"resource": "Issue", "code": "missing_field", "field": "title"})
	}
	if in.Body != "" {
		if err := checkBody("IssueComment", in.Body); err != nil {
			return answer{}, err
		}
	}
	i := &Issue{Number: firstIssue + len(c.repo.issues) + 1, Title: in.Title, Body: in.Body, Open: true, repo: c.repo, author: c.actor(),
		app: c.by.token.installation.app, labels: in.Labels, created: c.s.now(), updated: c.s.now()}
	c.repo.issues = append(c.repo.issues, i)
	return created(i.view()), nil
}

func (c *call) updateIssue(i *Issue) (answer, error) {
	var in struct{ Title, Body, State *string }
	c.decode(&in)
	if in.Body != nil {
		if err := checkBody("IssueComment", *in.Body); err != nil {
			return answer{}, err
		}
		i.Body = *in.Body
	}
	if in.Title != nil {
		i.Title = *in.Title
	}
	i.updated = c.s.now()
	if in.State != nil {
		if i.Open = *in.State == "open"; i.Open {
			i.closed = time.Time{}
		} else {
			i.closed = c.s.now()
		}
	}
	return ok(i.view()), nil
}
