package wholefile

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"
)

func TestFolderByContent(t *testing.T) {
	dir := t.TempDir()
	files := fstest.MapFS{"main.cjs": {Data: []byte("main")}, "src/a.cjs": {Data: []byte("a")}}
	folder, err := FolderByContent(dir, "script", files)
	if err != nil {
		t.Fatal(err)
	}
	inner := filepath.Join(folder, "src", "a.cjs")
	old := time.Now().Add(-48 * time.Hour)
	if err := os.Chtimes(folder, old, old); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(inner, 0); err != nil { // as a crash may leave it
		t.Fatal(err)
	}
	again, err := FolderByContent(dir, "script", files)
	if err != nil || again != folder {
		t.Errorf("the second time it is %s, %v; want %s", again, err, folder)
	}
	if data, err := os.ReadFile(inner); string(data) != "a" {
		t.Errorf("a damaged file holds %q, %v; want it whole again", data, err)
	}
	if fi, err := os.Stat(folder); err != nil || time.Since(fi.ModTime()) > time.Hour {
		t.Errorf("a folder in use looks unused: %v", err)
	}
	files["src/a.cjs"] = &fstest.MapFile{Data: []byte("b")}
	if other, err := FolderByContent(dir, "script", files); err != nil || other == folder {
		t.Errorf("other content has the folder %s, %v", other, err)
	}
}
