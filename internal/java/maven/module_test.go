package maven

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/java/build"
)

// A class name without its package may fit classes of several modules.
func TestModuleOfTests(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, "pom.xml"), pomText("p", "", "", "a", "b"))
	for _, m := range []string{"a", "b"} {
		write(t, filepath.Join(root, m, "pom.xml"), pomText(m, "p", ""))
		write(t, filepath.Join(root, m, "src/test/java", m, "SameTest.java"), "")
	}
	write(t, filepath.Join(root, "b/src/test/java/b/OwnTest.java"), "")
	write(t, filepath.Join(root, "b/src/test/kotlin/Several.kt"), "package b.more\n\nclass FirstTest\nclass SecondTest { class Inner }\n")
	write(t, filepath.Join(root, "a/src/test/kotlin/Mention.kt"),
		"package a\nimport b.more.SecondTest\n\n"+
			"/** A class SecondTest of its own\n * is not a class SecondTest.\n */\nclass Other // class SecondTest\n")
	for _, test := range []struct{ start, tests, want string }{
		{".", "a.SameTest#x", "a"},
		{".", "b.SameTest#x", "b"},
		{"b", "SameTest#x", "b"},
		{"b", "a.SameTest#x", "a"},
		{".", "SameTest#x OwnTest#y", "b"},
		{".", "a.SameTest#x b.SameTest#x", "a"},
		{".", "b.OwnTest.x", "b"},
		{".", "OwnTest.Inner.x", "b"},
		{".", "b.more.SecondTest#x", "b"},
		{".", "SecondTest.Inner.x", "b"},
		{".", "b.less.SecondTest#x", "no source of the project declares the class b.less.SecondTest"},
		{".", "gone.OwnTst#x", "no source of the project declares the class gone.OwnTst"},
		{".", "gone.OwnTst.Inner.x", "no source of the project declares the class gone.OwnTst"},
		{".", "b.OwnTest.x(java.lang.String)[1]", "b"},
		{".", "b.OwnTest#x(a.SameTest)", "b"},
		{".", "gone.owntest.x", ""}, // maybe a method, maybe a class
		{".", "", ""},
		{"a", "gone.Test#x", "a"},
		{".", "SameTest#x", "in several modules: a, b"},
	} {
		p, err := Open(t.Context(), build.Options{Dir: filepath.Join(root, test.start), Work: t.TempDir(), Tests: strings.Fields(test.tests)})
		switch {
		case err != nil && (!strings.Contains(test.want, " ") || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%s in %s: %v", test.tests, test.start, err)
		case err == nil && p.module != test.want:
			t.Errorf("%s in %s: module %q, want %q", test.tests, test.start, p.module, test.want)
		}
		if p != nil {
			p.Close()
		}
	}
	_, err = Open(t.Context(), build.Options{Dir: root, Work: t.TempDir(), Tests: []string{"gone.OwnTst#x"}})
	if e := (*build.Error)(nil); !errors.As(err, &e) || e.Code != build.CodeModule || !strings.Contains(e.Hint, "nearest names first: OwnTest, ") {
		t.Errorf("the nearest class is not named: %v", err)
	}
}

// Surefire can run tests of a dependency. Their sources are elsewhere.
func TestModuleOfScannedTests(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "pom.xml"), pomText("p", "", "", "a"))
	write(t, filepath.Join(root, "a/pom.xml"), strings.Replace(pomText("a", "p", ""), "</project>",
		"<build><plugins><plugin><artifactId>maven-surefire-plugin</artifactId><configuration>"+
			"<dependenciesToScan><dependency>g:kit</dependency></dependenciesToScan>"+
			"</configuration></plugin></plugins></build></project>", 1))
	p, err := Open(t.Context(), build.Options{Dir: root, Work: t.TempDir(), Tests: []string{"kit.AllTest#x"}})
	if err != nil {
		t.Fatal(err)
	}
	p.Close()
}

// A folder that begins with a dot is relative to the folder in which odfix was started.
func TestModuleRelativeToTheWorkingFolder(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, "pom.xml"), pomText("p", "", "", "a"))
	write(t, filepath.Join(root, "a/pom.xml"), pomText("a", "p", "", "b"))
	write(t, filepath.Join(root, "a/b/pom.xml"), pomText("b", "p", ""))
	for _, c := range []struct{ start, module, want string }{
		{".", ".", "."},
		{"a", ".", "a"},
		{"a", "./", "a"},
		{"a", "..", "."},
		{"a", "./b", "a/b"},
		{"a", "b", "a/b"},
		{"a/b", "../../a", "a"},
		{"a", "./a/b", "a/b"}, // a has no such folder, but the project has
	} {
		p, err := Open(t.Context(), build.Options{Dir: filepath.Join(root, c.start), Work: t.TempDir(), Module: c.module})
		if err != nil {
			t.Errorf("%s in %s: %v", c.module, c.start, err)
			continue
		}
		if filepath.ToSlash(p.module) != c.want {
			t.Errorf("%s in %s: module %q, want %q", c.module, c.start, p.module, c.want)
		}
		p.Close()
	}
}
