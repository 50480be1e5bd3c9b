package githubtest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/odfix/odfix/internal/githubtest/gitrepo"
)

// RepositorySpec describes a repository. Its files, from a folder or given here, become the first
// commit of its default branch.
type RepositorySpec struct {
	Owner   *Account
	Name    string
	Private bool
	Dir     string            // a folder; the files that .gitignore names are left out
	Files   map[string]string // by path, in addition to the folder's
}

// Repository is a repository with its pull requests, checks and workflow runs.
type Repository struct {
	ID      int64
	Name    string
	Private bool

	s       *Server
	git     *gitrepo.Repo
	owner   *Account
	parent  *Repository // of a fork
	roles   map[*Account]string
	created time.Time
	pushed  time.Time

	pulls     []*PullRequest
	issues    []*Issue
	suites    []*CheckSuite
	runs      []*Run
	artifacts []*Artifact
	workflows []*workflow
}

// mainBranch is the default branch of every repository.
const mainBranch = "main"

// Change is a change of files: new contents by path, and removed paths.
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
	defer s.lock()()
	if s.repository(spec.Owner.Login, spec.Name) != nil {
		return nil, fmt.Errorf("%s/%s exists already", spec.Owner.Login, spec.Name)
	}
	r := s.newRepository(spec)
	var err error
	if r.git, err = gitrepo.Init(ctx, s.repoDir(r), mainBranch); err != nil {
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
	sha, err := r.git.Commit(ctx, tree, "Initial commit", r.signature(spec.Owner))
	if err != nil {
		return nil, err
	}
	s.repos = append(s.repos, r)
	return r, r.git.SetRef(ctx, "refs/heads/"+mainBranch, sha)
}

// Like makes a repository with the same commits as this one, at no cost. Nothing may be pushed to it.
func (r *Repository) Like(name string) *Repository {
	defer r.s.lock()()
	other := r.s.newRepository(RepositorySpec{Owner: r.owner, Name: name, Private: r.Private})
	other.git = r.git
	r.s.repos = append(r.s.repos, other)
	return other
}

func (s *Server) newRepository(spec RepositorySpec) *Repository {
	return &Repository{s: s, ID: s.id("repository"), Name: spec.Name, Private: spec.Private, owner: spec.Owner,
		roles: map[*Account]string{}, created: s.now(), pushed: s.now()}
}

// Fork copies the repository to another account.
func (r *Repository) Fork(ctx context.Context, owner *Account) (*Repository, error) {
	defer r.s.lock()()
	fork := r.s.newRepository(RepositorySpec{Owner: owner, Name: r.Name, Private: r.Private})
	fork.parent = r
	var err error
	if fork.git, err = r.git.Fork(ctx, r.s.repoDir(fork), mainBranch); err != nil {
		return nil, err
	}
	r.s.repos = append(r.s.repos, fork)
	return fork, nil
}

// Repository finds a repository, or returns nil.
func (s *Server) Repository(owner, name string) *Repository {
	defer s.lock()()
	return s.repository(owner, name)
}

// PullRequest finds a pull request, or returns nil.
func (r *Repository) PullRequest(number int) *PullRequest {
	defer r.s.lock()()
	return r.pull(int64(number))
}

func (s *Server) repository(owner, name string) *Repository {
	for _, r := range s.repos {
		if strings.EqualFold(r.owner.Login, owner) && strings.EqualFold(r.Name, name) {
			return r
		}
	}
	return nil
}

// FullName is owner/name.
func (r *Repository) FullName() string { return r.owner.Login + "/" + r.Name }

// SetRole gives a person a role: read, triage, write, maintain, admin, or none.
func (r *Repository) SetRole(a *Account, role string) {
	defer r.s.lock()()
	r.roles[a] = role
}

// role is the person's role in the repository.
func (r *Repository) role(a *Account) string {
	role, given := r.roles[a]
	switch {
	case given:
		return role
	case a == r.owner:
		return "admin"
	case slices.Contains(r.owner.members, a), !r.Private:
		return "read"
	}
	return "none"
}

// permission is a role in GitHub's four older names.
func permission(role string) string {
	switch role {
	case "maintain":
		return "write"
	case "triage":
		return "read"
	case "admin", "write", "read", "none":
		return role
	}
	return "write" // a role that an organisation has defined itself
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
	return "NONE"
}

func (r *Repository) signature(a *Account) gitrepo.Person {
	return gitrepo.Person{Name: a.Name, Email: a.Email, When: r.s.now()}
}

// Commit adds a commit to a branch, as a push of it does. A new branch begins at the default
// branch.
func (r *Repository) Commit(ctx context.Context, by *Account, branch, message string, change Change) (string, error) {
	defer r.s.lock()()
	return r.commit(ctx, by, branch, message, change)
}

func (r *Repository) commit(ctx context.Context, by *Account, branch, message string, change Change) (string, error) {
	return r.push(ctx, by, branch, message, func(parent string) (string, error) { return r.git.Tree(ctx, parent, change.list()) })
}

// LooseCommit makes a commit that no branch of the repository contains. GitHub shows such commits of
// a repository's forks. Its files are those of the last parent, with the change.
func (r *Repository) LooseCommit(ctx context.Context, by *Account, change Change, parents ...string) (string, error) {
	defer r.s.lock()()
	from := ""
	if len(parents) > 0 {
		from = parents[len(parents)-1]
	}
	tree, err := r.git.Tree(ctx, from, change.list())
	if err != nil {
		return "", err
	}
	return r.git.Commit(ctx, tree, "Loose commit", r.signature(by), parents...)
}

// CommitDir adds a commit with exactly the files of a folder, without those that .gitignore names.
func (r *Repository) CommitDir(ctx context.Context, by *Account, branch, message, dir string) (string, error) {
	defer r.s.lock()()
	return r.push(ctx, by, branch, message, func(string) (string, error) { return r.git.Snapshot(ctx, dir) })
}

func (r *Repository) push(ctx context.Context, by *Account, branch, message string,
	tree func(parent string) (string, error)) (string, error) {
	before, err := r.git.Resolve(ctx, "heads/"+branch)
	parent := before
	if err != nil {
		if parent, err = r.git.Resolve(ctx, "heads/"+mainBranch); err != nil {
			return "", err
		}
	}
	made, err := tree(parent)
	if err != nil {
		return "", err
	}
	sha, err := r.git.Commit(ctx, made, message, r.signature(by), parent)
	if err != nil {
		return "", err
	}
	return sha, r.move(ctx, "refs/heads/"+branch, before, sha, by)
}

// move points a reference at a commit. For a branch, it sends the events of a push and updates
// the pull requests.
func (r *Repository) move(ctx context.Context, ref, before, sha string, by *Account) error {
	if err := r.git.SetRef(ctx, ref, sha); err != nil {
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
	r.openSuites(sha, branch)
	return r.s.updatePulls(ctx, r, branch, before, by)
}

// Checkout writes the files of a commit or branch into a folder, as CI does.
func (r *Repository) Checkout(ctx context.Context, ref, dir string) error {
	sha, err := r.git.Resolve(ctx, ref)
	if err != nil {
		return err
	}
	return r.git.Checkout(ctx, sha, dir)
}

// File returns a file's text in a commit or branch.
func (r *Repository) File(ctx context.Context, ref, path string) (string, error) {
	sha, err := r.git.Resolve(ctx, ref)
	if err != nil {
		return "", err
	}
	_, b, err := r.git.File(ctx, sha, path)
	return string(b), err
}
