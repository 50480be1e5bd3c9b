package dispatch_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/odfix/odfix/internal/dispatch"
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
