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

	"github.com/odfix/odfix/internal/java/maven"
	"github.com/odfix/odfix/internal/suite"
)

// kept is a folder with one file that is kept tidy.
func kept(t *testing.T) (*tidy, string) {
	t.Helper()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "pom.xml"), []byte("pom"), 0o600); err != nil {
		t.Fatal(err)
	}
	then := time.Now().Add(-time.Hour) // whatever a clock's tick is
	if err := os.Chtimes(root, then, then); err != nil {
		t.Fatal(err)
	}
	p, err := maven.Remember(t.Context(), root, filepath.Join(t.TempDir(), "kept"))
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
			t.Errorf("%s: the file is there: %v; known to litter: %v", price, isThere(file), d.knownToWrite())
		}
		put(t, file)
		leave()
	}
	if got := d.written(); !slices.Equal(got, []string{"left"}) || isThere(file) {
		t.Errorf("left: %v", got)
	}
	if !d.close() {
		t.Error("something stays")
	}
}

// While one works there, a fresh one waits once tests are known to write, and others do not.
func TestTidyLetsFreshProcessesWorkByThemselves(t *testing.T) {
	d, file := kept(t)
	first, second := d.enter(false, suite.Fresh), d.enter(false, suite.Fresh) // side by side: nothing is known yet
	put(t, file)
	if !first() || !second() {
		t.Error("they are not told that they may have met each other's files")
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

// Of two side by side, the one that may have met the other's file is asked once more, by itself;
// nobody is from then on, nor where a file was there for a moment only that is known.
func TestTidyAsksAgainWhereFilesMayHaveBeenMet(t *testing.T) {
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
					t.Error("the other one is not told")
				}
			}()
		}
		saw = append(saw, isThere(file))
		return nil
	})
	if err != nil || !slices.Equal(saw, []bool{true, false}) || !d.knownToWrite() {
		t.Errorf("%v, %v, known to litter: %v", saw, err, d.knownToWrite())
	}
	asked = 0
	if err := d.run(false, suite.Fresh, func() error { asked++; put(t, file); return nil }); err != nil || asked != 1 {
		t.Errorf("asked %d times by itself: %v", asked, err)
	}
}

// What a process by itself wrote is told of, also where the next one has begun already.
func TestTidyTellsWhatWasWritten(t *testing.T) {
	d, file := kept(t)
	leave := d.enter(true, suite.Fresh)
	next := make(chan struct{})
	go func() { // what is chosen next waits for its turn
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
		t.Errorf("told of twice: %v", got)
	}
}

func TestTidyOfNothing(t *testing.T) {
	var d *tidy
	d.enter(true, suite.Fresh)()
	if d.knownToWrite() || d.written() != nil || d.takeWritten() != nil || d.close() || d.whileIdle(func() error { return nil }) != nil {
		t.Error("a tidy that is none does something")
	}
}
