package maven

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/harness"
)

func TestJVMArgs(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"-Xmx1g -Da=b -jar /t/surefirebooter12.jar /t/surefire1tmp", "-Xmx1g -Da=b"},
		{"-jar agent.jar -jar /t/surefirebooter-2_3.jar x", "-jar agent.jar"},
		{"org.apache.maven.surefire.booter.ForkedBooter /t x y", ""},
		{"-ea -cp a:b org.apache.maven.surefire.booter.ForkedBooter /t x", "-ea"},
		{"-Xss1m @/t/surefireargs123 /t x", "-Xss1m"},
		{"@user.args -Xss1m @/t/surefireargs123 /t x", "@user.args -Xss1m"},
	} {
		f := &fork{args: strings.Fields(test.args)}
		if diff := cmp.Diff(strings.Fields(test.want), append([]string{}, f.jvmArgs()...)); diff != "" {
			t.Errorf("%s: %s", test.args, diff)
		}
	}
}

func TestParseArgFile(t *testing.T) {
	data := "# made by surefire\n--module-path\n\"/a b/c:/d\\\\e\"\n--patch-module\n\"m=/t\"\n''\nplain'quoted x'rest # tail\n\"x\\\n  y\""
	want := []string{"--module-path", `/a b/c:/d\e`, "--patch-module", "m=/t", "", "plainquoted xrest", "x  y"}
	if diff := cmp.Diff(want, parseArgFile(data)); diff != "" {
		t.Error(diff)
	}
}

func TestParseModules(t *testing.T) {
	args := []string{"--module-path", "/c:/m", "--class-path", "/x:/y", "--patch-module", "a.b=/t:/u", "--patch-module=c=/v", "--add-reads",
		"a.b=ALL-UNNAMED", "--add-opens=a.b/p=ALL-UNNAMED", "--add-modules", "a.b",
		"org.apache.maven.surefire.booter.ForkedBooter", "left out"}
	got, classPath := parseModules(args)
	want := harness.Modules{Path: []string{"/c", "/m"}, Patch: map[string][]string{"a.b": {"/t", "/u"}, "c": {"/v"}},
		Args: []string{"--add-reads", "a.b=ALL-UNNAMED", "--add-opens", "a.b/p=ALL-UNNAMED", "--add-modules", "a.b"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"/x", "/y"}, classPath); diff != "" {
		t.Error(diff)
	}
}

func TestParseManifestClassPath(t *testing.T) {
	manifest := "Manifest-Version: 1.0\r\nClass-Path: file:/a%20b/target/test-classes/ ../cla\r\n" +
		" sses/ file:/r/x.ja\r\n r\r\nMain-Class: X\r\n y\r\n"
	got := parseManifestClassPath(strings.NewReader(manifest), "/p/target/surefire")
	if diff := cmp.Diff([]string{"/a b/target/test-classes", "/p/target/classes", "/r/x.jar"}, got); diff != "" {
		t.Error(diff)
	}
}

func FuzzParseArgFile(f *testing.F) {
	f.Add("a \"b\\")
	f.Fuzz(func(t *testing.T, data string) { parseModules(parseArgFile(data)) })
}

func FuzzParseManifestClassPath(f *testing.F) {
	f.Add("Class-Path: file:/a\n b %zz")
	f.Fuzz(func(t *testing.T, data string) { parseManifestClassPath(strings.NewReader(data), "/d") })
}
