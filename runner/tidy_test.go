package main

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/build"
	"github.com/odfix/odfix/internal/suite"
)

// kept is a folder with one file that is kept tidy.
func kept(t *testing.T) (*tidy, string) {
	t.Helper()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "pom.xml"), []byte("pom"), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := build.Remember(t.Context(), root, filepath.Join(t.TempDir(), "kept"))
	if err != nil {
		t.Fatal(err)
	}
	return &tidy{tree: p, log: zap.NewNop(), clean: true}, filepath.Join(root, "left")
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
		if isThere(file) || !d.seen() {
			t.Errorf("%s: the file is there: %v; known to litter: %v", price, isThere(file), d.seen())
		}
		put(t, file)
		leave()
	}
	if got := d.left(); !slices.Equal(got, []string{"left"}) || isThere(file) {
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
	first()
	second()
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

func TestTidyOfNothing(t *testing.T) {
	var d *tidy
	d.enter(true, suite.Fresh)()
	if d.seen() || d.left() != nil || d.close() || d.still(func() error { return nil }) != nil {
		t.Error("a tidy that is none does something")
	}
}
