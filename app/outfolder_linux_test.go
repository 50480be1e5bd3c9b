package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/odfix/odfix/internal/wholefile"
)

// TestFullDisk checks that a file that does not fit keeps its earlier content, and that no other
// file remains.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=32k"); errors.Is(err, syscall.EPERM) {
		t.Skip("only root can mount a small file system")
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, 0) })
	path := filepath.Join(dir, "report.json")
	if err := wholefile.Write(path, []byte("before"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := wholefile.Write(path, bytes.Repeat([]byte("x"), 64<<10), 0o644); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("64 kB in 32: %v", err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "before" {
		t.Errorf("%q, %v", text, err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("still there: %v", left)
	}
}
