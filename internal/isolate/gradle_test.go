package isolate

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestGradleDistributions: a Room gets links to complete distributions, and nothing else of the machine's
// .gradle.
func TestGradleDistributions(t *testing.T) {
	machine := t.TempDir()
	for _, name := range []string{"gradle.properties", "init.d/secret.gradle", "wrapper/dists/gradle-8.10-bin/abc/gradle-8.10/lib/a.jar",
		"wrapper/dists/gradle-8.10-bin/abc/gradle-8.10-bin.zip.ok", "wrapper/dists/gradle-8.10-bin/abc/gradle-8.10-bin.zip.lck",
		"wrapper/dists/gradle-9.0-bin/def/gradle-9.0-bin.zip.part", "wrapper/dists/CACHEDIR.TAG"} {
		file := filepath.Join(machine, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("secret"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(machine) // no folder of the machine is not the current one
	for from, want := range map[string][]string{
		machine: {"gradle.properties", "init.d/odfix.gradle", "wrapper/dists/gradle-8.10-bin/abc/gradle-8.10",
			"wrapper/dists/gradle-8.10-bin/abc/gradle-8.10-bin.zip.ok"},
		"": {"gradle.properties", "init.d/odfix.gradle"},
	} {
		r := &Room{dir: t.TempDir()}
		if err := r.plantGradle(from); err != nil {
			t.Fatal(err)
		}
		home := filepath.Join(r.home(), ".gradle")
		var got []string
		err := filepath.WalkDir(home, func(file string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				rel, _ := filepath.Rel(home, file)
				got = append(got, filepath.ToSlash(rel))
			}
			return err
		})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%v: %q, want %q", err, got, want)
		}
		if to, err := os.Readlink(filepath.Join(home, "init.d", "odfix.gradle")); err != nil || to != GradleScript {
			t.Errorf("the first script is %s: %v", to, err)
		}
		if text, err := os.ReadFile(filepath.Join(home, "gradle.properties")); err != nil || string(text) != gradleProxy() {
			t.Errorf("%s: %v", text, err)
		}
	}
}
