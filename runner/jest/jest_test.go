package jest

import (
	"os"
	"path/filepath"
	"testing"
)

func TestUnpack(t *testing.T) {
	dir := t.TempDir()
	main, err := Unpack(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{main, filepath.Join(filepath.Dir(main), "src", "harness.cjs")} {
		if fi, err := os.Stat(file); err != nil || fi.Size() == 0 {
			t.Errorf("%s is not there: %v", file, err)
		}
	}
	again, err := Unpack(dir)
	if err != nil || again != main {
		t.Errorf("the second time it is %s, %v; want %s", again, err, main)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 1 {
		t.Errorf("%v is left; want one folder", left)
	}
}
