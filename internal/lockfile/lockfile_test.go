package lockfile

import (
	"os"
	"path/filepath"
	"testing"
)

func TestTryIn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	lock, err := TryIn(dir, "lock", 0o700)
	if err != nil || lock == nil {
		t.Fatal(lock, err)
	}
	if second, err := TryIn(dir, "lock", 0o700); second != nil || err != nil {
		t.Errorf("a lock that is held: %v, %v", second, err)
	}
	if err := lock.Close(); err != nil {
		t.Error(err)
	}
	if lock, err = TryIn(dir, "lock", 0o700); err != nil || lock == nil {
		t.Fatal("a free lock: ", lock, err)
	}
	_ = lock.Close()
}

// TestTryInOfARemovedFolder checks that a lock is never that of a folder that is gone, while another
// holder of the lock removes the folder again and again.
func TestTryInOfARemovedFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "entry")
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-stop:
				return
			default:
			}
			if lock, _ := Try(filepath.Join(dir, "lock")); lock != nil {
				if os.Rename(dir, dir+"-swept") == nil {
					_ = os.RemoveAll(dir + "-swept")
				}
				_ = lock.Close()
			}
		}
	}()
	for range 500 {
		lock, err := TryIn(dir, "lock", 0o700)
		if err != nil {
			continue // lost too often in a row; it says so
		}
		if lock != nil {
			if _, err := os.Stat(filepath.Join(dir, "lock")); err != nil {
				t.Fatal("the lock of a removed folder: ", err)
			}
			_ = lock.Close()
		}
	}
	close(stop)
	<-ended
}
