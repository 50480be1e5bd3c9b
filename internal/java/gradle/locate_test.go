package gradle

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/java/build"
)

func write(t *testing.T, file, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestModules(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "settings.gradle"), "rootProject.name = 'shop'\ninclude 'api', ':web:pages'\ninclude(\"gone\")\ninclude 'core'\nproject(':core').projectDir = file('lib/core')\n")
	write(t, filepath.Join(root, "settings.gradle.kts"), "include(\n    \":kotlin\",\n    \"../outside\"\n)\n")
	write(t, filepath.Join(root, "sample/settings.gradle"), "") // a build of its own
	write(t, filepath.Join(root, "sample/build.gradle"), "")
	for _, dir := range []string{"api/src", "web/pages", "kotlin", "lib/core"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(root, "own/build.gradle.kts"), "")
	write(t, filepath.Join(root, "own/src/test/resources/sample/build.gradle"), "")
	write(t, filepath.Join(root, "own/build/copied/build.gradle"), "")
	write(t, filepath.Join(root, "buildSrc/build.gradle"), "")
	var got []string
	for _, m := range modules(root) {
		got = append(got, filepath.ToSlash(m.Dir)+"="+m.Names[len(m.Names)-1])
	}
	if want := ".=: api=:api kotlin=:kotlin lib/core=:core own=:own web/pages=:web:pages"; strings.Join(got, " ") != want {
		t.Errorf("%s, want %s", strings.Join(got, " "), want)
	}
}

func TestLocate(t *testing.T) {
	for name, test := range map[string]struct {
		files             []string
		start, root, base string
	}{
		"one project":                        {[]string{"p/build.gradle"}, "p/src", "p", "p"},
		"a project of the settings":          {[]string{"p/settings.gradle", "p/a/build.gradle"}, "p/a", "p", "p"},
		"a folder without a file of its own": {[]string{"p/settings.gradle.kts"}, "p/a/src/test", "p", "p"},
		"something above the root":           {[]string{"g/.git/HEAD", "g/p/settings.gradle", "g/common.gradle"}, "g/p", "g/p", "g"},
		"the nearest settings":               {[]string{"p/settings.gradle", "p/sample/settings.gradle", "p/sample/build.gradle"}, "p/sample", "p/sample", "p/sample"},
	} {
		t.Run(name, func(t *testing.T) {
			top, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range test.files {
				text := ""
				if test.base == "g" && strings.HasSuffix(file, "settings.gradle") {
					text = "apply from: '../common.gradle'\n"
				}
				write(t, filepath.Join(top, file), text)
			}
			if err := os.MkdirAll(filepath.Join(top, test.start), 0o755); err != nil {
				t.Fatal(err)
			}
			at, err := build.Locate(filepath.Join(top, test.start), locate)
			if err != nil || at.Root != filepath.Join(top, test.root) || at.Base != filepath.Join(top, test.base) {
				t.Errorf("%+v, %v", at, err)
			}
		})
	}
}

func FuzzIncludes(f *testing.F) {
	f.Add("include 'a', ':b:c'\ninclude(\"../x\")")
	f.Fuzz(func(t *testing.T, text string) {
		for _, at := range includes([]byte(text)) {
			if !filepath.IsLocal(at) {
				t.Errorf("%q is outside", at)
			}
		}
	})
}
