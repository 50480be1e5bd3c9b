package maven

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/odfix/odfix/internal/java/build"
)

// open opens a project without running Maven.
func open(t *testing.T, dir, work string, opts build.Options) *Project {
	t.Helper()
	opts.Dir, opts.Work = dir, work
	p, err := Open(context.Background(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

const tinyPom = `<project><modelVersion>4.0.0</modelVersion><groupId>g</groupId><artifactId>a</artifactId><version>1</version></project>`

func tinyProject(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "checkout")
	write(t, filepath.Join(dir, "pom.xml"), tinyPom)
	return dir
}

func reopen(t *testing.T, p *Project, opts build.Options) *Project {
	t.Helper()
	p.Close()
	return open(t, p.At.Start, p.Opts.Work, opts)
}
