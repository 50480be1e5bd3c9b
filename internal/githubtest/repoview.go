package githubtest

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/githubtest/gitrepo"
)

func (r *Repository) api() string  { return r.s.URL + "/repos/" + r.FullName() }
func (r *Repository) page() string { return r.s.WebURL + "/" + r.FullName() }

// urls are the links of a repository: the name in the API, and the path after its address.
var urls = strings.Fields(`
	archive /{archive_format}{/ref} assignees /assignees{/user} blobs /git/blobs{/sha} branches /branches{/branch}
	collaborators /collaborators{/collaborator} comments /comments{/number} commits /commits{/sha} compare /compare/{base}...{head}
	contents /contents/{+path} contributors /contributors deployments /deployments downloads /downloads events /events forks /forks
	git_commits /git/commits{/sha} git_refs /git/refs{/sha} git_tags /git/tags{/sha} hooks /hooks
	issue_comment /issues/comments{/number} issue_events /issues/events{/number} issues /issues{/number} keys /keys{/key_id}
	labels /labels{/name} languages /languages merges /merges milestones /milestones{/number}
	notifications /notifications{?since,all,participating} pulls /pulls{/number} releases /releases{/id} stargazers /stargazers
	statuses /statuses/{sha} subscribers /subscribers subscription /subscription tags /tags teams /teams trees /git/trees{/sha}`)

// minimal is a repository as other objects show it.
func (r *Repository) minimal() Object {
	o := Object{"id": r.ID, "node_id": nodeID("Repository", r.ID), "name": r.Name, "full_name": r.FullName(),
		"private": r.Private, "owner": r.owner.view(), "html_url": r.page(), "description": nil, "fork": r.parent != nil, "url": r.api()}
	for i := 0; i < len(urls); i += 2 {
		o[urls[i]+"_url"] = r.api() + urls[i+1]
	}
	return o
}

// full is a repository as lists show it.
func (r *Repository) full() Object {
	o := r.minimal()
	visibility, open := "public", 0
	if r.Private {
		visibility = "private"
	}
	for _, p := range r.pulls {
		if p.state() == "open" {
			open++
		}
	}
	maps.Copy(o, Object{
		"created_at": stamp(r.created), "updated_at": stamp(r.pushed), "pushed_at": stamp(r.pushed),
		"git_url": "git://localhost/" + r.FullName() + ".git", "ssh_url": "git@localhost:" + r.FullName() + ".git",
		"clone_url": r.page() + ".git", "svn_url": r.page(), "homepage": nil, "size": 0, "stargazers_count": 0, "watchers_count": 0,
		"language": nil, "has_issues": true, "has_projects": true, "has_downloads": true, "has_wiki": true, "has_pages": false,
		"has_discussions": false, "forks_count": 0, "mirror_url": nil, "archived": false, "disabled": false, "open_issues_count": open,
		"license": nil, "allow_forking": true, "is_template": false, "web_commit_signoff_required": false, "topics": []string{},
		"visibility": visibility, "forks": 0, "open_issues": open, "watchers": 0, "default_branch": mainBranch,
	})
	return o
}

// hookView is a repository as webhooks show it.
func (r *Repository) hookView() Object {
	o := r.full()
	o["custom_properties"] = Object{}
	return o
}

func signed(p gitrepo.Person) Object {
	return Object{"name": p.Name, "email": p.Email, "date": stamp(p.When)}
}

// verification says that a commit is not signed.
func verification() Object {
	return Object{"verified": false, "reason": "unsigned", "signature": nil, "payload": nil, "verified_at": nil}
}

// commitView is a commit as lists show it.
func (r *Repository) commitView(k gitrepo.Commit) Object {
	url := r.api() + "/commits/" + k.Sha
	return Object{
		"sha": k.Sha, "node_id": nodeID("Commit", r.ID) + k.Sha[:8], "url": url, "html_url": r.page() + "/commit/" + k.Sha,
		"comments_url": url + "/comments",
		"commit": Object{"author": signed(k.Author), "committer": signed(k.Committer), "message": k.Message,
			"tree": Object{"sha": k.Tree, "url": r.api() + "/git/trees/" + k.Tree},
			"url":  r.api() + "/git/commits/" + k.Sha, "comment_count": 0, "verification": verification()},
		"author":    orNull(r.s.accountByEmail(k.Author.Email).view()),
		"committer": orNull(r.s.accountByEmail(k.Committer.Email).view()),
		"parents":   views(k.Parents, r.parentView),
	}
}

func (r *Repository) parentView(sha string) Object {
	return Object{"sha": sha, "url": r.api() + "/commits/" + sha, "html_url": r.page() + "/commit/" + sha}
}

// simpleCommit is a commit as check suites and runs show it.
func (r *Repository) simpleCommit(ctx context.Context, sha string) Object {
	k, err := r.git.ReadCommit(ctx, sha)
	if err != nil {
		return nil
	}
	return Object{"id": k.Sha, "tree_id": k.Tree, "message": k.Message, "timestamp": stamp(k.Committer.When),
		"author": named(k.Author), "committer": named(k.Committer)}
}

func named(p gitrepo.Person) Object { return Object{"name": p.Name, "email": p.Email} }

// pushEvent sends the event of a push.
func (r *Repository) pushEvent(ctx context.Context, ref, before, after string, by *Account) error {
	const none = "0000000000000000000000000000000000000000"
	log, err := r.git.Log(ctx, after, before, 20)
	if err == nil && (before == "" || len(log) == 0) { // a new branch, or one moved to an older commit
		log, err = r.git.Log(ctx, after, "", 1)
	}
	if err != nil {
		return err
	}
	commits := []Object{}
	for _, k := range slices.Backward(log) {
		one, err := r.pushedCommit(ctx, k)
		if err != nil {
			return err
		}
		commits = append(commits, one)
	}
	forced := false
	if before != "" {
		base, _ := r.git.MergeBase(ctx, before, after) // without a common ancestor, the push is forced, too
		forced = base != before
	}
	repo := r.hookView()
	repo["created_at"], repo["pushed_at"] = r.created.Unix(), r.pushed.Unix() // numbers in this event only
	repo["stargazers"], repo["master_branch"] = 0, mainBranch
	owner := r.owner.view()
	owner["name"], owner["email"] = r.owner.Login, r.owner.Email
	repo["owner"] = owner
	if r.owner.Type == "Organization" {
		repo["organization"] = r.owner.Login
	}
	fields := Object{"ref": ref, "before": cmp.Or(before, none), "after": after, "base_ref": nil, "repository": repo,
		"created": before == "", "deleted": false, "forced": forced, "head_commit": commits[len(commits)-1], "commits": commits,
		"compare": r.page() + "/compare/" + cmp.Or(before, none) + "..." + after, "pusher": Object{"name": by.Login, "email": by.Email}}
	r.s.emit(r, "push", "", by, fields)
	return nil
}

func (r *Repository) pushedCommit(ctx context.Context, k gitrepo.Commit) (Object, error) {
	lists := map[string][]string{"added": {}, "removed": {}, "modified": {}}
	if len(k.Parents) > 0 {
		files, err := r.git.Diff(ctx, k.Parents[0], k.Sha)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			switch f.Status {
			case "renamed":
				lists["added"], lists["removed"] = append(lists["added"], f.Path), append(lists["removed"], f.Previous)
			case "added", "removed":
				lists[f.Status] = append(lists[f.Status], f.Path)
			default:
				lists["modified"] = append(lists["modified"], f.Path)
			}
		}
	}
	return Object{"id": k.Sha, "tree_id": k.Tree, "distinct": true, "message": k.Message, "timestamp": stamp(k.Committer.When),
		"url": r.page() + "/commit/" + k.Sha, "author": named(k.Author), "committer": named(k.Committer),
		"added": lists["added"], "removed": lists["removed"], "modified": lists["modified"]}, nil
}
