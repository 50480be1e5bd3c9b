package doctor

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// jdk makes a folder that looks like a JDK.
func jdk(t *testing.T, home, version string, files ...string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(home, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"release": "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"" + version + "\"\n", "bin/java": ""} {
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(home, f), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return home
}

func TestJDKs(t *testing.T) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	of := func(list []JDK) (ours []JDK) { // those of the machine may be there, too
		for _, j := range list {
			if rel, err := filepath.Rel(home, j.Home); err == nil && filepath.IsLocal(rel) {
				ours = append(ours, j)
			}
		}
		return ours
	}
	a := jdk(t, filepath.Join(home, ".jdks", "a"), "17.0.13", "bin/javac")
	b := jdk(t, filepath.Join(home, "b"), "11.0.2")
	list := of(FindJDKs(home, b, filepath.Join(a, "bin", "java")))
	if len(list) != 2 || list[0] != (JDK{b, "11.0.2", false, "JAVA_HOME"}) || list[1] != (JDK{a, "17.0.13", true, ""}) {
		t.Fatalf("%+v", list)
	}
	hold(t, JDKs(list, true), Bad, "no javac")
	hold(t, JDKs(list, false), Warning, "11.0.2 at "+b+" (used, from JAVA_HOME); 17.0.13 at "+a)
	hold(t, JDKs(FindJDKs(home, "", filepath.Join(a, "bin", "java")), true), Good, "17.0.13 at "+a+" (used, from PATH)")
	hold(t, JDKs(of(FindJDKs(home, "", "")), true), Bad, "neither JAVA_HOME nor PATH")
	hold(t, JDKs(nil, true), Bad, "none found")
	hold(t, JDKs(nil, false), Warning, "none found")
}

func TestCache(t *testing.T) {
	hold(t, Cache("/c", 718e6, 2<<30, nil), Good, "718 MB in /c; each job cleans it down to 2.0 GiB")
	hold(t, Cache("/c", 0, 0, errors.New("ODFIX_CACHE_LIMIT is wrong")), Bad, "ODFIX_CACHE_LIMIT")
}
