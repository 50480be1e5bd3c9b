package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/shell"
	"github.com/odfix/odfix/internal/wholefile"
)

// whole returns the content of odfix.patch for the current checkout, written anew, with notes for
// people. It is the patch of all tests if that was proved as a whole, or else the proved patch that
// fixes most tests.
func whole(r *job.Report, dir string) (diff string, notes []string) {
	chosen := r.Chosen()
	if len(chosen) == 0 {
		return "", nil
	}
	best := slices.MaxFunc(chosen, func(a, b *job.Patch) int { return cmp.Compare(len(a.Fixes), len(b.Fixes)) })
	diff = best.RawDiff()
	switch {
	case r.Combined != nil && r.Combined.Proof.Proved:
		diff, notes = r.Combined.RawDiff(), r.Combined.LeftOut
	case len(chosen) > 1:
		notes = append(notes, fmt.Sprintf("%s holds one of %d patches, each of which is proved separately: it was "+
			"not shown that they work together. Apply it, then run odfix fix again.", patchName, len(chosen)))
	}
	tree := patch.Tree{Read: checkout(dir).read}
	if err := tree.Add(diff); err != nil {
		return "", append(notes, fmt.Sprintf("The patch is not kept as %s: %v.", patchName, err))
	}
	return tree.Diff(), notes
}

// apply changes the checkout if the whole patch fits, and returns the changed files.
func apply(dir, diff string) ([]string, error) {
	if diff == "" {
		return nil, errors.New("it does not fit the files as they are now")
	}
	at := checkout(dir)
	tree := patch.Tree{Read: at.read}
	if err := tree.Add(diff); err != nil {
		return nil, err
	}
	after := tree.Files()
	files := slices.Sorted(maps.Keys(after))
	for i, f := range files {
		path, err := at.locate(f)
		var fi os.FileInfo
		if err == nil {
			fi, err = os.Stat(path)
		}
		if err == nil {
			err = wholefile.Write(path, []byte(after[f]), fi.Mode().Perm())
		}
		if err != nil {
			return nil, fmt.Errorf("%w (changed before that: %s)", err, cmp.Or(strings.Join(files[:i], ", "), "nothing"))
		}
	}
	return files, nil
}

// checkout is the folder to which paths in patches are relative.
type checkout string

func (c checkout) read(name string) (string, error) {
	path, err := c.locate(name)
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(path)
	return string(text), err
}

// locate returns the real path of a file of the checkout. It refuses links that
// lead out of the checkout.
func (c checkout) locate(name string) (string, error) {
	root, err := filepath.EvalSymlinks(string(c))
	if err != nil {
		return "", err
	}
	path, err := filepath.EvalSymlinks(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		return "", fmt.Errorf("%s no longer exists: %w", name, err)
	}
	if rel, err := filepath.Rel(root, path); err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("%s is a link to a place outside the checkout", name)
	}
	return path, nil
}

func cannotApply(err error) *job.Error {
	return &job.Error{
		Code:    "cannot-apply",
		Message: "the patch is proved, but was not applied: " + err.Error(),
		Hint:    "The files have probably changed since the search began; run odfix fix again.",
	}
}

// applyLine returns the shell command that applies the patch. git apply silently ignores files
// outside the current folder, so the command gives the checkout's path in its repository.
func applyLine(dir, patch string) string {
	line := "git apply "
	if prefix := gitPrefix(dir); prefix != "" {
		line += "--directory=" + shell.Quote(prefix) + " "
	}
	line += shell.Quote(patch)
	if wd, err := os.Getwd(); err != nil || wd != dir {
		line = "cd " + shell.Quote(dir) + " && " + line
	}
	return line
}

// verifyLine returns the shell command that proves a report's patches again, with
// the same settings.
func verifyLine(j job.Job, report string) string {
	words := []string{"odfix", "verify", report}
	if wd, err := os.Getwd(); err != nil || wd != j.Dir {
		words = append(words, j.Dir)
	}
	for framework, language := range languages {
		if j.Language != "" && j.Language == language {
			words = append(words, "--framework", framework)
		}
	}
	if j.BuildTool != "" {
		words = append(words, "--build-tool", j.BuildTool)
	}
	for _, a := range j.BuildArgs {
		words = append(words, "--build-arg", a)
	}
	if j.Offline {
		words = append(words, "--offline")
	}
	if j.Runtime != "" {
		words = append(words, "--java-home", j.Runtime)
	}
	return shell.Line(words...)
}

// gitPrefix returns the checkout's folder within its repository. It returns "" at the top or
// without a repository.
func gitPrefix(dir string) string {
	rel, err := filepath.Rel(above(dir, ".git"), dir)
	if err != nil || rel == "." {
		return ""
	}
	return filepath.ToSlash(rel)
}

// above returns the folder at or above dir that contains the name; "" if none does.
func above(dir, name string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, name)); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return ""
		}
	}
}
