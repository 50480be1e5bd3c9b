package githubtest

import "fmt"

func (c *call) queries() Object {
	return Object{"__typename": "Query", "viewer": actor(c.actor()),
		"node": lazy(func(args map[string]any) (any, error) {
			id, _ := args["id"].(string)
			if t := c.threadByNode(id); t != nil {
				return c.threadNode(t), nil
			}
			return nil, noNode(id)
		}),
		"repository": lazy(func(args map[string]any) (any, error) {
			owner, _ := args["owner"].(string)
			name, _ := args["name"].(string)
			r := c.s.repository(owner, name)
			if r == nil || !c.by.token.covers(r) {
				return nil, &fieldError{"NOT_FOUND", fmt.Sprintf("Could not resolve to a Repository with the name '%s/%s'.", owner, name)}
			}
			return c.repositoryNode(r), nil
		})}
}

func actor(a *Account) Object { return Object{"__typename": "User", "login": a.Login} }

func (c *call) repositoryNode(r *Repository) Object {
	return Object{"__typename": "Repository", "id": nodeID("Repository", r.ID), "nameWithOwner": r.FullName(),
		"pullRequest": lazy(func(args map[string]any) (any, error) {
			n, _ := integer(args["number"])
			p := r.pull(int64(n))
			if p == nil || !c.by.token.allows("pull_requests:read") {
				return nil, &fieldError{"NOT_FOUND", fmt.Sprintf("Could not resolve to a PullRequest with the number of %d.", n)}
			}
			return Object{"__typename": "PullRequest", "id": nodeID("PullRequest", p.ID), "number": p.Number, "headRefOid": p.headSha,
				"reviewThreads": connection(p.threads, c.threadNode)}, nil
		})}
}

func (c *call) threadNode(t *thread) Object {
	top := t.comments[0]
	v := top.view(c.ctx)
	o := Object{"__typename": "PullRequestReviewThread", "id": t.node(), "isResolved": t.resolved != nil, "isOutdated": v["position"] == nil,
		"resolvedBy": nil, "path": top.spot.path, "line": v["line"], "originalLine": v["original_line"],
		"comments": connection(t.comments, (*InlineComment).node)}
	if t.resolved != nil {
		o["resolvedBy"] = actor(t.resolved)
	}
	return o
}

func (t *thread) node() string { return nodeID("PullRequestReviewThread", t.id) }

func (k *InlineComment) node() Object {
	return minimizable("PullRequestReviewComment", k.id, k.author, k.body, k.minimize)
}

func minimizable(kind string, id int64, by *Account, body, why string) Object {
	o := Object{"__typename": kind, "id": nodeID(kind, id), "databaseId": nil, "fullDatabaseId": itoa(id), "body": body,
		"author": actor(by), "isMinimized": why != "", "minimizedReason": nil}
	if id < 1<<31 { // GraphQL's integers have 32 bits: newer comments have none
		o["databaseId"] = id
	}
	if why != "" {
		o["minimizedReason"] = why
	}
	return o
}

func (c *call) threadByNode(id string) *thread {
	for _, r := range c.s.repos {
		for _, p := range r.pulls {
			for _, t := range p.threads {
				if t.node() == id && c.by.token.covers(r) {
					return t
				}
			}
		}
	}
	return nil
}

func (c *call) mutations() Object {
	resolve := func(by *Account) lazy {
		return func(args map[string]any) (any, error) { return c.resolveThread(input(args), by) }
	}
	return Object{"__typename": "Mutation", "resolveReviewThread": resolve(c.actor()), "unresolveReviewThread": resolve(nil),
		"minimizeComment": lazy(func(args map[string]any) (any, error) {
			in := input(args)
			why, _ := in["classifier"].(string)
			return c.minimize(in, why, "minimizedComment")
		}),
		"unminimizeComment": lazy(func(args map[string]any) (any, error) { return c.minimize(input(args), "", "unminimizedComment") })}
}

func input(args map[string]any) map[string]any {
	in, _ := args["input"].(map[string]any)
	return in
}

// resolveThread resolves a thread, or opens it again where nobody does. An App
// needs the right to write contents for it, not only pull requests.
func (c *call) resolveThread(in map[string]any, by *Account) (any, error) {
	id, _ := in["threadId"].(string)
	t := c.threadByNode(id)
	switch {
	case t == nil:
		return nil, noNode(id)
	case !c.by.token.allows("contents:write") || !c.by.token.allows("pull_requests:write"):
		return nil, errForbidden
	}
	changed := (t.resolved == nil) != (by == nil)
	t.resolved = by
	if changed {
		t.tell(c.actor())
	}
	return Object{"clientMutationId": in["clientMutationId"], "thread": c.threadNode(t)}, nil
}

func (t *thread) tell(by *Account) {
	action := "unresolved"
	if t.resolved != nil {
		action = "resolved"
	}
	r := t.pull.repo
	r.s.emit(r, "pull_request_review_thread", action, by, Object{"pull_request": t.pull.hookView(),
		"thread": Object{"node_id": t.node(), "comments": views(t.comments, (*InlineComment).hookView)}})
}

// minimize folds a comment away, in GitHub's lower-case words for why.
func (c *call) minimize(in map[string]any, why, field string) (any, error) {
	if !c.by.token.allows("pull_requests:write") {
		return nil, errForbidden
	}
	id, _ := in["subjectId"].(string)
	words := map[string]string{"": "", "OFF_TOPIC": "off-topic", "LOW_QUALITY": "low-quality", "OUTDATED": "outdated",
		"RESOLVED": "resolved", "DUPLICATE": "duplicate", "SPAM": "spam", "ABUSE": "abuse"}
	for _, r := range c.s.repos {
		if !c.by.token.covers(r) {
			continue
		}
		for _, k := range r.comments {
			if nodeID("IssueComment", k.ID) == id {
				k.minimize = words[why]
				return Object{"clientMutationId": in["clientMutationId"], field: minimizable("IssueComment", k.ID, k.author, k.body, k.minimize)}, nil
			}
		}
		for _, p := range r.pulls {
			for _, k := range p.inline {
				if nodeID("PullRequestReviewComment", k.id) == id {
					k.minimize = words[why]
					return Object{"clientMutationId": in["clientMutationId"], field: k.node()}, nil
				}
			}
		}
	}
	return nil, noNode(id)
}
