// Package gitrepo keeps the bare git repositories of the stand-in GitHub. git itself makes commits,
// merges, diffs and archives: go-git has no merge.
//
// Invariants: git sees no configuration, hooks, prompts or credentials of the person who runs it.
// Each command has a budget of time. A name from a request never reaches git as an option.
package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/odfix/odfix/internal/child"
)

// ErrNotFound means that there is no such commit, tree, blob, reference or path.
var ErrNotFound = errors.New("not found in the repository")

// budget is how long one git command may take.
const budget = time.Minute

// Repo is one bare repository.
type Repo struct {
	Dir string
}

// Init creates dir and an empty repository in it. Its path must be absolute.
func Init(ctx context.Context, dir, branch string) (*Repo, error) {
	r := &Repo{Dir: dir}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	_, err := r.git(ctx, nil, "init", "--quiet", "--bare", "--initial-branch="+branch, ".")
	return r, err
}

// Fork makes a repository with all of r's branches.
func (r *Repo) Fork(ctx context.Context, dir, branch string) (*Repo, error) {
	fork, err := Init(ctx, dir, branch)
	if err != nil {
		return nil, err
	}
	return fork, fork.Take(ctx, r, "+refs/heads/*:refs/heads/*")
}

// Take fetches from another repository.
func (r *Repo) Take(ctx context.Context, from *Repo, refspec string) error {
	_, err := r.git(ctx, nil, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", from.Dir, refspec)
	return err
}

// git runs one command and returns its output.
func (r *Repo) git(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
	return r.gitWith(ctx, nil, stdin, args...)
}

func (r *Repo) gitWith(ctx context.Context, env []string, stdin []byte, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = r.Dir
	cmd.Env = append(environment(r.Dir), env...)
	cmd.WaitDelay = 5 * time.Second
	cmd.Stdin = bytes.NewReader(stdin)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	err := child.Run(cmd)
	if errors.Is(err, exec.ErrNotFound) {
		return nil, errors.New("the stand-in GitHub needs git: install it and add it to PATH")
	}
	if err != nil {
		return out.Bytes(), fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(stderr.String()))
	}
	return out.Bytes(), nil
}

func (r *Repo) text(ctx context.Context, args ...string) (string, error) {
	out, err := r.git(ctx, nil, args...)
	return strings.TrimSpace(string(out)), err
}

// environment is the whole environment of a git process.
func environment(home string) []string {
	env := []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_CONFIG_HOME=" + home, "LC_ALL=C", "TZ=UTC",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0",
		"GIT_CONFIG_COUNT=5",
		"GIT_CONFIG_KEY_0=core.hooksPath", "GIT_CONFIG_VALUE_0=" + os.DevNull,
		"GIT_CONFIG_KEY_1=safe.directory", "GIT_CONFIG_VALUE_1=*",
		"GIT_CONFIG_KEY_2=core.autocrlf", "GIT_CONFIG_VALUE_2=false",
		"GIT_CONFIG_KEY_3=gc.auto", "GIT_CONFIG_VALUE_3=0",
		"GIT_CONFIG_KEY_4=diff.renameLimit", "GIT_CONFIG_VALUE_4=1000",
	}
	for _, name := range []string{"SystemRoot", "TEMP", "TMP", "TMPDIR"} { // Windows needs the first to start a process
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}
