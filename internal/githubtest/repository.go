package githubtest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/odfix/odfix/internal/githubtest/gitrepo"
)

// RepositorySpec describes a repository; its files, from a folder or given
// here, become the first commit of its default branch.
type RepositorySpec struct {
	Owner   *Account
	Name    string
	Private bool
	Branch  string            // the default branch; empty: main
	Dir     string            // a folder, taken as git would: without what .gitignore names
	Files   map[string]string // added to, or instead of, the folder's
}

// Repository is one with everything that belongs to it.
type Repository struct {
	ID      int64
	Name    string
	Private bool
	Default string

	s       *Server
	git     *gitrepo.Repo
	owner   *Account
	parent  *Repository
	roles   map[*Account]string
	created time.Time
	pushed  time.Time

	numbers   int // of pull requests
	pulls     []*PullRequest
	comments  []*Comment
	suites    []*CheckSuite
	runs      []*Run
	artifacts []*Artifact
	workflows []*workflow
	statuses  []*status
}

// Change is what a commit does to files: new contents by path, and paths removed.
type Change struct {
	Files  map[string]string
	Remove []string
}

func (ch Change) list() []gitrepo.Change {
	var all []gitrepo.Change
	for _, path := range slices.Sorted(maps.Keys(ch.Files)) {
		all = append(all, gitrepo.Change{Path: path, Content: []byte(ch.Files[path])})
	}
	for _, path := range ch.Remove {
		all = append(all, gitrepo.Change{Path: path})
	}
	return all
}

// AddRepository makes a repository.
func (s *Server) AddRepository(ctx context.Context, spec RepositorySpec) (*Repository, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if spec.Owner == nil || spec.Name == "" {
		return nil, errors.New("a repository needs an owner and a name")
	}
	if s.repository(spec.Owner.Login, spec.Name) != nil {
		return nil, fmt.Errorf("%s/%s is there already", spec.Owner.Login, spec.Name)
	}
	r := s.newRepository(spec)
	var err error
	if r.git, err = gitrepo.Init(ctx, s.repoDir(r), r.Default); err != nil {
		return nil, err
	}
	tree := ""
	if spec.Dir != "" {
		if tree, err = r.git.Snapshot(ctx, spec.Dir); err != nil {
			return nil, err
		}
	}
	if tree, err = r.git.Tree(ctx, tree, Change{Files: spec.Files}.list()); err != nil {
		return nil, err
	}
	sha, err := r.commitTree(ctx, tree, "Initial commit", spec.Owner)
	if err != nil {
		return nil, err
	}
	if err := r.git.SetRef(ctx, "refs/heads/"+r.Default, sha); err != nil {
		return nil, err
	}
	s.repos = append(s.repos, r)
	return r, nil
}

func (s *Server) newRepository(spec RepositorySpec) *Repository {
	branch := spec.Branch
	if branch == "" {
		branch = "main"
	}
	return &Repository{s: s, ID: s.id("repository"), Name: spec.Name, Private: spec.Private, Default: branch,
		owner: spec.Owner, roles: map[*Account]string{}, created: s.now(), pushed: s.now()}
}

// Fork copies the repository to another account.
func (r *Repository) Fork(ctx context.Context, owner *Account) (*Repository, error) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	fork := r.s.newRepository(RepositorySpec{Owner: owner, Name: r.Name, Private: r.Private, Branch: r.Default})
	fork.parent = r
	var err error
	if fork.git, err = r.git.Fork(ctx, r.s.repoDir(fork)); err != nil {
		return nil, err
	}
	r.s.repos = append(r.s.repos, fork)
	return fork, nil
}

// Repository finds a repository, or gives nil.
func (s *Server) Repository(owner, name string) *Repository {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.repository(owner, name)
}

// PullRequest finds a pull request, or gives nil.
func (r *Repository) PullRequest(number int) *PullRequest {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	return r.pull(int64(number))
}

func (s *Server) repository(owner, name string) *Repository {
	for _, r := range s.repos {
		if strings.EqualFold(r.owner.Login, owner) && strings.EqualFold(r.Name, strings.TrimSuffix(name, ".git")) {
			return r
		}
	}
	return nil
}

// FullName is owner/name.
func (r *Repository) FullName() string { return r.owner.Login + "/" + r.Name }

// SetRole gives a person a role: read, triage, write, maintain, admin, or none.
func (r *Repository) SetRole(a *Account, role string) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	r.roles[a] = role
}

// role is what a person may do here, in GitHub's finer words.
func (r *Repository) role(a *Account) string {
	if role, given := r.roles[a]; given {
		return role
	}
	switch {
	case a == r.owner:
		return "admin"
	case slices.Contains(r.owner.members, a), !r.Private:
		return "read"
	}
	return "none"
}

// permission is the role in the older, coarser words.
func permission(role string) string {
	switch role {
	case "maintain":
		return "write"
	case "triage":
		return "read"
	case "admin", "write", "read", "none":
		return role
	}
	return "write" // a role of an organisation's own
}

func (r *Repository) association(a *Account) string {
	switch {
	case a == r.owner:
		return "OWNER"
	case slices.Contains(r.owner.members, a):
		return "MEMBER"
	case r.roles[a] != "" && r.roles[a] != "none":
		return "COLLABORATOR"
	}
	for _, pr := range r.pulls {
		if pr.author == a && !pr.merged.IsZero() {
			return "CONTRIBUTOR"
		}
	}
	return "NONE"
}

func (r *Repository) signature(a *Account) gitrepo.Person {
	return gitrepo.Person{Name: a.Name, Email: a.Email, When: r.s.now()}
}

func (r *Repository) commitTree(ctx context.Context, tree, message string, by *Account, parents ...string) (string, error) {
	p := r.signature(by)
	return r.git.Commit(ctx, tree, message, p, p, parents...)
}

// Commit adds a commit to a branch, which it makes off the default branch where
// it is new, as a push of it would.
func (r *Repository) Commit(ctx context.Context, by *Account, branch, message string, change Change) (string, error) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	return r.commit(ctx, by, branch, message, change)
}

func (r *Repository) commit(ctx context.Context, by *Account, branch, message string, change Change) (string, error) {
	before, err := r.git.Resolve(ctx, "heads/"+branch)
	parent := before
	if err != nil {
		if parent, err = r.git.Resolve(ctx, "heads/"+r.Default); err != nil {
			return "", err
		}
	}
	tree, err := r.git.Tree(ctx, parent, change.list())
	if err != nil {
		return "", err
	}
	sha, err := r.commitTree(ctx, tree, message, by, parent)
	if err != nil {
		return "", err
	}
	return sha, r.move(ctx, "refs/heads/"+branch, before, sha, by)
}

// ForcePush replaces a branch by one commit on top of the default branch.
func (r *Repository) ForcePush(ctx context.Context, by *Account, branch, message string, change Change) (string, error) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	before, err := r.git.Resolve(ctx, "heads/"+branch)
	if err != nil {
		return "", err
	}
	parent, err := r.git.Resolve(ctx, "heads/"+r.Default)
	if err != nil {
		return "", err
	}
	tree, err := r.git.Tree(ctx, parent, change.list())
	if err != nil {
		return "", err
	}
	sha, err := r.commitTree(ctx, tree, message, by, parent)
	if err != nil {
		return "", err
	}
	return sha, r.move(ctx, "refs/heads/"+branch, before, sha, by)
}

// move points a reference at a commit (or removes it where sha is empty) and
// does all that GitHub does behind a push.
func (r *Repository) move(ctx context.Context, ref, before, sha string, by *Account) error {
	if sha == "" {
		if err := r.git.DeleteRef(ctx, ref); err != nil {
			return err
		}
	} else if err := r.git.SetRef(ctx, ref, sha); err != nil {
		return err
	}
	r.pushed = r.s.now()
	if err := r.pushEvent(ctx, ref, before, sha, by); err != nil {
		return err
	}
	branch, isBranch := strings.CutPrefix(ref, "refs/heads/")
	if !isBranch {
		return nil
	}
	if sha == "" {
		r.s.orphan(ctx, r, branch, by)
		return nil
	}
	r.openSuites(sha, branch)
	return r.s.pushed(ctx, r, branch, before, by)
}

// Head is the commit at the tip of a branch.
func (r *Repository) Head(ctx context.Context, branch string) (string, error) {
	return r.git.Resolve(ctx, "heads/"+branch)
}

// Checkout writes the files of a commit or branch into a folder, as CI does.
func (r *Repository) Checkout(ctx context.Context, ref, dir string) error {
	sha, err := r.git.Resolve(ctx, ref)
	if err != nil {
		return err
	}
	return r.git.Checkout(ctx, sha, dir)
}

// File is a file's text in a commit or branch.
func (r *Repository) File(ctx context.Context, ref, path string) (string, error) {
	sha, err := r.git.Resolve(ctx, ref)
	if err != nil {
		return "", err
	}
	b, err := r.git.File(ctx, sha, path)
	return string(b), err
}
