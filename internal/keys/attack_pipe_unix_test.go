//go:build unix

package keys

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestAttackPipe: a file that has become a pipe blocks nobody, and what it had before counts.
func TestAttackPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(path, []byte("one"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path, words)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got := strings.Join(f.Get(), " "); got != "one" || f.Err() == nil {
			t.Errorf("%q, %v", got, f.Err())
		}
	}
}
