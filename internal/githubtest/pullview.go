package githubtest

import (
	"context"
	"fmt"
	"maps"
)

func (p *PullRequest) api() string { return fmt.Sprintf("%s/pulls/%d", p.repo.api(), p.Number) }

// simple is a pull request as lists show it.
func (p *PullRequest) simple() Object {
	issue := fmt.Sprintf("%s/issues/%d", p.repo.api(), p.Number)
	link := func(url string) Object { return Object{"href": url} }
	statuses := p.repo.api() + "/statuses/" + p.headSha
	return Object{
		"url": p.api(), "id": p.ID, "node_id": nodeID("PullRequest", p.ID), "html_url": p.URL(), "diff_url": p.URL() + ".diff",
		"patch_url": p.URL() + ".patch", "issue_url": issue, "commits_url": p.api() + "/commits",
		"review_comments_url": p.api() + "/comments", "review_comment_url": p.repo.api() + "/pulls/comments{/number}",
		"comments_url": issue + "/comments", "statuses_url": statuses, "number": p.Number, "state": p.state(), "locked": false,
		"title": p.title, "user": p.author.view(), "body": textOrNull(p.body), "labels": p.repo.labels(p.labels), "milestone": nil,
		"active_lock_reason": nil, "created_at": stamp(p.created), "updated_at": stamp(p.updated), "closed_at": stampOrNull(p.closed),
		"merged_at": nil, "merge_commit_sha": textOrNull(p.mergeSha), "assignee": nil, "assignees": []Object{},
		"requested_reviewers": []Object{}, "requested_teams": []Object{}, "draft": false,
		"head": side(p.head, p.headRef, p.headSha), "base": side(p.repo, p.baseRef, p.baseSha),
		"_links": Object{"self": link(p.api()), "html": link(p.URL()), "issue": link(issue), "comments": link(issue + "/comments"),
			"review_comments": link(p.api() + "/comments"), "review_comment": link(p.repo.api() + "/pulls/comments{/number}"),
			"commits": link(p.api() + "/commits"), "statuses": link(statuses)},
		"author_association": p.repo.association(p.author), "auto_merge": nil,
	}
}

func side(r *Repository, ref, sha string) Object {
	return Object{"label": r.owner.Login + ":" + ref, "ref": ref, "sha": sha, "user": r.owner.view(), "repo": r.settings()}
}

// settings is a repository as the sides of a pull request show it.
func (r *Repository) settings() Object {
	o := r.full()
	maps.Copy(o, Object{"allow_squash_merge": true, "allow_merge_commit": true, "allow_rebase_merge": true, "allow_auto_merge": false,
		"delete_branch_on_merge": false, "allow_update_branch": false, "use_squash_pr_title_as_default": false,
		"squash_merge_commit_message": "COMMIT_MESSAGES", "squash_merge_commit_title": "COMMIT_OR_PR_TITLE",
		"merge_commit_message": "PR_TITLE", "merge_commit_title": "MERGE_MESSAGE", "custom_properties": Object{}})
	return o
}

// full is a pull request as GET /repos/{owner}/{repo}/pulls/{number} and webhooks show it.
func (p *PullRequest) full(ctx context.Context) (Object, error) {
	files, err := p.files(ctx)
	if err != nil {
		return nil, err
	}
	from, err := p.from(ctx)
	if err != nil {
		return nil, err
	}
	commits, err := p.repo.git.Count(ctx, p.headSha, from)
	if err != nil {
		return nil, err
	}
	var added, deleted int
	for _, f := range files {
		added, deleted = added+f.Additions, deleted+f.Deletions
	}
	mergeState := "dirty"
	if p.mergeable {
		mergeState = "clean"
	}
	o := p.simple()
	maps.Copy(o, Object{"merged": false, "mergeable": p.mergeable, "rebaseable": p.mergeable, "mergeable_state": mergeState,
		"merged_by": nil, "comments": len(p.comments), "review_comments": len(p.inline),
		"maintainer_can_modify": p.head != p.repo, "commits": commits, "additions": added, "deletions": deleted,
		"changed_files": len(files)})
	if p.unknown > 0 || p.state() == "closed" {
		o["mergeable"], o["rebaseable"], o["mergeable_state"] = nil, nil, "unknown"
	}
	return o, nil
}

// emit sends an event of the pull request. An error of git is a mismatch.
func (p *PullRequest) emit(ctx context.Context, action string, by *Account, more Object) {
	full, err := p.full(ctx)
	if err != nil {
		p.repo.s.mismatch("webhook", "pull_request "+action, err.Error())
		return
	}
	// GitHub sends the event before it tries the merge.
	full["mergeable"], full["rebaseable"], full["mergeable_state"], full["merge_commit_sha"] = nil, nil, "unknown", nil
	fields := Object{"number": p.Number, "pull_request": full}
	maps.Copy(fields, more)
	p.repo.s.emit(p.repo, "pull_request", action, by, fields)
}

// asIssue is the pull request as an issue: GitHub counts every pull request as one.
func (p *PullRequest) asIssue() Object {
	url := fmt.Sprintf("%s/issues/%d", p.repo.api(), p.Number)
	return Object{
		"url": url, "repository_url": p.repo.api(), "labels_url": url + "/labels{/name}", "comments_url": url + "/comments",
		"events_url": url + "/events", "html_url": p.URL(), "id": p.ID + 1_000_000,
		"node_id": nodeID("PullRequest", p.ID), "number": p.Number,
		"title": p.title, "user": p.author.view(), "labels": p.repo.labels(p.labels), "state": p.state(), "locked": false, "assignee": nil,
		"assignees": []Object{}, "milestone": nil, "comments": len(p.comments), "created_at": stamp(p.created),
		"updated_at": stamp(p.updated), "closed_at": stampOrNull(p.closed), "author_association": p.repo.association(p.author),
		"active_lock_reason": nil, "draft": false, "body": textOrNull(p.body), "reactions": reactionCounts(url, nil),
		"timeline_url": url + "/timeline", "performed_via_github_app": nil, "state_reason": nil,
		"pull_request": Object{"url": p.api(), "html_url": p.URL(), "diff_url": p.URL() + ".diff", "patch_url": p.URL() + ".patch",
			"merged_at": nil},
	}
}

// mention is a pull request as checks and workflow runs name it.
func (p *PullRequest) mention() Object {
	repo := func(r *Repository) Object { return Object{"id": r.ID, "url": r.api(), "name": r.Name} }
	return Object{"url": p.api(), "id": p.ID, "number": p.Number,
		"head": Object{"ref": p.headRef, "sha": p.headSha, "repo": repo(p.head)},
		"base": Object{"ref": p.baseRef, "sha": p.baseSha, "repo": repo(p.repo)}}
}

// mentions are the pull requests that checks of a commit name: those whose branch is in this
// repository. So the base repository's checks of a fork's commit name none, and the fork's checks
// name the pull request of the base repository.
func (r *Repository) mentions(sha string) []Object {
	all := []Object{}
	for _, repo := range r.s.repos {
		for _, p := range repo.pulls {
			if p.state() == "open" && p.head == r && p.headSha == sha {
				all = append(all, p.mention())
			}
		}
	}
	return all
}
