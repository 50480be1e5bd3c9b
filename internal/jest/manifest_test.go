package jest

import (
	"os"
	"path/filepath"
	"testing"
)

// TestPathsInPatches: paths in patches begin at the top of the checkout, those in ids of tests at
// the root of the workspace.
func TestPathsInPatches(t *testing.T) {
	top := t.TempDir()
	root := filepath.Join(top, "web")
	for _, dir := range []string{filepath.Join(top, ".git"), root} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	p := place{root: root, top: checkoutTop(root)}
	if p.top != top || p.inCheckout("src/a.test.js") != "web/src/a.test.js" {
		t.Errorf("%+v, %s", p, p.inCheckout("src/a.test.js"))
	}
	for path, want := range map[string]string{
		"web/src/a.test.js": "src/a.test.js", "README.md": "", "../web/a.test.js": "", "web/../../x": "", "/web/a.test.js": "",
	} {
		if got := p.below(path); got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
	alone := place{root: top, top: top}
	if got := alone.below("src/a.test.js"); got != "src/a.test.js" || alone.inCheckout(got) != got {
		t.Errorf("at the top: %q", got)
	}
}
