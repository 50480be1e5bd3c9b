package githubtest

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"

	"github.com/odfix/odfix/internal/githubtest/gitrepo"
)

var gitTable = []entry{
	{"git/create-blob", onRepository, "contents:write", (*call).createBlob},
	{"git/get-tree", onRepository, "contents:read", (*call).getTree},
	{"git/create-tree", onRepository, "contents:write", (*call).createTree},
	{"git/create-commit", onRepository, "contents:write", (*call).createCommit},
	{"git/create-ref", onRepository, "contents:write", (*call).createRef},
	{"git/update-ref", onRepository, "contents:write", (*call).updateRef},
}

func (c *call) gitURL(kind, sha string) string { return c.repo.api() + "/git/" + kind + "s/" + sha }

func (c *call) createBlob() (answer, error) {
	var in struct{ Content, Encoding string }
	c.decode(&in)
	content := []byte(in.Content)
	if in.Encoding == "base64" {
		var err error
		if content, err = base64.StdEncoding.DecodeString(strings.ReplaceAll(in.Content, "\n", "")); err != nil {
			return answer{}, refuse(http.StatusUnprocessableEntity, "content is not valid Base64")
		}
	}
	sha, err := c.repo.git.WriteBlob(c.ctx, content)
	return created(Object{"sha": sha, "url": c.gitURL("blob", sha)}), err
}

// getTree returns the tree of a commit, with the files at any depth.
func (c *call) getTree() (answer, error) {
	commit, err := c.repo.git.Resolve(c.ctx, c.params["tree_sha"])
	if err != nil {
		return answer{}, notFound()
	}
	k, err := c.repo.git.ReadCommit(c.ctx, commit)
	if err != nil {
		return answer{}, err
	}
	o, err := c.treeView(k.Tree)
	return ok(o), err
}

func (c *call) treeView(sha string) (Object, error) {
	entries, err := c.repo.git.ReadTree(c.ctx, sha, "")
	return Object{"sha": sha, "url": c.gitURL("tree", sha), "truncated": false, "tree": views(entries, func(e gitrepo.Entry) Object {
		o := Object{"path": e.Path, "mode": e.Mode, "type": e.Type, "sha": e.Sha, "url": c.gitURL(e.Type, e.Sha)}
		if e.Type == "blob" {
			o["size"] = e.Size
		}
		return o
	})}, err
}

func (c *call) createTree() (answer, error) {
	var in struct {
		BaseTree string `json:"base_tree"`
		Tree     []struct {
			Path, Mode, Type string
			Sha              *string
		}
	}
	c.decode(&in)
	var changes []gitrepo.Change
	for _, e := range in.Tree {
		ch := gitrepo.Change{Path: e.Path, Mode: e.Mode}
		if e.Sha != nil {
			ch.Sha = *e.Sha
			if !c.repo.git.Has(c.ctx, ch.Sha, "blob") {
				return answer{}, refuse(http.StatusUnprocessableEntity,
					fmt.Sprintf("tree.sha %s is not a valid %s", ch.Sha, cmp.Or(e.Type, "blob")))
			}
		}
		changes = append(changes, ch)
	}
	if in.BaseTree != "" && !c.repo.git.Has(c.ctx, in.BaseTree, "tree") && !c.repo.git.Has(c.ctx, in.BaseTree, "commit") {
		return answer{}, notFound()
	}
	sha, err := c.repo.git.Tree(c.ctx, in.BaseTree, changes)
	if err != nil {
		return answer{}, refuse(http.StatusUnprocessableEntity, "tree.path contains a malformed path component")
	}
	o, err := c.treeView(sha)
	return created(o), err
}

func (c *call) createCommit() (answer, error) {
	var in struct {
		Message, Tree string
		Parents       []string
	}
	c.decode(&in)
	if !c.repo.git.Has(c.ctx, in.Tree, "tree") {
		return answer{}, refuse(http.StatusUnprocessableEntity, "Tree SHA does not exist")
	}
	for _, p := range in.Parents {
		if !c.repo.git.Has(c.ctx, p, "commit") {
			return answer{}, refuse(http.StatusUnprocessableEntity, "Parent SHA does not exist or is not a commit object")
		}
	}
	by := c.repo.signature(c.actor())
	sha, err := c.repo.git.Commit(c.ctx, in.Tree, in.Message, by, in.Parents...)
	if err != nil {
		return answer{}, err
	}
	return created(Object{"sha": sha, "node_id": nodeID("Commit", c.repo.ID) + sha[:8], "url": c.gitURL("commit", sha),
		"html_url": c.repo.page() + "/commit/" + sha, "author": signed(by), "committer": signed(by),
		"tree":    Object{"sha": in.Tree, "url": c.gitURL("tree", in.Tree)},
		"message": in.Message, "verification": verification(),
		"parents": views(in.Parents, func(sha string) Object {
			return Object{"sha": sha, "url": c.gitURL("commit", sha), "html_url": c.repo.page() + "/commit/" + sha}
		})}), nil
}

func (c *call) refView(name, sha string) Object {
	return Object{"ref": name, "node_id": nodeID("Ref", c.repo.ID) + ":" + name, "url": c.repo.api() + "/git/" + name,
		"object": Object{"type": "commit", "sha": sha, "url": c.gitURL("commit", sha)}}
}

// createRef makes a branch.
func (c *call) createRef() (answer, error) {
	var in struct{ Ref, Sha string }
	c.decode(&in)
	_, err := c.repo.git.Resolve(c.ctx, in.Ref)
	switch {
	case !strings.HasPrefix(in.Ref, "refs/heads/"):
		return answer{}, refuse(http.StatusUnprocessableEntity, "Reference name must start with 'refs/' and contain at least two slashes.")
	case !c.repo.git.Has(c.ctx, in.Sha, "commit"):
		return answer{}, refuse(http.StatusUnprocessableEntity, "Object does not exist")
	case err == nil:
		return answer{}, refuse(http.StatusUnprocessableEntity, "Reference already exists")
	}
	err = c.repo.move(c.ctx, in.Ref, "", in.Sha, c.actor())
	return created(c.refView(in.Ref, in.Sha)), err
}

// updateRef moves a branch.
func (c *call) updateRef() (answer, error) {
	var in struct {
		Sha   string
		Force bool
	}
	c.decode(&in)
	name := "refs/" + c.params["ref"]
	before, err := c.repo.git.Resolve(c.ctx, name)
	switch {
	case err != nil || !strings.HasPrefix(name, "refs/heads/"):
		return answer{}, refuse(http.StatusUnprocessableEntity, "Reference does not exist")
	case !c.repo.git.Has(c.ctx, in.Sha, "commit"):
		return answer{}, refuse(http.StatusUnprocessableEntity, "Object does not exist")
	}
	if base, err := c.repo.git.MergeBase(c.ctx, before, in.Sha); !in.Force && (err != nil || base != before) {
		return answer{}, refuse(http.StatusUnprocessableEntity, "Update is not a fast forward")
	}
	err = c.repo.move(c.ctx, name, before, in.Sha, c.actor())
	return ok(c.refView(name, in.Sha)), err
}
