package java

import (
	"os"
	"testing"
)

// TestTemporary checks that a new runner removes folders of killed runners and keeps those in use.
func TestTemporary(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	folder := func() *temporary {
		made, err := newTemporary()
		if err != nil {
			t.Fatal(err)
		}
		if entries, err := os.ReadDir(made.dir); err != nil || len(entries) > 0 {
			t.Fatalf("tests would find %v (%v)", entries, err)
		}
		return made
	}
	killed, busy := folder(), folder()
	if err := killed.lock.Close(); err != nil { // as the system does when a process ends
		t.Fatal(err)
	}
	mine := folder()
	for dir, there := range map[string]bool{killed.all: false, busy.dir: true, mine.dir: true} {
		if _, err := os.Stat(dir); (err == nil) != there {
			t.Errorf("%s is there: %v, want %v", dir, err == nil, there)
		}
	}
	for _, one := range []*temporary{mine, busy, nil} {
		if err := one.Close(); err != nil {
			t.Error(err)
		}
	}
	if left, _ := os.ReadDir(os.TempDir()); len(left) > 0 {
		t.Errorf("still there: %v", left)
	}
}
