package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/lockfile"
)

// files are the names in the output folder. Each kind of job has its own names, so that verify and
// run never overwrite the report that they read.
type files struct{ report, log string }

func filesOf(k job.Kind) files {
	switch k {
	case job.KindVerify:
		return files{"verify.json", "verify.log"}
	case job.KindRun:
		return files{"run.json", "run.log"}
	case job.KindPollution:
		return files{"pollution.json", "pollution.log"}
	}
	return files{"report.json", "odfix.log"}
}

const (
	patchName = "odfix.patch"
	lockName  = ".odfix.lock"
)

// open makes the output folder.
func (s *session) open(j *job.Job) (err error) {
	if s.p.out == "" {
		lockfile.Folders{Prefix: "odfix-", Lock: lockName}.Sweep(answered)
		s.temp = true
		s.out, s.lock, err = lockfile.Folders{Prefix: "odfix-" + filepath.Base(j.Dir) + "-", Lock: lockName}.Make()
		return err
	}
	if s.out, err = filepath.Abs(s.p.out); err == nil && !s.resumes {
		err = makeOut(s.out)
	}
	if err == nil {
		err = ownReport(s.path(s.files.report))
	}
	return err
}

// makeOut makes the folder. If it is new, git ignores what is in it, since nobody wants to commit
// reports.
func makeOut(dir string) error {
	if _, err := os.Stat(dir); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	err := os.MkdirAll(dir, 0o755)
	if err == nil && above(dir, ".git") != "" {
		err = os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("*\n"), 0o644)
	}
	return err
}

// ownReport reports whether a file does not exist, or may be overwritten because odfix wrote it.
func ownReport(path string) error {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var r struct {
		Tool string `json:"tool"`
	}
	if err == nil && (json.Unmarshal(text, &r) != nil || !strings.HasPrefix(r.Tool, "odfix ")) {
		err = fmt.Errorf("%s is there already, and was not written by odfix", path)
	}
	return err
}

// setAside renames the report and the patch of an earlier job, so that this one does not overwrite
// them. A detection that continues replaces its own report.
func (s *session) setAside() error {
	names := []string{s.files.report}
	if s.files == filesOf(job.KindFix) {
		names = append(names, patchName)
	}
	if fi, err := os.Stat(s.path(s.files.report)); s.resumes || s.aside || err != nil || !fi.Mode().IsRegular() {
		return nil
	}
	s.aside = true
	numbered := func(name string, n int) string {
		ext := filepath.Ext(name)
		return s.path(fmt.Sprintf("%s.%d%s", strings.TrimSuffix(name, ext), n, ext))
	}
	n := 1
	for slices.ContainsFunc(names, func(name string) bool {
		_, err := os.Lstat(numbered(name, n))
		return err == nil
	}) {
		n++
	}
	for _, name := range names {
		if err := os.Rename(s.path(name), numbered(name, n)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// answered reports whether a folder contains, or may contain, the report of some job. Such a folder
// is kept, even if the odfix that created it has ended.
func answered(dir string) bool {
	return slices.ContainsFunc([]job.Kind{job.KindFix, job.KindVerify, job.KindRun, job.KindPollution}, func(k job.Kind) bool {
		_, err := os.Stat(filepath.Join(dir, filesOf(k).report))
		return !errors.Is(err, fs.ErrNotExist)
	})
}

// close releases the output folder. Its files stay.
func (s *session) close() {
	_ = s.log.Close()
	if s.lock != nil {
		_ = os.Remove(s.path(lockName))
		_ = s.lock.Close()
		s.lock = nil
	}
}
