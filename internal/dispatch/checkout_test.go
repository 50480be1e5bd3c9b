package dispatch

import (
	"os"
	"path/filepath"
	"testing"
)

// TestCheckoutShowsNoMore: a work tree that lies in another one is shown by itself.
func TestCheckoutShowsNoMore(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{"ours/.git", "ours/work/source/.git", "ours/work/source/lib", "plain/project/module",
		"plain/project/loose/deep"} {
		if err := os.MkdirAll(filepath.Join(top, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{"ours/work/source/pom.xml", "ours/work/source/lib/pom.xml", "plain/project/pom.xml",
		"plain/project/module/pom.xml", "plain/project/loose/deep/pom.xml"} {
		if err := os.WriteFile(filepath.Join(top, f), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for dir, want := range map[string]string{
		"ours/work/source": "ours/work/source", "ours/work/source/lib": "ours/work/source",
		"plain/project/module": "plain/project", "plain/project/loose/deep": "plain/project/loose/deep",
	} {
		if got, err := checkout(filepath.Join(top, dir)); err != nil || got != filepath.Join(top, want) {
			t.Errorf("%s: %s, %v", dir, got, err)
		}
	}
}
