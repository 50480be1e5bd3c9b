package maven

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/odfix/odfix/internal/java/build"
)

func pomText(artifact, parent, relative string, modules ...string) string {
	s := "<project><modelVersion>4.0.0</modelVersion><artifactId>" + artifact + "</artifactId>"
	if parent != "" {
		s += "<parent><groupId>g</groupId><artifactId>" + parent + "</artifactId><version>1</version>"
		if relative != "" {
			s += "<relativePath>" + relative + "</relativePath>"
		}
		s += "</parent>"
	}
	s += "<modules>"
	for _, m := range modules {
		s += "<module>" + m + "</module>"
	}
	return s + "</modules></project>"
}

func TestLocate(t *testing.T) {
	for name, test := range map[string]struct {
		poms                 map[string]string
		dirs                 []string
		start                string
		reactor, base, where string
	}{
		"single": {poms: map[string]string{"p": pomText("p", "", "")}, dirs: []string{"p/src/test"},
			start: "p/src/test", reactor: "p", base: "p", where: "p"},
		"module of an aggregator": {poms: map[string]string{"p": pomText("p", "", "", "a", "b"),
			"p/a": pomText("a", "p", ""), "p/b": pomText("b", "p", "")},
			start: "p/a", reactor: "p", base: "p", where: "p"},
		"aggregator that is not the parent": {poms: map[string]string{"p": pomText("p", "", "", "a"), "p/a": pomText("a", "other", "")},
			start: "p/a", reactor: "p", base: "p", where: "p"},
		"pom above that does not list it": {poms: map[string]string{"p": pomText("p", "", "", "b"),
			"p/a": pomText("a", "other", ""), "p/b": pomText("b", "", "")},
			start: "p/a", reactor: "p/a", base: "p/a", where: "p/a"},
		"flat layout": {poms: map[string]string{"w/parent": pomText("parent", "", "", "../a"), "w/a": pomText("a", "parent", "../parent")},
			start: "w/a", reactor: "w/parent", base: "w", where: "w"},
		"two levels": {poms: map[string]string{"p": pomText("p", "", "", "q"), "p/q": pomText("q", "p", "", "r"),
			"p/q/r": pomText("r", "q", "")},
			start: "p/q/r", reactor: "p", base: "p", where: "p"},
		"below a git root": {poms: map[string]string{"g/java": pomText("p", "", "")}, dirs: []string{"g/.git"},
			start: "g/java", reactor: "g/java", base: "g/java", where: "g"},
	} {
		t.Run(name, func(t *testing.T) {
			root, _ := filepath.EvalSymlinks(t.TempDir())
			for dir, text := range test.poms {
				write(t, filepath.Join(root, dir, "pom.xml"), text)
			}
			for _, d := range test.dirs {
				os.MkdirAll(filepath.Join(root, d), 0o755)
			}
			l, err := build.Locate(filepath.Join(root, test.start), locate)
			if err != nil {
				t.Fatal(err)
			}
			for what, pair := range map[string][2]string{"reactor": {l.Root, test.reactor},
				"base": {l.Base, test.base}, "anchor": {l.Anchor, test.where}} {
				if pair[0] != filepath.Join(root, pair[1]) {
					t.Errorf("%s is %s, want %s", what, pair[0], pair[1])
				}
			}
		})
	}
}

func TestLocateErrors(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "ant", "build.xml"), "")
	write(t, filepath.Join(root, "node", "package.json"), "{}")
	write(t, filepath.Join(root, "broken", "pom.xml"), "<project")
	os.Mkdir(filepath.Join(root, "empty"), 0o755)
	for dir, code := range map[string]string{"ant": build.CodeNotYet, "node": build.CodeNoPom, "empty": build.CodeNoPom,
		"missing": build.CodeNoPom, "broken": build.CodeBroken} {
		_, err := build.Locate(filepath.Join(root, dir), locate)
		if e, ok := err.(*build.Error); !ok || e.Code != code || e.Hint == "" {
			t.Errorf("%s: got %v, want %s", dir, err, code)
		}
	}
}
