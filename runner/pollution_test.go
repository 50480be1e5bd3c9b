package main

import (
	"os"
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// TestAgentFile: what is written is what java.util.Properties reads: one line for each key, every
// character that would end a key or a value behind a backslash.
func TestAgentFile(t *testing.T) {
	p := &project{work: t.TempDir()}
	file, err := p.agentFile(job.PollutionOptions{IncludeRoots: []string{"com.acme", "org.b"}, ExcludeRoots: []string{`a\.B\..*`, "x=y:z #!"}, ClassLoading: "lazy"})
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := "include_roots=com.acme\\norg.b\nexclude_roots=a\\\\.B\\\\..*\\nx\\=y\\:z\\ \\#\\!\nexclude_fields=\nclass_loading=lazy\n"
	if string(got) != want {
		t.Errorf("wrote %q\nwant  %q", got, want)
	}
}

// TestReversed: backwards, with the tests of a class in one piece.
func TestReversed(t *testing.T) {
	o := suite.Order{"a.A#x", "a.A#y", "b.B#x", "c.C#x", "c.C#y"}
	want := suite.Order{"c.C#y", "c.C#x", "b.B#x", "a.A#y", "a.A#x"}
	if got := (&project{}).reversed(o); !slices.Equal(got, want) || o[0] != "a.A#x" {
		t.Errorf("%v of %v", got, o)
	}
}

// TestMeet: where each class has a process of its own, two classes' tests never meet.
func TestMeet(t *testing.T) {
	for _, isolated := range []bool{true, false} {
		v := &proving{p: &project{lab: &lab{isolated: isolated}}}
		if !v.meet("a.A#x", "a.A#y") || v.meet("a.A#x", "b.B#x") == isolated {
			t.Errorf("isolated %v", isolated)
		}
	}
}
