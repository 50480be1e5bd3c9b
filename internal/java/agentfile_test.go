package java

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/project"
)

// TestAgentFile checks that java.util.Properties reads back what is written: one line for each key,
// with a backslash before every character that would end a key or a value.
func TestAgentFile(t *testing.T) {
	p := &Project{work: t.TempDir()}
	options, err := p.agentFile(project.Look{IncludeRoots: []string{"com.acme", "org.b"},
		ExcludeRoots: []string{`a\.B\..*`, "x=y:z #!"}, FileRoots: []string{"/var/a b"}, ClassLoading: "lazy"})
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(options)
	if err != nil {
		t.Fatal(err)
	}
	want := "include_roots=com.acme\\norg.b\nexclude_roots=a\\\\.B\\\\..*\\nx\\=y\\:z\\ \\#\\!\nexclude_fields=\n" +
		"file_roots=/var/a\\ b\nclass_loading=lazy\nlines=false\nclasses=" +
		property(filepath.Join(p.work, "state.classes")) + "\n"
	if string(got) != want {
		t.Errorf("wrote %q\nwant  %q", got, want)
	}
}

// The agent always observes state of the process, so only other fields need classes.
func TestHolders(t *testing.T) {
	got := holders([]string{"a.B.c", "system property x.y", "a.B.d", "a.B$C.e", "java.util.Locale.defaultLocale", "odd"})
	if want := []string{"a.B", "a.B$C"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
