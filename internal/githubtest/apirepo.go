package githubtest

import (
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/githubtest/gitrepo"
)

var repositoryTable = []entry{
	{"repos/get", onRepository, "metadata:read", (*call).getRepository},
	{"repos/get-branch", onRepository, "contents:read", (*call).getBranch},
	{"repos/list-branches", onRepository, "contents:read", (*call).listBranches},
	{"repos/get-collaborator-permission-level", onRepository, "metadata:read", (*call).collaborator},
	{"repos/get-content", onRepository, "contents:read", (*call).getContent},
	{"repos/create-or-update-file-contents", onRepository, "contents:write", (*call).putContent},
	{"repos/list-commits", onRepository, "contents:read", (*call).listCommits},
	{"repos/get-commit", onRepository, "contents:read", (*call).getCommit},
	{"repos/compare-commits-with-basehead", onRepository, "contents:read", (*call).compare},
	{"repos/download-tarball-archive", onRepository, "contents:read", (*call).archive},
	{"repos/download-zipball-archive", onRepository, "contents:read", (*call).archive},
}

// escape is a path in a URL, its slashes kept.
func escape(p string) string { return (&url.URL{Path: p}).EscapedPath() }

func (c *call) getRepository() (answer, error) {
	o := c.repo.own()
	o["permissions"] = Object{"admin": false, "maintain": false, "push": false, "triage": false, "pull": true}
	return ok(o), nil
}

func (r *Repository) branchView(name, sha string) Object {
	return Object{"name": name, "commit": Object{"sha": sha, "url": r.api() + "/commits/" + sha}, "protected": false}
}

func (c *call) listBranches() (answer, error) {
	refs, err := c.repo.git.Refs(c.ctx, "refs/heads/")
	if err != nil {
		return answer{}, err
	}
	return list(c, refs, func(r gitrepo.Ref) Object { return c.repo.branchView(strings.TrimPrefix(r.Name, "refs/heads/"), r.Sha) })
}

func (c *call) getBranch() (answer, error) {
	name := c.params["branch"]
	sha, err := c.repo.git.Resolve(c.ctx, "heads/"+name)
	if err != nil {
		return answer{}, refuse(http.StatusNotFound, "Branch not found")
	}
	k, err := c.repo.git.ReadCommit(c.ctx, sha)
	if err != nil {
		return answer{}, err
	}
	self := c.repo.api() + "/branches/" + name
	return ok(Object{"name": name, "commit": c.repo.commitView(k), "protected": false, "protection_url": self + "/protection",
		"_links":     Object{"self": self, "html": c.repo.page() + "/tree/" + name},
		"protection": Object{"enabled": false, "required_status_checks": Object{"enforcement_level": "off", "contexts": []string{}, "checks": []Object{}}}}), nil
}

// collaborator tells what somebody may do. A person who may nothing is answered
// with "none" (or "read" where all may read), one who does not exist with a 404.
func (c *call) collaborator() (answer, error) {
	if c.by.token == nil || !c.by.token.covers(c.repo) {
		return answer{}, refuse(http.StatusForbidden, "Resource not accessible by integration")
	}
	a := c.s.account(c.params["username"])
	if a == nil {
		return answer{}, refuse(http.StatusNotFound, c.params["username"]+" is not a user")
	}
	role := c.repo.role(a)
	p := permission(role)
	user := a.view()
	user["permissions"] = Object{"admin": p == "admin", "maintain": p == "admin" || role == "maintain",
		"push": p == "admin" || p == "write", "triage": p == "admin" || p == "write" || role == "triage", "pull": p != "none"}
	user["role_name"] = role
	return ok(Object{"permission": p, "role_name": role, "user": user}), nil
}

// at is the commit that the query's ref names, or the default branch.
func (c *call) at() (string, error) {
	ref := either(c.r.URL.Query().Get("ref"), c.repo.Default)
	sha, err := c.repo.git.Resolve(c.ctx, ref)
	if err != nil {
		return "", refuse(http.StatusNotFound, "No commit found for the ref "+ref)
	}
	return sha, nil
}

func (c *call) getContent() (answer, error) {
	sha, err := c.at()
	if err != nil {
		return answer{}, err
	}
	where := strings.Trim(c.params["path"], "/")
	e, err := c.repo.git.Entry(c.ctx, sha, where)
	if err != nil {
		return answer{}, notFound()
	}
	if e.Type == "tree" {
		return c.folder(sha, where, e)
	}
	e.Path = where
	content, err := c.repo.git.Blob(c.ctx, e.Sha)
	if err != nil {
		return answer{}, err
	}
	if strings.Contains(c.r.Header.Get("Accept"), "raw") {
		return answer{status: http.StatusOK, raw: content, media: "application/vnd.github.raw; charset=utf-8"}, nil
	}
	o := c.entryView(sha, e)
	o["encoding"], o["content"] = "base64", wrapped(content)
	if len(content) > 1<<20 { // bigger files are only given raw
		o["encoding"], o["content"] = "none", ""
	}
	return ok(o), nil
}

// wrapped is base64 in lines of 60 characters, as GitHub gives it.
func wrapped(content []byte) string {
	var b strings.Builder
	for part := range slices.Chunk([]byte(base64.StdEncoding.EncodeToString(content)), 60) {
		b.Write(part)
		b.WriteByte('\n')
	}
	return b.String()
}

func (c *call) folder(sha, where string, e gitrepo.Entry) (answer, error) {
	entries, err := c.repo.git.ReadTree(c.ctx, e.Sha, false)
	if err != nil {
		return answer{}, err
	}
	return ok(views(entries, func(e gitrepo.Entry) Object {
		e.Path = path.Join(where, e.Path)
		return c.entryView(sha, e)
	})), nil
}

func (c *call) entryView(sha string, e gitrepo.Entry) Object {
	kind, page, download := "file", "/blob/", any(c.repo.page()+"/raw/"+sha+"/"+escape(e.Path))
	switch {
	case e.Type == "tree":
		kind, page, download = "dir", "/tree/", nil
	case e.Mode == "120000":
		kind = "symlink"
	}
	self := c.repo.api() + "/contents/" + escape(e.Path) + "?ref=" + sha
	git := c.repo.api() + "/git/" + e.Type + "s/" + e.Sha
	html := c.repo.page() + page + sha + "/" + escape(e.Path)
	return Object{"type": kind, "size": e.Size, "name": path.Base(e.Path), "path": e.Path, "sha": e.Sha, "url": self, "git_url": git,
		"html_url": html, "download_url": download, "_links": Object{"git": git, "self": self, "html": html}}
}

type contentInput struct {
	Message, Content, Branch string
	Sha                      *string
}

// putContent commits one file; replacing one asks for the blob it replaces.
func (c *call) putContent() (answer, error) {
	var in contentInput
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	branch, where := either(in.Branch, c.repo.Default), c.params["path"]
	head, err := c.repo.git.Resolve(c.ctx, "heads/"+branch)
	if err != nil {
		return answer{}, refuse(http.StatusNotFound, "Branch "+branch+" not found")
	}
	content, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(in.Content, "\n", ""))
	if err != nil {
		return answer{}, refuse(http.StatusUnprocessableEntity, "content is not valid Base64")
	}
	status := http.StatusCreated
	if e, err := c.repo.git.Entry(c.ctx, head, where); err == nil {
		status = http.StatusOK
		if in.Sha == nil {
			return answer{}, refuse(http.StatusUnprocessableEntity, "Invalid request.\n\n\"sha\" wasn't supplied.")
		}
		if *in.Sha != e.Sha {
			return answer{}, refuse(http.StatusConflict, where+" does not match "+*in.Sha)
		}
	}
	sha, err := c.repo.commit(c.ctx, c.actor(), branch, in.Message, Change{Files: map[string]string{where: string(content)}})
	if err != nil {
		return answer{}, err
	}
	return c.committed(status, sha, where)
}

func (c *call) committed(status int, sha, where string) (answer, error) {
	e, err := c.repo.git.Entry(c.ctx, sha, where)
	if err != nil {
		return answer{}, err
	}
	k, err := c.repo.git.ReadCommit(c.ctx, sha)
	if err != nil {
		return answer{}, err
	}
	return answer{status: status, body: Object{"content": c.entryView(sha, e), "commit": c.gitCommit(k)}}, nil
}

func (c *call) listCommits() (answer, error) {
	q := c.r.URL.Query()
	sha, err := c.repo.git.Resolve(c.ctx, either(q.Get("sha"), c.repo.Default))
	if err != nil {
		return answer{}, notFound()
	}
	log, err := c.repo.git.Log(c.ctx, sha, "", q.Get("path"), 10_000)
	if err != nil {
		return answer{}, err
	}
	return list(c, log, c.repo.commitView)
}

func (c *call) getCommit() (answer, error) {
	sha, err := c.resolveRef()
	if err != nil {
		return answer{}, err
	}
	accept := c.r.Header.Get("Accept")
	if strings.HasSuffix(accept, "sha") {
		return answer{status: http.StatusOK, raw: []byte(sha), media: "application/vnd.github.sha; charset=utf-8"}, nil
	}
	k, err := c.repo.git.ReadCommit(c.ctx, sha)
	if err != nil {
		return answer{}, err
	}
	var files []gitrepo.FileDiff
	if len(k.Parents) > 0 {
		if files, err = c.repo.git.Diff(c.ctx, k.Parents[0], sha); err != nil {
			return answer{}, err
		}
	}
	o := c.repo.commitView(k)
	added, deleted := totals(files)
	o["stats"] = Object{"total": added + deleted, "additions": added, "deletions": deleted}
	o["files"] = views(files, func(f gitrepo.FileDiff) Object { return c.fileView(c.repo, f, sha) })
	return ok(o), nil
}

func totals(files []gitrepo.FileDiff) (added, deleted int) {
	for _, f := range files {
		added, deleted = added+f.Additions, deleted+f.Deletions
	}
	return added, deleted
}

var errNoSides = errors.New("no two sides")

// sides takes "base...head" apart; either may name a fork by its owner.
func (c *call) sides() (base, head string, err error) {
	b, h, ok := strings.Cut(c.params["basehead"], "...")
	if !ok {
		return "", "", errNoSides
	}
	for name, into := range map[string]*string{b: &base, h: &head} {
		if *into, err = c.resolveAcross(name); err != nil {
			return "", "", err
		}
	}
	if b == h {
		head = base
	}
	return base, head, nil
}

func (c *call) resolveAcross(name string) (string, error) {
	owner, branch, across := strings.Cut(name, ":")
	if !across {
		return c.repo.git.Resolve(c.ctx, name)
	}
	other := c.s.networkMember(c.repo, owner)
	if other == nil {
		return "", gitrepo.ErrNotFound
	}
	sha, err := other.git.Resolve(c.ctx, branch)
	if err != nil {
		return "", err
	}
	return sha, c.repo.git.Take(c.ctx, other.git, sha)
}

func (c *call) compare() (answer, error) {
	base, head, err := c.sides()
	if err != nil {
		return answer{}, notFound()
	}
	from, err := c.repo.git.MergeBase(c.ctx, base, head)
	if err != nil {
		return answer{}, refuse(http.StatusNotFound, "No common ancestor between "+base+" and "+head+".")
	}
	if strings.Contains(c.r.Header.Get("Accept"), "diff") {
		text, err := c.repo.git.RawDiff(c.ctx, from, head)
		return answer{status: http.StatusOK, raw: []byte(text), media: "application/vnd.github.diff; charset=utf-8"}, err
	}
	return c.comparison(base, head, from)
}

func (c *call) comparison(base, head, from string) (answer, error) {
	log, err := c.repo.git.Log(c.ctx, head, from, "", 10_000)
	if err != nil {
		return answer{}, err
	}
	slices.Reverse(log)
	behind, err := c.repo.git.Count(c.ctx, base, from)
	if err != nil {
		return answer{}, err
	}
	files, err := c.repo.git.Diff(c.ctx, from, head)
	if err != nil {
		return answer{}, err
	}
	status := "identical"
	switch {
	case len(log) > 0 && behind > 0:
		status = "diverged"
	case len(log) > 0:
		status = "ahead"
	case behind > 0:
		status = "behind"
	}
	baseCommit, err := c.repo.git.ReadCommit(c.ctx, base)
	if err != nil {
		return answer{}, err
	}
	fromCommit, err := c.repo.git.ReadCommit(c.ctx, from)
	if err != nil {
		return answer{}, err
	}
	part, header := page(c, log)
	sides := base + "..." + head
	html := c.repo.page() + "/compare/" + sides
	return answer{status: http.StatusOK, header: header, body: Object{"url": c.repo.api() + "/compare/" + sides, "html_url": html,
		"permalink_url": html, "diff_url": html + ".diff", "patch_url": html + ".patch", "base_commit": c.repo.commitView(baseCommit),
		"merge_base_commit": c.repo.commitView(fromCommit), "status": status, "ahead_by": len(log), "behind_by": behind,
		"total_commits": len(log), "commits": views(part, c.repo.commitView),
		"files": views(files[:min(len(files), 300)], func(f gitrepo.FileDiff) Object { return c.fileView(c.repo, f, head) })}}, nil
}
