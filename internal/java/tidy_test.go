package java

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/java/build"
	"github.com/odfix/odfix/internal/suite"
)

// kept returns a folder with one file, and its tidy.
func kept(t *testing.T) (*tidy, string) {
	t.Helper()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "pom.xml"), []byte("pom"), 0o600); err != nil {
		t.Fatal(err)
	}
	then := time.Now().Add(-time.Hour) // older than any step of a clock
	if err := os.Chtimes(root, then, then); err != nil {
		t.Fatal(err)
	}
	p, err := build.Remember(t.Context(), root, filepath.Join(t.TempDir(), "kept"))
	if err != nil {
		t.Fatal(err)
	}
	return &tidy{tree: p, log: zap.NewNop(), testsWrite: new(atomic.Bool), clean: true}, filepath.Join(root, "left")
}

func put(t *testing.T, file string) {
	t.Helper()
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestTidyUndoesBeforeTheNextFreshProcess(t *testing.T) {
	d, file := kept(t)
	leave := d.enter(false, suite.Fresh)
	put(t, file)
	leave()
	for _, price := range []suite.Price{suite.Fresh, suite.Warm} {
		leave = d.enter(false, price)
		if isThere(file) || !d.knownToWrite() {
			t.Errorf("%s: the file is there: %v; known to write: %v", price, isThere(file), d.knownToWrite())
		}
		put(t, file)
		leave()
	}
	if got := d.takeWritten(); !slices.Equal(got, []string{"left"}) {
		t.Errorf("undone: %v", got)
	}
	other := file + "-too" // not the file that the last process left
	got, err := d.left(func() error { put(t, other); return nil })
	if err != nil || !slices.Equal(got, []string{"left-too"}) || isThere(file) || isThere(other) {
		t.Errorf("left: %v, %v", got, err)
	}
	if !d.close() {
		t.Error("something stays")
	}
}

// A fresh process waits for running processes if tests are known to write. Other processes do not
// wait.
func TestTidyRunsFreshProcessesAlone(t *testing.T) {
	d, file := kept(t)
	// Both run at the same time, because no test is known to write.
	first, second := d.enter(false, suite.Fresh), d.enter(false, suite.Fresh)
	put(t, file)
	if !first() || !second() {
		t.Error("it is not reported that they may have seen each other's files")
	}
	warm := d.enter(false, suite.Warm)
	var order []string
	var mu sync.Mutex
	note := func(s string) { mu.Lock(); defer mu.Unlock(); order = append(order, s) }
	done := make(chan struct{})
	go func() {
		defer close(done)
		leave := d.enter(false, suite.Fresh)
		note("fresh")
		leave()
	}()
	note("warm ends")
	warm()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("the fresh process waits for ever")
	}
	if !slices.Equal(order, []string{"warm ends", "fresh"}) {
		t.Errorf("%v", order)
	}
}

// A process that meets no other does not run again because of what it wrote itself.
func TestTidyMeetsNobody(t *testing.T) {
	d, file := kept(t)
	d.enter(false, suite.Fresh)() // ends before the next begins
	leave := d.enter(false, suite.Fresh)
	put(t, file)
	if leave() || !d.knownToWrite() {
		t.Error("it met others, where there are none")
	}
}

// A process runs again, alone, if it may have seen another process's file, even one that was
// removed again. From then on processes run alone and do not run again.
func TestTidyRunsAgainAfterSharedFiles(t *testing.T) {
	d, file := kept(t)
	asked, saw := 0, []bool{}
	err := d.run(false, suite.Fresh, func() error {
		if asked++; asked == 1 {
			other := d.enter(false, suite.Fresh)
			put(t, file)
			defer func() {
				if err := os.Remove(file); err != nil {
					t.Error(err)
				}
				if !other() {
					t.Error("it is not reported to the other process")
				}
			}()
		}
		saw = append(saw, isThere(file))
		return nil
	})
	if err != nil || !slices.Equal(saw, []bool{true, false}) || !d.knownToWrite() {
		t.Errorf("%v, %v, known to write: %v", saw, err, d.knownToWrite())
	}
	asked = 0
	if err := d.run(false, suite.Fresh, func() error { asked++; put(t, file); return nil }); err != nil || asked != 1 {
		t.Errorf("asked %d times by itself: %v", asked, err)
	}
}

// What a process wrote is reported, even if the next process has already begun.
func TestTidyReportsWhatWasWritten(t *testing.T) {
	d, file := kept(t)
	leave := d.enter(true, suite.Fresh)
	next := make(chan struct{})
	go func() { // this process waits for its turn
		defer close(next)
		d.enter(false, suite.Fresh)()
	}()
	put(t, file)
	leave()
	<-next
	if got := d.takeWritten(); !slices.Equal(got, []string{"left"}) || isThere(file) {
		t.Errorf("told: %v", got)
	}
	if got := d.takeWritten(); got != nil {
		t.Errorf("reported twice: %v", got)
	}
}

func TestNilTidy(t *testing.T) {
	var d *tidy
	d.enter(true, suite.Fresh)()
	if files, err := d.left(func() error { return nil }); files != nil || err != nil {
		t.Errorf("left: %v, %v", files, err)
	}
	if d.knownToWrite() || d.takeWritten() != nil || d.close() || d.whileIdle(func() error { return nil }) != nil {
		t.Error("a tidy that is none does something")
	}
}
