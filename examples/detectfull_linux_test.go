package examples_test

import (
	"errors"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/odfix/odfix/examples"
)

// TestDetectOnAFullDisk: detection reports its results, and that their folder is full. The next run
// continues from the results kept before, once there is space.
func TestDetectOnAFullDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("a variant of TestDetectKnowsTheExamples")
	}
	t.Parallel()
	small := t.TempDir()
	if err := syscall.Mount("tmpfs", small, "tmpfs", 0, "size=200k"); errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) {
		t.Skip("only root can mount a small file system")
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(small, syscall.MNT_DETACH); err != nil {
			t.Errorf("unmounting %s: %v", small, err)
		}
	})
	ex, err := examples.One("two-causes")
	if err != nil {
		t.Fatal(err)
	}
	dir, out := checkout(t, ex), filepath.Join(small, "out")
	status, printed := shell(t, dir, "odfix detect --technique intra-class --budget 10h --out '"+out+"'")
	words := strings.Join(strings.Fields(printed), " ")
	if status != 1 || !strings.Contains(words, "2 order-dependent tests") || !strings.Contains(words, "cannot be kept") ||
		!strings.Contains(words, "Free some space") {
		t.Errorf("status %d on a full disk\n%s", status, printed)
	}
	if err := syscall.Mount("tmpfs", small, "tmpfs", syscall.MS_REMOUNT, "size=20m"); err != nil {
		t.Fatal(err)
	}
	_, printed = shell(t, dir, "odfix detect --resume --technique intra-class --budget 10h --out '"+out+"'")
	r := readReport(t, out)
	if r.Error != nil || r.Detection == nil || !r.Detection.Exhausted || r.Detection.Remembered == 0 {
		t.Fatalf("it did not go on\n%s", printed)
	}
	holdDetection(t, ex, r)
}
