package engine

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/harness"
	"github.com/odfix/odfix/internal/java/workbench"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// TestAgentFile: what is written is what java.util.Properties reads: one line for each key, every
// character that would end a key or a value behind a backslash.
func TestAgentFile(t *testing.T) {
	p := &project{work: t.TempDir()}
	file, err := p.agentFile(job.PollutionOptions{IncludeRoots: []string{"com.acme", "org.b"}, ExcludeRoots: []string{`a\.B\..*`, "x=y:z #!"}, FileRoots: []string{"/var/a b"}, ClassLoading: "lazy"}, false)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := "include_roots=com.acme\\norg.b\nexclude_roots=a\\\\.B\\\\..*\\nx\\=y\\:z\\ \\#\\!\nexclude_fields=\nfile_roots=/var/a\\ b\nclass_loading=lazy\nlines=false\nclasses=" + property(filepath.Join(p.work, "state.classes")) + "\nfiles=" + property(filepath.Join(p.work, "state.files")) + "\n"
	if string(got) != want {
		t.Errorf("wrote %q\nwant  %q", got, want)
	}
}

// TestWhatWasFoundOutlivesTheTime: where nothing more can be run, what the tests leave is told nevertheless.
func TestWhatWasFoundOutlivesTheTime(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	base, err := harness.NewPool(harness.Config{Exact: harness.Spec{Command: []string{"never-started"}}, Parallel: 1, Spares: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = base.Close() }()
	found := &state.Pollutions{Observed: 1, Tests: []state.Polluter{{Test: "a.A#x", Pollutes: []state.Pollution{{Place: "a.S.map", Path: `a.S.map["k"]`, After: "1", During: state.DuringTest}}}}}
	w, r := &worker{log: zap.NewNop(), tell: func(job.Event) {}}, &job.Report{}
	err = w.judge(ctx, &project{lab: &lab{base: base}, work: t.TempDir()}, job.PollutionOptions{}, nil, &state.Relation{}, found, r)
	if r.Pollution == nil {
		t.Fatalf("nothing is told: %v", err)
	}
	if notes := strings.Join(r.Notes, "\n"); !strings.Contains(notes, "Which lines wrote") {
		t.Errorf("notes: %s", notes)
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

// TestSourceOf: a test is found in its class's outline, whatever stands behind its method's name.
func TestSourceOf(t *testing.T) {
	top := t.TempDir()
	o := &workbench.Outline{File: filepath.Join(top, "core", "src", "T.java"), Types: []workbench.OutlineType{
		{Name: "a.T", Line: 3, Methods: []workbench.OutlineMethod{{Name: "t", Line: 5, EndLine: 8}}},
		{Name: "a.T$I", Line: 10, Methods: []workbench.OutlineMethod{{Name: "t", Line: 12, EndLine: 13}}},
	}}
	for id, want := range map[suite.TestID]*state.Source{
		"a.T#t":           {File: "core/src/T.java", Line: 5, EndLine: 8},
		"a.T#t(int)[2]":   {File: "core/src/T.java", Line: 5, EndLine: 8},
		"a.T$I#t":         {File: "core/src/T.java", Line: 12, EndLine: 13},
		"a.All>a.T$I#t":   {File: "core/src/T.java", Line: 12, EndLine: 13},
		"a.T#inherited":   {File: "core/src/T.java", Line: 3, EndLine: 3},
		"a.T$Generated#t": nil,
	} {
		if diff := cmp.Diff(want, sourceOf(o, top, binaryName(id), id.Method())); diff != "" {
			t.Errorf("%s: %s", id, diff)
		}
	}
	if s := sourceOf(o, filepath.Join(top, "elsewhere"), "a.T", "t"); s != nil {
		t.Errorf("a source outside of the checkout: %v", s)
	}
}
