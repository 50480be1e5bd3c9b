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
	"github.com/odfix/odfix/internal/shell"
	"github.com/odfix/odfix/internal/suggest"
	"github.com/odfix/odfix/templates"
)

// combine is the best proved patch of every test as one patch for the checkout
// as it is now, and what a person should know about it. Patches that do not go
// together are left out, later ones first.
func combine(r *job.Report, dir string) (patch string, notes []string) {
	diffs := chosen(r)
	if len(diffs) == 0 {
		return "", nil
	}
	tree := checkout{dir: dir, after: map[string]string{}, before: map[string]string{}}
	taken := 0
	for _, d := range diffs {
		if err := tree.add(d); err != nil {
			notes = append(notes, fmt.Sprintf("%s leaves out a patch: %v.", patchName, err))
			continue
		}
		taken, patch = taken+1, d
	}
	if taken > 1 {
		patch = tree.diff()
		notes = append(notes, fmt.Sprintf("%s holds %d patches; each was proved by itself, not all together.", patchName, taken))
	}
	return patch, notes
}

// chosen are the different diffs that are best for some test, in the report's order.
func chosen(r *job.Report) []string {
	var out []string
	for _, t := range r.Tests {
		if p := templates.Proved(r, t.Test); p != nil && !slices.Contains(out, p.RawDiff()) {
			out = append(out, p.RawDiff())
		}
	}
	return out
}

// apply changes the checkout, provided that all of the patch fits, and
// returns the changed files.
func apply(dir, patch string) ([]string, error) {
	if patch == "" {
		return nil, errors.New("it does not fit the files as they are now")
	}
	tree := checkout{dir: dir, after: map[string]string{}, before: map[string]string{}}
	if err := tree.add(patch); err != nil {
		return nil, err
	}
	files := slices.Sorted(maps.Keys(tree.after))
	for i, f := range files {
		path, err := tree.locate(f)
		if err == nil {
			err = replace(path, tree.after[f])
		}
		if err != nil {
			return nil, fmt.Errorf("%w (changed before that: %s)", err, cmp.Or(strings.Join(files[:i], ", "), "nothing"))
		}
	}
	return files, nil
}

// checkout is a folder with changes that are not written yet.
type checkout struct {
	dir           string
	before, after map[string]string
}

// add takes all of a patch or nothing. Every patch is for the text as it was
// before any other.
func (c *checkout) add(patch string) error {
	changed, err := suggest.ApplyAll(patch, c.read)
	if err != nil {
		return err
	}
	for name, text := range changed {
		if others, ok := c.after[name]; ok {
			if changed[name], ok = suggest.Merge(c.before[name], others, text); !ok {
				return fmt.Errorf("%s: it changes the same place as another patch; once that is applied, run odfix fix again", name)
			}
		}
	}
	maps.Copy(c.after, changed)
	return nil
}

func (c *checkout) read(name string) (string, error) {
	if text, ok := c.before[name]; ok {
		return text, nil
	}
	path, err := c.locate(name)
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	c.before[name] = string(text)
	return string(text), nil
}

// locate is where a file of the checkout really is; links that lead out of the
// checkout are refused.
func (c *checkout) locate(name string) (string, error) {
	root, err := filepath.EvalSymlinks(c.dir)
	if err != nil {
		return "", err
	}
	path, err := filepath.EvalSymlinks(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		return "", fmt.Errorf("%s is not there any more: %w", name, err)
	}
	if rel, err := filepath.Rel(root, path); err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("%s is a link to a place outside the checkout", name)
	}
	return path, nil
}

func (c *checkout) diff() string {
	var edits []suggest.Edit
	for _, f := range slices.Sorted(maps.Keys(c.after)) {
		edits = append(edits, suggest.Edit{Path: f, Before: c.before[f], After: c.after[f]})
	}
	return suggest.Unified(edits...)
}

// replace writes a file so that it is either old or new, never half.
func replace(path, text string) error {
	fi, err := os.Stat(path)
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".odfix-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // after the rename there is nothing to remove
	_, err = tmp.WriteString(text)
	if err == nil {
		err = tmp.Chmod(fi.Mode().Perm())
	}
	if closed := tmp.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

func cannotApply(err error) *job.Error {
	return &job.Error{
		Code:    "cannot-apply",
		Message: "the patch is proved, but was not applied: " + err.Error(),
		Hint:    "The files have probably changed since the search began; run odfix fix again.",
	}
}

// applyLine is the shell command that applies the patch. Git ignores without a
// word what it thinks is outside the current folder, so it is told the prefix.
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

// verifyLine is the shell command that proves a report's patches again.
func verifyLine(dir, report string) string {
	line := "odfix verify " + shell.Quote(report)
	if wd, err := os.Getwd(); err != nil || wd != dir {
		line += " " + shell.Quote(dir)
	}
	return line
}

// gitPrefix is the checkout's place within its repository, "" at the top or without one.
func gitPrefix(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, ".git")); err == nil {
			rel, err := filepath.Rel(at, dir)
			if err != nil || rel == "." {
				return ""
			}
			return filepath.ToSlash(rel)
		}
		if at == filepath.Dir(at) {
			return ""
		}
	}
}
