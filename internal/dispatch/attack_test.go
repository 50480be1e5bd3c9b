package dispatch_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/isolate"
	"github.com/odfix/odfix/internal/job"
)

// TestAttackOtherCaches: a job gets the cache of its own installation, which it cannot choose.
func TestAttackOtherCaches(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"1", "2"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "4"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	d := &dispatch.Isolated{Caches: dir}
	for id, want := range map[int64]string{1: filepath.Join(dir, "1"), 2: filepath.Join(dir, "2"), 3: "", 4: "", 0: "", -1: ""} {
		if got := d.Private(job.Job{Installation: id}); got != want {
			t.Errorf("installation %d: %q", id, got)
		}
	}
	if got := new(dispatch.Isolated).Private(job.Job{Installation: 1}); got != "" {
		t.Errorf("without caches: %q", got)
	}
}

// TestForgedLines: a runner's line is not decoded if it is longer than the server reads, or has very
// many values.
func TestForgedLines(t *testing.T) {
	const most = 1 << 20
	for name, c := range map[string]struct {
		line string
		ok   bool
	}{
		"a report":            {`{"report":{"version":` + strconv.Itoa(job.Version) + `,"notes":["` + strings.Repeat("x", most/2) + `"]}}`, true},
		"a long report":       {`{"report":{"notes":["` + strings.Repeat("x", most) + `"]}}`, false},
		"a report of objects": {`{"report":{"tests":[` + strings.Repeat("{},", 10_000) + `{}]}}`, false},
		"a long event":        {`{"event":{"message":"` + strings.Repeat("x", 64<<10) + `"}}`, false},
	} {
		if l, err := dispatch.ReadLine([]byte(c.line), most); (err == nil) != c.ok || (l.Report != nil) != c.ok {
			t.Errorf("%s: report %v, %v", name, l.Report != nil, err)
		}
	}
}

// TestAttackFullDiskOfOthers: the error tells a job that exceeded its limits from one that another
// job's files, or what the kernel keeps for it, may have ended.
func TestAttackFullDiskOfOthers(t *testing.T) {
	for want, got := range map[string]*job.Error{
		dispatch.CodeFull:    dispatch.LimitError(fmt.Errorf("%w: 1 MiB", isolate.ErrMachine)),
		dispatch.CodeGreedy:  dispatch.LimitError(errors.New("11 MiB of files")),
		dispatch.CodeMissing: dispatch.NoRoom(errors.New("no bwrap")),
	} {
		if got.Code != want {
			t.Errorf("want %s, got %+v", want, got)
		}
	}
	if got := dispatch.NoRoom(&os.PathError{Op: "mkdir", Err: syscall.ENOSPC}); got.Code != dispatch.CodeFull {
		t.Errorf("a full disk: %+v", got)
	}
	if got := dispatch.NoRoom(fmt.Errorf("%w: mkfs.ext4 failed", isolate.ErrNoDisk)); got.Code != dispatch.CodeFull {
		t.Errorf("a disk that another job still uses: %+v", got)
	}
	got := dispatch.LimitError(fmt.Errorf("%w: 9 sockets", isolate.ErrKernel))
	if got.Code != dispatch.CodeGreedy || !strings.Contains(got.Message, "9 sockets") {
		t.Errorf("too much in the kernel: %+v", got)
	}
	if got := dispatch.LimitError(nil); got != nil {
		t.Errorf("no error: %+v", got)
	}
}
