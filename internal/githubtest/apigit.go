package githubtest

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/odfix/odfix/internal/githubtest/gitrepo"
)

var gitTable = []entry{
	{"git/get-blob", onRepository, "contents:read", (*call).getBlob},
	{"git/create-blob", onRepository, "contents:write", (*call).createBlob},
	{"git/get-tree", onRepository, "contents:read", (*call).getTree},
	{"git/create-tree", onRepository, "contents:write", (*call).createTree},
	{"git/get-commit", onRepository, "contents:read", (*call).getGitCommit},
	{"git/create-commit", onRepository, "contents:write", (*call).createCommit},
	{"git/get-ref", onRepository, "contents:read", (*call).getRef},
	{"git/list-matching-refs", onRepository, "contents:read", (*call).matchingRefs},
	{"git/create-ref", onRepository, "contents:write", (*call).createRef},
	{"git/update-ref", onRepository, "contents:write", (*call).updateRef},
	{"git/delete-ref", onRepository, "contents:write", (*call).deleteRef},
}

var shaPattern = regexp.MustCompile(`^[0-9a-f]{40}$`)

func (c *call) getBlob() (answer, error) {
	sha := c.params["file_sha"]
	content, err := c.repo.git.Blob(c.ctx, sha)
	if err != nil || !shaPattern.MatchString(sha) {
		return answer{}, notFound()
	}
	if strings.Contains(c.r.Header.Get("Accept"), "raw") {
		return answer{status: http.StatusOK, raw: content, media: "application/vnd.github.raw; charset=utf-8"}, nil
	}
	return ok(Object{"sha": sha, "node_id": nodeID("Blob", c.repo.ID) + sha[:8], "size": len(content), "url": c.repo.api() + "/git/blobs/" + sha,
		"content": wrapped(content), "encoding": "base64"}), nil
}

func (c *call) createBlob() (answer, error) {
	var in struct{ Content, Encoding string }
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	content := []byte(in.Content)
	if in.Encoding == "base64" {
		var err error
		if content, err = base64.StdEncoding.DecodeString(strings.ReplaceAll(in.Content, "\n", "")); err != nil {
			return answer{}, refuse(http.StatusUnprocessableEntity, "content is not valid Base64")
		}
	}
	sha, err := c.repo.git.WriteBlob(c.ctx, content)
	if err != nil {
		return answer{}, err
	}
	return created(Object{"sha": sha, "url": c.repo.api() + "/git/blobs/" + sha}), nil
}

func (c *call) getTree() (answer, error) {
	name := c.params["tree_sha"]
	sha := name
	if !shaPattern.MatchString(name) {
		commit, err := c.repo.git.Resolve(c.ctx, name)
		if err != nil {
			return answer{}, notFound()
		}
		sha = commit
	}
	k, err := c.repo.git.Entry(c.ctx, sha, "")
	if err != nil {
		return answer{}, notFound()
	}
	// Any value of recursive means yes, "0" and "false" included.
	_, deep := c.r.URL.Query()["recursive"]
	o, err := c.treeView(k.Sha, deep)
	return ok(o), err
}

func (c *call) treeView(sha string, deep bool) (Object, error) {
	entries, err := c.repo.git.ReadTree(c.ctx, sha, deep)
	if err != nil {
		return nil, err
	}
	return Object{"sha": sha, "url": c.repo.api() + "/git/trees/" + sha, "truncated": false, "tree": views(entries, func(e gitrepo.Entry) Object {
		o := Object{"path": e.Path, "mode": e.Mode, "type": e.Type, "sha": e.Sha, "url": c.repo.api() + "/git/" + e.Type + "s/" + e.Sha}
		if e.Type == "blob" {
			o["size"] = e.Size
		}
		return o
	})}, nil
}

type treeEntry struct {
	Path, Mode, Type string
	Sha, Content     *string
}

func (c *call) createTree() (answer, error) {
	var in struct {
		BaseTree string `json:"base_tree"`
		Tree     []treeEntry
	}
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	var changes []gitrepo.Change
	for _, e := range in.Tree {
		ch := gitrepo.Change{Path: e.Path, Mode: e.Mode}
		switch {
		case e.Content != nil:
			ch.Content = []byte(*e.Content)
		case e.Sha != nil:
			if _, err := c.repo.git.Kind(c.ctx, *e.Sha); err != nil || !shaPattern.MatchString(*e.Sha) {
				return answer{}, refuse(http.StatusUnprocessableEntity, fmt.Sprintf("tree.sha %s is not a valid %s", *e.Sha, either(e.Type, "blob")))
			}
			ch.Sha = *e.Sha
		}
		changes = append(changes, ch)
	}
	if in.BaseTree != "" {
		if _, err := c.repo.git.Kind(c.ctx, in.BaseTree); err != nil || !shaPattern.MatchString(in.BaseTree) {
			return answer{}, refuse(http.StatusNotFound, "Not Found")
		}
	}
	sha, err := c.repo.git.Tree(c.ctx, in.BaseTree, changes)
	if err != nil {
		return answer{}, refuse(http.StatusUnprocessableEntity, "tree.path contains a malformed path component")
	}
	o, err := c.treeView(sha, false)
	return created(o), err
}

func (c *call) gitCommit(k gitrepo.Commit) Object {
	return Object{"sha": k.Sha, "node_id": nodeID("Commit", c.repo.ID) + k.Sha[:8], "url": c.repo.api() + "/git/commits/" + k.Sha,
		"html_url": c.repo.page() + "/commit/" + k.Sha, "author": signed(k.Author), "committer": signed(k.Committer),
		"tree":    Object{"sha": k.Tree, "url": c.repo.api() + "/git/trees/" + k.Tree},
		"message": k.Message, "verification": verification(),
		"parents": views(k.Parents, func(sha string) Object {
			return Object{"sha": sha, "url": c.repo.api() + "/git/commits/" + sha, "html_url": c.repo.page() + "/commit/" + sha}
		})}
}

func (c *call) getGitCommit() (answer, error) {
	sha := c.params["commit_sha"]
	kind, err := c.repo.git.Kind(c.ctx, sha)
	if err != nil || kind != "commit" || !shaPattern.MatchString(sha) {
		return answer{}, notFound()
	}
	k, err := c.repo.git.ReadCommit(c.ctx, sha)
	return ok(c.gitCommit(k)), err
}

type signer struct{ Name, Email, Date string }

func (s *signer) person(otherwise gitrepo.Person) gitrepo.Person {
	if s == nil {
		return otherwise
	}
	p := gitrepo.Person{Name: s.Name, Email: s.Email, When: otherwise.When}
	if t, err := time.Parse(time.RFC3339, s.Date); err == nil {
		p.When = t
	}
	return p
}

func (c *call) createCommit() (answer, error) {
	var in struct {
		Message, Tree     string
		Parents           []string
		Author, Committer *signer
	}
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	if kind, err := c.repo.git.Kind(c.ctx, in.Tree); err != nil || kind != "tree" {
		return answer{}, refuse(http.StatusUnprocessableEntity, "Tree SHA does not exist")
	}
	for _, p := range in.Parents {
		if kind, err := c.repo.git.Kind(c.ctx, p); err != nil || kind != "commit" || !shaPattern.MatchString(p) {
			return answer{}, refuse(http.StatusUnprocessableEntity, "Parent SHA does not exist or is not a commit object")
		}
	}
	author := in.Author.person(c.repo.signature(c.actor()))
	sha, err := c.repo.git.Commit(c.ctx, in.Tree, in.Message, author, in.Committer.person(author), in.Parents...)
	if err != nil {
		return answer{}, err
	}
	k, err := c.repo.git.ReadCommit(c.ctx, sha)
	return created(c.gitCommit(k)), err
}

func (c *call) refView(r gitrepo.Ref) Object {
	return Object{"ref": r.Name, "node_id": nodeID("Ref", c.repo.ID) + ":" + r.Name, "url": c.repo.api() + "/git/" + r.Name,
		"object": Object{"type": r.Type, "sha": r.Sha, "url": c.repo.api() + "/git/" + r.Type + "s/" + r.Sha}}
}

func (c *call) ref() (gitrepo.Ref, bool) {
	name := "refs/" + strings.TrimPrefix(c.params["ref"], "refs/")
	refs, err := c.repo.git.Refs(c.ctx, name)
	if err == nil && len(refs) > 0 && refs[0].Name == name {
		return refs[0], true
	}
	return gitrepo.Ref{Name: name}, false
}

func (c *call) getRef() (answer, error) {
	r, found := c.ref()
	if !found {
		return answer{}, notFound()
	}
	return ok(c.refView(r)), nil
}

func (c *call) matchingRefs() (answer, error) {
	refs, err := c.repo.git.Refs(c.ctx, "refs/"+c.params["ref"])
	if err != nil {
		return answer{}, err
	}
	return list(c, refs, c.refView)
}

func (c *call) createRef() (answer, error) {
	var in struct{ Ref, Sha string }
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	if !strings.HasPrefix(in.Ref, "refs/") || strings.Count(in.Ref, "/") < 2 || !c.repo.git.GoodRef(c.ctx, in.Ref) {
		return answer{}, refuse(http.StatusUnprocessableEntity, "Reference name must start with 'refs/' and contain at least two slashes.")
	}
	if strings.HasPrefix(in.Ref, "refs/pull/") {
		return answer{}, refuse(http.StatusUnprocessableEntity, "Reference update failed")
	}
	if err := c.isCommit(in.Sha); err != nil {
		return answer{}, err
	}
	c.params["ref"] = in.Ref
	if _, found := c.ref(); found {
		return answer{}, refuse(http.StatusUnprocessableEntity, "Reference already exists")
	}
	if err := c.repo.move(c.ctx, in.Ref, "", in.Sha, c.actor()); err != nil {
		return answer{}, err
	}
	return created(c.refView(gitrepo.Ref{Name: in.Ref, Sha: in.Sha, Type: "commit"})), nil
}

func (c *call) isCommit(sha string) error {
	if kind, err := c.repo.git.Kind(c.ctx, sha); err != nil || kind != "commit" || !shaPattern.MatchString(sha) {
		return refuse(http.StatusUnprocessableEntity, "Object does not exist")
	}
	return nil
}

func (c *call) updateRef() (answer, error) {
	var in struct {
		Sha   string
		Force bool
	}
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	r, found := c.ref()
	if !found || strings.HasPrefix(r.Name, "refs/pull/") {
		return answer{}, refuse(http.StatusUnprocessableEntity, "Reference does not exist")
	}
	if err := c.isCommit(in.Sha); err != nil {
		return answer{}, err
	}
	if base, err := c.repo.git.MergeBase(c.ctx, r.Sha, in.Sha); !in.Force && (err != nil || base != r.Sha) {
		return answer{}, refuse(http.StatusUnprocessableEntity, "Update is not a fast forward")
	}
	if err := c.repo.move(c.ctx, r.Name, r.Sha, in.Sha, c.actor()); err != nil {
		return answer{}, err
	}
	return ok(c.refView(gitrepo.Ref{Name: r.Name, Sha: in.Sha, Type: "commit"})), nil
}

func (c *call) deleteRef() (answer, error) {
	r, found := c.ref()
	if !found || strings.HasPrefix(r.Name, "refs/pull/") {
		return answer{}, refuse(http.StatusUnprocessableEntity, "Reference does not exist")
	}
	if err := c.repo.move(c.ctx, r.Name, r.Sha, "", c.actor()); err != nil {
		return answer{}, err
	}
	return noContent, nil
}
