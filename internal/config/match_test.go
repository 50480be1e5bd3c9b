package config

import (
	"strings"
	"testing"
)

func TestNamesMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"CI", "CI", true}, {"CI", "ci", false}, {"*", "", true}, {"*", "build / test (17)", true},
		{"build*", "build / test", true}, {"*test", "unit test", true}, {"*test", "test 2", false},
		{"a*b*c", "aXbYbZc", true}, {"a*b*c", "aXc", false}, {"a.b", "axb", false}, {"[a]", "a", false},
		{"[a]", "[a]", true}, {"", "x", false},
	} {
		if got := Name(c.pattern).Matches(c.name); got != c.want {
			t.Errorf("%q against %q: %v", c.pattern, c.name, got)
		}
	}
}

// TestManyStarsStayFast checks hostile patterns and names. Trying every match of these would take
// longer than the test's time limit.
func TestManyStarsStayFast(t *testing.T) {
	if Name(strings.Repeat("*a", 150)).Matches(strings.Repeat("a", 300)+"b") ||
		Path(strings.Repeat("**/a*a*b", 37)).Matches(strings.Repeat("a/aaaa", 50)) {
		t.Error("they match")
	}
}

func TestPathsMatch(t *testing.T) {
	c := Config{NeverPatch: []Path{"src/test/legacy", "**/Generated*.java", "docs/*.md", "web/"}}
	for file, want := range map[string]bool{
		"src/test/legacy/a/B.java": false, "src/test/legacyish/B.java": true, "x/y/GeneratedT.java": false, "GeneratedT.java": false,
		"docs/a.md": false, "docs/a/b.md": true, "web/x.ts": false, "src/A.java": true,
	} {
		if got := c.MayPatch(file); got != want {
			t.Errorf("%s: may be patched is %v", file, got)
		}
	}
}

func TestSelectedBuilds(t *testing.T) {
	c := CI{Workflows: []Name{"CI", "nightly.yml"}, Jobs: []Name{"test*"}, Checks: []Name{"jenkins/*"}}
	for _, x := range []struct {
		workflow, file, job string
		want                bool
	}{
		{"CI", ".github/workflows/a.yml", "test (17)", true}, {"CI", "", "lint", false},
		{"Every night", ".github/workflows/nightly.yml", "test", true}, {"Release", ".github/workflows/r.yml", "test", false},
	} {
		if got := c.Looks(x.workflow, x.file, x.job); got != x.want {
			t.Errorf("%+v: %v", x, got)
		}
	}
	if !c.LooksAtCheck("jenkins/pr") || c.LooksAtCheck("lint") || !(CI{}).LooksAtCheck("lint") || !(CI{}).Looks("a", "b", "c") {
		t.Error("checks")
	}
}

func TestSelectedModules(t *testing.T) {
	c := Tests{Command: []Word{"mvn"}, Modules: []Module{{Path: "core"}, {Path: "libs/*", Command: []Word{"npm"}}}}
	for folder, want := range map[string]string{"core": "mvn", "libs/a": "npm", "libs/a/b": "", "": ""} {
		m, ok := c.Module(folder)
		if ok != (want != "") || ok && string(m.Command[0]) != want {
			t.Errorf("%q: %v %v", folder, m, ok)
		}
	}
	if m, ok := (Tests{Command: []Word{"x"}}).Module("any"); !ok || m.Command[0] != "x" {
		t.Error("no list means all")
	}
}
