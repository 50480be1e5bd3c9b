package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/lockfile"
)

// files are the names in the output folder. Each kind of job has its own, so
// that verify and run never take the report away that they are about.
type files struct{ report, log string }

func filesOf(k job.Kind) files {
	switch k {
	case job.KindVerify:
		return files{"verify.json", "verify.log"}
	case job.KindRun:
		return files{"run.json", "run.log"}
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
		sweep(os.TempDir())
		s.temp = true
		if s.out, err = os.MkdirTemp("", "odfix-"+filepath.Base(j.Dir)+"-"); err == nil {
			s.lock, err = lockfile.Try(s.path(lockName))
		}
		return err
	}
	if s.out, err = filepath.Abs(s.p.out); err == nil {
		err = os.MkdirAll(s.out, 0o755)
	}
	if err == nil {
		err = ownReport(s.path(s.files.report))
	}
	return err
}

// ownReport reports whether a file is not there, or may be written over since odfix wrote it.
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

// sweep removes temporary output folders whose odfix was killed before it had
// an answer: the locks that say they are in use are nobody's any more.
func sweep(temp string) {
	locks, _ := filepath.Glob(filepath.Join(temp, "odfix-*", lockName))
	for _, file := range locks {
		lock, _ := lockfile.Try(file)
		if lock == nil {
			continue
		}
		if _, err := os.Stat(filepath.Join(filepath.Dir(file), "report.json")); errors.Is(err, fs.ErrNotExist) {
			_ = os.RemoveAll(filepath.Dir(file))
		}
		_ = lock.Close()
	}
}

// close frees the output folder: what is in it now stays.
func (s *session) close() {
	_ = s.log.Close()
	if s.lock != nil {
		_ = os.Remove(s.path(lockName))
		_ = s.lock.Close()
		s.lock = nil
	}
}
