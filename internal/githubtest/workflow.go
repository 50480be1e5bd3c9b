package githubtest

import (
	"context"
	"encoding/json"
	"maps"
	"time"
)

// WorkflowToken is GITHUB_TOKEN of a workflow run in the repository: a token of GitHub Actions for
// this repository, with the permissions that the workflow gives it. A run of a fork's pull request
// can only read.
func (r *Repository) WorkflowToken(permissions map[string]string) string {
	defer r.s.lock()()
	granted := map[string]string{"metadata": "read"}
	maps.Copy(granted, permissions)
	i := &Installation{ID: r.s.id("installation"), Account: r.owner, app: r.s.actions(), granted: granted, created: r.s.now()}
	t := &token{text: tokenText(), installation: i, expires: r.s.now().Add(24 * time.Hour), permissions: granted,
		repositories: []*Repository{r}}
	r.s.tokens[t.text] = t
	return t.text
}

// Event is the payload of an event about the pull request, as a workflow run finds it in
// GITHUB_EVENT_PATH.
func (p *PullRequest) Event(ctx context.Context, action string) ([]byte, error) {
	defer p.repo.s.lock()()
	view, err := p.full(ctx)
	if err != nil {
		return nil, err
	}
	return json.Marshal(Object{"action": action, "number": p.Number, "pull_request": view, "repository": p.repo.hookView(),
		"sender": p.author.view()})
}

// Event is the payload of the workflow_run event about the completed run.
func (run *Run) Event(ctx context.Context) ([]byte, error) {
	defer run.repo.s.lock()()
	return json.Marshal(Object{"action": "completed", "workflow_run": run.view(ctx), "workflow": run.workflow.view(),
		"repository": run.repo.hookView(), "sender": run.pull.author.view()})
}
