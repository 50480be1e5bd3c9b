package build

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/harness"
)

func TestMovedLaunch(t *testing.T) {
	l := Launch{
		Dir: "/b/tree/m", Basedir: "/b/tree/m",
		JVMArgs:   []string{"-Dx=/b/tree/m/target", "-ea", "-javaagent:/repo/a.jar=destfile=/b/tree/m/target/j.exec"},
		ClassPath: []string{"/b/tree/m/target/classes", "/repo/x.jar"}, Properties: map[string]string{"basedir": "/b/tree/m", "y": "1"},
		EnvSet: map[string]string{"HOME": "/b/tree"},
		Modules: harness.Modules{Path: []string{"/b/tree/m/target/classes"},
			Patch: map[string][]string{"m": {"/b/tree/m/target/test-classes"}}},
	}
	kept := l.ClassPath[0]
	got := l.moved("/b/tree", "/s/0/tree")
	want := Launch{
		Dir: "/s/0/tree/m", Basedir: "/s/0/tree/m",
		JVMArgs:   []string{"-Dx=/s/0/tree/m/target", "-ea", "-javaagent:/repo/a.jar=destfile=/s/0/tree/m/target/j.exec"},
		ClassPath: []string{"/s/0/tree/m/target/classes", "/repo/x.jar"}, Properties: map[string]string{"basedir": "/s/0/tree/m", "y": "1"},
		EnvSet: map[string]string{"HOME": "/s/0/tree"},
		Modules: harness.Modules{Path: []string{"/s/0/tree/m/target/classes"},
			Patch: map[string][]string{"m": {"/s/0/tree/m/target/test-classes"}}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if l.ClassPath[0] != kept || l.Properties["basedir"] != "/b/tree/m" {
		t.Error("the original launch was changed")
	}
}

func TestMovePrefix(t *testing.T) {
	for in, want := range map[string]string{
		"/a/b":                      "/z",
		"/a/b/c":                    "/z/c",
		"/a/bc":                     "/a/bc",
		"-javaagent:/a/b/x=/a/b":    "-javaagent:/z/x=/z",
		"/a/b:/a/b/c:/x":            "/z:/z/c:/x",
		"--patch-module=m=/a/b/t,x": "--patch-module=m=/z/t,x",
		"":                          "",
	} {
		if got := MovePrefix(in, "/a/b", "/z"); got != want {
			t.Errorf("%s became %s, want %s", in, got, want)
		}
	}
}
