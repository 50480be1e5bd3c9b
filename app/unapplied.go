package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
)

// before returns the texts of files before the patches of a report, if these are applied in the
// checkout; nil if they are not. Only patches that changed the whole text as expected count.
func before(root string, r *job.Report) map[string]string {
	var diffs []string
	if r.Combined != nil && r.Combined.Proof.Proved {
		diffs = append(diffs, r.Combined.RawDiff())
	}
	for _, p := range r.Chosen() {
		diffs = append(diffs, p.RawDiff())
	}
	read := checkout(root).read
	for _, d := range diffs {
		if _, err := patch.ApplyAll(d, read); err == nil {
			continue
		}
		if texts, err := patch.Unapply(d, read); err == nil {
			return texts
		}
	}
	return nil
}

// rootOf returns the folder to which the paths of a report's patches are relative.
func rootOf(r *job.Report, dir string) string {
	if rel, err := filepath.Rel(r.Project.Root, dir); err == nil && filepath.IsLocal(rel) && r.Project.Root != "" {
		return r.Project.Root
	}
	if root := above(dir, ".git"); root != "" {
		return root
	}
	return dir
}

// copyWithout copies a checkout, without output of its build, to a new folder, with other texts for
// some files. The caller removes the folder above it. The copy has an empty .git where the checkout has one, since
// paths of patches begin there. Installed modules are links.
func copyWithout(root string, texts map[string]string) (string, error) {
	temp, err := os.MkdirTemp("", "odfix-unapplied-")
	if err != nil {
		return "", err
	}
	to := filepath.Join(temp, filepath.Base(root))
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		dst := filepath.Join(to, rel)
		switch {
		case d.Name() == ".git" && rel == ".git":
			return skipDir(d, os.Mkdir(dst, 0o755))
		case d.Name() == "node_modules" && d.IsDir():
			return skipDir(d, os.Symlink(path, dst))
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "target"):
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(dst, 0o755)
		case d.Type()&fs.ModeSymlink != 0:
			at, err := os.Readlink(path)
			if err != nil {
				return err
			}
			return os.Symlink(at, dst)
		case !d.Type().IsRegular():
			return nil
		}
		return copyFile(path, dst, filepath.ToSlash(rel), texts)
	})
	if err != nil {
		_ = os.RemoveAll(temp)
	}
	return to, err
}

func skipDir(d fs.DirEntry, err error) error {
	if err == nil && d.IsDir() {
		return filepath.SkipDir
	}
	return err
}

func copyFile(from, to, rel string, texts map[string]string) error {
	fi, err := os.Stat(from)
	if err != nil {
		return err
	}
	if text, other := texts[rel]; other {
		return os.WriteFile(to, []byte(text), fi.Mode().Perm())
	}
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, fi.Mode().Perm())
}

// unapply lets the job work on a copy of the checkout without the report's patches, if they are
// applied in it. done removes the copy.
func (v *verify) unapply(j *job.Job) (done func(), err error) {
	root := rootOf(j.Report, j.Dir)
	texts := before(root, j.Report)
	if texts == nil {
		return func() {}, nil
	}
	rel, err := filepath.Rel(root, j.Dir)
	if err != nil {
		return nil, err
	}
	to, err := copyWithout(root, texts)
	if err != nil {
		return nil, &job.Error{Code: "no-copy", Message: "the patch is applied already, and no copy without it could be made: " + err.Error(),
			Hint: "Undo the patch (git apply -R odfix.patch), and run odfix verify again."}
	}
	v.applied = fmt.Sprintf("The patch is applied already in %s. It was proved in a copy without it, and the checkout was not changed.", root)
	j.Dir = filepath.Join(to, rel)
	return func() { _ = os.RemoveAll(filepath.Dir(to)) }, nil
}

// notes are what people should know about the arguments and the checkout.
func (v *verify) notes() []string {
	return slices.DeleteFunc([]string{v.note, v.applied}, func(s string) bool { return s == "" })
}
