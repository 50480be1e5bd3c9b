package github

import "slices"

// Need is a permission that odfix asks for.
type Need struct {
	Name  string // in GitHub's API
	Title string // on GitHub's pages
	Level string // "read" or "write"
	Why   string // what odfix uses it for
}

// Needs are the permissions of an App for odfix. The documentation, the manifest and `odfix doctor`
// use this list.
func Needs() []Need {
	return []Need{
		{"checks", "Checks", "write", "the check, its progress and its buttons; other Apps' red checks"},
		{"actions", "Actions", "read", "runs, jobs, logs, artifacts"},
		{"statuses", "Commit statuses", "read", "other systems' red statuses"},
		{"pull_requests", "Pull requests", "write", "files, reviews, comments"},
		{"contents", "Contents", "read", "sources, `.odfix.yml`; write only for `stacked-pull-request` and `commit` in the ladder"},
		{"issues", "Issues", "read", "commands in comments"},
	}
}

// Subscriptions are the events that an App for odfix subscribes to. Events about installations need
// no subscription.
func Subscriptions() []string {
	return []string{"workflow_run", "workflow_job", "check_run", "check_suite", "status", "pull_request", "issue_comment", "push"}
}

// Suffices reports whether a granted level, which can be empty, is enough.
func (n Need) Suffices(granted string) bool {
	levels := []string{"", "read", "write", "admin"}
	return slices.Index(levels, granted) >= slices.Index(levels, n.Level)
}
