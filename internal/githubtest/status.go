package githubtest

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"
)

// status is a commit status, the older sibling of check runs.
type status struct {
	id          int64
	repo        *Repository
	sha         string
	by          *Account
	state       string
	context     string
	description *string
	target      *string
	at          time.Time
}

func (t *status) view() Object {
	text := func(s *string) any {
		if s == nil {
			return nil
		}
		return *s
	}
	return Object{"url": t.repo.api() + "/statuses/" + t.sha, "avatar_url": t.by.view()["avatar_url"], "id": t.id,
		"node_id": nodeID("Status", t.id), "state": t.state, "description": text(t.description), "target_url": text(t.target),
		"context": t.context, "created_at": stamp(t.at), "updated_at": stamp(t.at), "creator": t.by.view()}
}

// SetStatus sets a commit status, as a CI server outside of GitHub does.
func (r *Repository) SetStatus(ctx context.Context, by *Account, sha, state, name, target string) error {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	if _, err := r.git.ReadCommit(ctx, sha); err != nil {
		return err
	}
	return r.addStatus(ctx, &status{sha: sha, by: by, state: state, context: name, target: &target})
}

func (r *Repository) addStatus(ctx context.Context, t *status) error {
	t.id, t.repo, t.at = r.s.id("status"), r, r.s.now()
	r.statuses = append(r.statuses, t)
	k, err := r.git.ReadCommit(ctx, t.sha)
	if err != nil {
		return err
	}
	refs, err := r.git.Refs(ctx, "refs/heads/")
	if err != nil {
		return err
	}
	branches := []Object{}
	for _, ref := range refs {
		if ref.Sha == t.sha {
			branches = append(branches, Object{"name": strings.TrimPrefix(ref.Name, "refs/heads/"), "protected": false,
				"commit": Object{"sha": ref.Sha, "url": r.api() + "/commits/" + ref.Sha}})
		}
	}
	v, commit := t.view(), r.commitView(k)
	// The schema of this event is older than the time of verification.
	delete(commit["commit"].(Object)["verification"].(Object), "verified_at")
	r.s.emit(r, "status", "", t.by, Object{"id": t.id, "sha": t.sha, "name": r.FullName(), "avatar_url": v["avatar_url"],
		"target_url": v["target_url"], "context": t.context, "description": v["description"], "state": t.state,
		"commit": commit, "branches": branches, "created_at": stamp(t.at), "updated_at": stamp(t.at)})
	return nil
}

func (c *call) createStatus() (answer, error) {
	var in struct {
		State       string
		Context     *string
		Description *string
		TargetURL   *string `json:"target_url"`
	}
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	sha, err := c.repo.git.Resolve(c.ctx, c.params["sha"])
	if err != nil {
		return answer{}, refuse(http.StatusUnprocessableEntity, "No commit found for SHA: "+c.params["sha"])
	}
	if in.Description != nil && len([]rune(*in.Description)) > 140 {
		return answer{}, invalid(custom("Status", "description", "description is too long (maximum is 140 characters)"))
	}
	t := &status{sha: sha, by: c.actor(), state: in.State, context: "default", description: in.Description, target: in.TargetURL}
	if in.Context != nil {
		t.context = *in.Context
	}
	if err := c.repo.addStatus(c.ctx, t); err != nil {
		return answer{}, err
	}
	return created(t.view()), nil
}

// statusesOf are those of a commit, newest first.
func (r *Repository) statusesOf(sha string) []*status {
	var all []*status
	for _, t := range slices.Backward(r.statuses) {
		if t.sha == sha {
			all = append(all, t)
		}
	}
	return all
}

func (c *call) listStatuses() (answer, error) {
	sha, err := c.resolveRef()
	if err != nil {
		return answer{}, err
	}
	return list(c, c.repo.statusesOf(sha), (*status).view)
}

func (c *call) combinedStatus() (answer, error) {
	sha, err := c.resolveRef()
	if err != nil {
		return answer{}, err
	}
	var latest []*status
	for _, t := range c.repo.statusesOf(sha) {
		if !slices.ContainsFunc(latest, func(one *status) bool { return one.context == t.context }) {
			latest = append(latest, t)
		}
	}
	part, header := page(c, latest)
	return answer{status: http.StatusOK, header: header, body: Object{"state": combined(latest), "sha": sha, "total_count": len(latest),
		"statuses": views(part, (*status).view), "repository": c.repo.minimal(), "commit_url": c.repo.api() + "/commits/" + sha,
		"url": c.repo.api() + "/commits/" + sha + "/status"}}, nil
}

func combined(latest []*status) string {
	state := "success"
	if len(latest) == 0 {
		return "pending"
	}
	for _, t := range latest {
		switch t.state {
		case "failure", "error":
			return "failure"
		case "pending":
			state = "pending"
		}
	}
	return state
}
