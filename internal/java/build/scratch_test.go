package build

import (
	"os"
	"path/filepath"
	"testing"
)

// TestScratchOfKilledRunsIsRemoved checks that the next Open, of any project, removes the scratch
// folders of killed runs, and none that are in use.
func TestScratchOfKilledRunsIsRemoved(t *testing.T) {
	work, dir := t.TempDir(), tinyProject(t)
	p := open(t, dir, work, Options{})
	busy, err := p.Scratch()
	if err != nil {
		t.Fatal(err)
	}
	killed := filepath.Join(work, "builds", "other-0123-1", scratchName, "job-1", "site-1")
	if err := os.MkdirAll(killed, 0o755); err != nil {
		t.Fatal(err)
	}
	next := open(t, tinyProject(t), work, Options{})
	if Exists(filepath.Dir(filepath.Dir(killed))) {
		t.Error("what the killed left is still there")
	}
	if !Exists(busy) {
		t.Error("the scratch folder of somebody at work was removed")
	}
	if err := p.Close(); err != nil || Exists(busy) {
		t.Errorf("Close does not remove the scratch folder (%v)", err)
	}
	if err := next.Close(); err != nil {
		t.Error(err)
	}
}
