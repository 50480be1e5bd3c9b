package githubtest

import (
	"cmp"
	"encoding/base64"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/githubtest/gitrepo"
)

var repositoryTable = []entry{
	{"repos/get-collaborator-permission-level", onRepository, "metadata:read", (*call).collaborator},
	{"repos/get-content", onRepository, "contents:read", (*call).getContent},
	{"repos/get-commit", onRepository, "contents:read", (*call).getCommit},
	{"repos/compare-commits-with-basehead", onRepository, "contents:read", (*call).compare},
	{"repos/download-tarball-archive", onRepository, "contents:read", (*call).archive},
}

// escape is a path in a URL, with its slashes.
func escape(p string) string { return (&url.URL{Path: p}).EscapedPath() }

// collaborator returns the role of a person. A person without a role has "none" (or "read" where
// everyone can read); an unknown person is a 404.
func (c *call) collaborator() (answer, error) {
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

// getContent returns a file. GitHub also lists folders.
func (c *call) getContent() (answer, error) {
	ref := cmp.Or(c.r.URL.Query().Get("ref"), mainBranch)
	sha, err := c.repo.git.Resolve(c.ctx, ref)
	if err != nil {
		return answer{}, refuse(http.StatusNotFound, "No commit found for the ref "+ref)
	}
	e, content, err := c.repo.git.File(c.ctx, sha, strings.Trim(c.params["path"], "/"))
	if err != nil {
		return answer{}, notFound()
	}
	kind, encoding, text := "file", "base64", wrapped(content)
	if e.Mode == "120000" {
		kind = "symlink"
	}
	if len(content) > 1<<20 { // GitHub returns larger files as raw text only
		encoding, text = "none", ""
	}
	self, git := c.repo.api()+"/contents/"+escape(e.Path)+"?ref="+sha, c.repo.api()+"/git/blobs/"+e.Sha
	html := c.repo.page() + "/blob/" + sha + "/" + escape(e.Path)
	return ok(Object{"type": kind, "size": e.Size, "name": path.Base(e.Path), "path": e.Path, "sha": e.Sha, "url": self, "git_url": git,
		"html_url": html, "download_url": c.repo.page() + "/raw/" + sha + "/" + escape(e.Path), "encoding": encoding, "content": text,
		"_links": Object{"git": git, "self": self, "html": html}}), nil
}

// wrapped is base64 in lines of 60 characters, as GitHub returns it.
func wrapped(content []byte) string {
	var b strings.Builder
	for part := range slices.Chunk([]byte(base64.StdEncoding.EncodeToString(content)), 60) {
		b.Write(part)
		b.WriteByte('\n')
	}
	return b.String()
}

// resolveRef finds the commit of the path's ref.
func (c *call) resolveRef() (string, error) {
	sha, err := c.repo.git.Resolve(c.ctx, c.params["ref"])
	if err != nil {
		return "", refuse(http.StatusUnprocessableEntity, "No commit found for SHA: "+c.params["ref"])
	}
	return sha, nil
}

func (c *call) getCommit() (answer, error) {
	sha, err := c.resolveRef()
	if err != nil {
		return answer{}, err
	}
	k, err := c.repo.git.ReadCommit(c.ctx, sha)
	return ok(c.repo.commitView(k)), err
}

// compare compares two commits or branches of the repository. GitHub also lists the files.
func (c *call) compare() (answer, error) {
	b, h, _ := strings.Cut(c.params["basehead"], "...")
	base, berr := c.repo.git.Resolve(c.ctx, b)
	head, herr := c.repo.git.Resolve(c.ctx, h)
	if berr != nil || herr != nil {
		return answer{}, notFound()
	}
	from, err := c.repo.git.MergeBase(c.ctx, base, head)
	if err != nil {
		return answer{}, refuse(http.StatusNotFound, "No common ancestor between "+base+" and "+head+".")
	}
	log, err := c.repo.git.Log(c.ctx, head, from, listedCommits)
	if err != nil {
		return answer{}, err
	}
	behind, err := c.repo.git.Count(c.ctx, base, from)
	if err != nil {
		return answer{}, err
	}
	baseCommit, berr := c.repo.git.ReadCommit(c.ctx, base)
	fromCommit, err := c.repo.git.ReadCommit(c.ctx, from)
	if berr != nil || err != nil {
		return answer{}, gitrepo.ErrNotFound
	}
	slices.Reverse(log)
	status := map[[2]bool]string{{true, true}: "diverged", {true, false}: "ahead", {false, true}: "behind",
		{false, false}: "identical"}[[2]bool{len(log) > 0, behind > 0}]
	part, header := page(c, log)
	html := c.repo.page() + "/compare/" + base + "..." + head
	return answer{status: http.StatusOK, header: header,
		body: Object{"url": c.repo.api() + "/compare/" + base + "..." + head, "html_url": html,
			"permalink_url": html, "diff_url": html + ".diff", "patch_url": html + ".patch", "base_commit": c.repo.commitView(baseCommit),
			"merge_base_commit": c.repo.commitView(fromCommit), "status": status, "ahead_by": len(log), "behind_by": behind,
			"total_commits": len(log), "commits": views(part, c.repo.commitView)}}, nil
}

// archive redirects to a packed commit. Its folder has the name that GitHub gives it.
func (c *call) archive() (answer, error) {
	sha, err := c.repo.git.Resolve(c.ctx, cmp.Or(c.params["ref"], mainBranch))
	if err != nil {
		return answer{}, notFound()
	}
	folder := c.repo.owner.Login + "-" + c.repo.Name + "-" + sha[:7]
	packed, err := c.repo.git.Archive(c.ctx, sha, folder)
	return c.redirect(folder+".tar.gz", "application/x-gzip", packed), err
}
