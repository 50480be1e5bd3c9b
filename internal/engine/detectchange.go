package engine

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// touched returns the tests that the change since a revision touches: tests whose class comes from
// a changed file, or that can reach a class of the project that does.
func (d *detection) touched(ctx context.Context) ([]suite.TestID, error) {
	files, err := changedFiles(ctx, d.p.about.Root, d.opts.ChangedSince)
	if err != nil {
		return nil, err
	}
	affected, rest, err := d.p.base.AffectedBy(ctx, files)
	if err != nil {
		return nil, err
	}
	if len(rest) > 0 {
		d.note("Of the %d changed files, %d are no sources of this module's code and were not taken into account (%s …).",
			len(files), len(rest), rest[0])
	}
	can := map[suite.TestID]bool{}
	for _, t := range d.tests.Order() {
		can[t] = true
	}
	out := slices.DeleteFunc(affected, func(t suite.TestID) bool { return !can[t] })
	if len(out) == 0 {
		d.note("The change since %s touches no test of this module.", d.opts.ChangedSince)
	}
	return out, nil
}

// gitLimit is the time limit for git.
const gitLimit = time.Minute

// changedFiles returns the files that differ from a revision, including files that are not tracked
// yet. Paths are relative to the top of the work tree, with '/'.
func changedFiles(ctx context.Context, dir, rev string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, gitLimit)
	defer cancel()
	if _, err := git(ctx, dir, "rev-parse", "--is-inside-work-tree"); err != nil {
		return nil, &job.Error{Code: "no-git", Message: dir +
			" is not in a git work tree, so changes are not known: " + err.Error(), Hint: "Leave out --changed-since."}
	}
	commit, err := git(ctx, dir, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if err != nil {
		return nil, &job.Error{Code: "no-such-revision", Message: fmt.Sprintf("git knows no revision %q", rev),
			Hint: "Name a commit, a branch or a tag; in a shallow clone, fetch it first (git fetch origin " +
				strings.TrimPrefix(rev, "origin/") + ")."}
	}
	tracked, err := git(ctx, dir, "diff", "--name-only", "--no-ext-diff", "-z", strings.TrimSpace(commit), "--")
	if err != nil {
		return nil, err
	}
	top, err := git(ctx, dir, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	fresh, err := git(ctx, strings.TrimRight(top, "\r\n"), "ls-files", "--others", "--exclude-standard", "-z")
	if err != nil {
		return nil, err
	}
	var out []string
	for _, f := range strings.Split(tracked+fresh, "\x00") {
		if f != "" {
			out = append(out, path.Clean(f))
		}
	}
	return out, nil
}

// git runs git with settings that keep the work tree's own configuration from running programs.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir, "-c", "core.fsmonitor=false", "-c",
		"diff.relative=false"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_OPTIONAL_LOCKS=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
		return "", errors.New(cmp.Or(first, err.Error()))
	}
	return string(out), nil
}
