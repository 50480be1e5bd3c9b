package investigate

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
	"github.com/odfix/odfix/internal/verdict"
)

// TestSourcesOfStrangers: what a pull request calls a source is looked into as far as it is one: a
// file of its own, not too large.
func TestSourcesOfStrangers(t *testing.T) {
	top := t.TempDir()
	root := filepath.Join(top, "source")
	for file, text := range map[string]string{
		"secret.java": "Test", "source/A.java": "@Test", "source/B.java": "no", "source/core/pom.xml": "",
		"source/core/C.java": "@Test", "source/Large.java": "@Test",
	} {
		at := filepath.Join(top, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Truncate(filepath.Join(root, "Large.java"), maxTestSource+1); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(root, "Folder.java"), 0o755); err != nil {
		t.Fatal(err)
	}
	sources := []string{"A.java", "B.java", "core/C.java", "Large.java", "Folder.java", "Gone.java", "../secret.java"}
	for link, to := range map[string]string{"Zero.java": "/dev/zero", "Out.java": "../secret.java", "In.java": "A.java", "up": ".."} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Log("no links here:", err)
			break
		}
		sources = append(sources, link)
	}
	sources = append(sources, "up/secret.java")
	tree, err := os.OpenRoot(root)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	got, left := (&polluting{}).modules(t.Context(), tree.FS(), sources)
	if diff := cmp.Diff(map[string][]string{".": {"A.java"}, "core": {"core/C.java"}}, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(sources[3:], left); diff != "" {
		t.Errorf("left out: %s", diff)
	}
}

// TestHalfAnAnswer: what a runner did not come to the end of is no answer, whatever stands in it.
func TestHalfAnAnswer(t *testing.T) {
	file, err := (&state.Pollutions{Observed: 1}).File()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		report job.Report
		code   string
	}{
		"whole":    {job.Report{Finished: true, Pollution: file}, ""},
		"half":     {job.Report{Pollution: file}, "unfinished"},
		"an error": {job.Report{Error: &job.Error{Code: "build-broken"}}, "build-broken"},
		"none":     {job.Report{Finished: true}, "bad-report"},
		"nonsense": {job.Report{Finished: true, Pollution: []byte("x")}, "bad-report"},
	} {
		_, err := foundIn(&c.report)
		code := ""
		if told, ok := err.(*job.Error); ok {
			code = told.Code
		}
		if code != c.code || (err == nil) != (c.code == "") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTrusted: of strangers' forks no push starts a runner.
func TestTrusted(t *testing.T) {
	for a, want := range map[string]bool{"OWNER": true, "MEMBER": true, "COLLABORATOR": true, "CONTRIBUTOR": true,
		"FIRST_TIME_CONTRIBUTOR": false, "FIRST_TIMER": false, "MANNEQUIN": false, "NONE": false, "": false} {
		if trusted(a, 1, 1) != want {
			t.Error(a)
		}
	}
}

// TestOneHeadOfTwo: each pull request has a check of its own.
func TestOneHeadOfTwo(t *testing.T) {
	a, b := push{Pull: 1, Head: "0123456789abcdef"}, push{Pull: 2, Head: "0123456789abcdef"}
	if a.externalID() != "pollution-1-0123456789ab" || a.externalID() == b.externalID() {
		t.Error(a.externalID(), b.externalID())
	}
}

// TestAttackManyReaders: of a runner's report on a module only what may be shown is kept, and of all
// modules together a bounded part.
func TestAttackManyReaders(t *testing.T) {
	l := &polluting{files: []verdict.File{{Path: "ATest.java", Status: "modified"}}}
	l.s = &Service{now: time.Now}
	var readers []suite.TestID
	for i := range 48 {
		readers = append(readers, suite.TestID(fmt.Sprintf("a#r%d", i)))
	}
	var all []state.Polluter
	for i := range 2000 {
		file := []string{"ATest.java", "OtherTest.java"}[i%2]
		all = append(all, state.Polluter{Test: suite.TestID(fmt.Sprintf("a.ATest#t%d", i)), Source: &state.Source{File: file, Line: 1, EndLine: 2},
			Pollutes: []state.Pollution{{Field: "a.A.f", Label: state.Read, Readers: readers}, {Field: "a.A.g", Label: state.Unread}}})
	}
	head := l.polluters(all)
	if len(head) != 1000 || len(head[0].Pollutes) != 1 || head[0].Source.File != "ATest.java" {
		t.Errorf("%d tests, the first %+v", len(head), head[0])
	}
	if n := sizeOf(head); n < 1000*50*furtherCost || n > maxKept {
		t.Errorf("counted %d", n)
	}
	base := fieldsOnly(all)
	if len(base) != 2000 || len(base[0].Pollutes) != 2 || base[0].Pollutes[0].Readers != nil || sizeOf(base) > sizeOf(all)/3 {
		t.Errorf("%d tests, the first %+v, counted %d", len(base), base[0], sizeOf(base))
	}
	var n counter
	modules := 0
	for range maxModules {
		if n.take(head) {
			modules++
		}
	}
	if modules != 1 {
		t.Errorf("%d modules of %d are kept", modules, sizeOf(head))
	}
}

// TestAttackLongValues: a few fields have very long values in the reports on all modules.
func TestAttackLongValues(t *testing.T) {
	kept, modules := 0, 0
	var n counter
	for i := range maxModules {
		long := func(what string) string { return what + strings.Repeat("x", maxPollution/8) }
		tests := []state.Polluter{{Test: suite.TestID(fmt.Sprintf("a.A%d#t", i)), Source: &state.Source{File: long("file")},
			Pollutes: []state.Pollution{{Field: long("field"), Before: long("before"), After: long("after"), WrittenBy: long("at"),
				Path: long("path"), Also: []string{long("also")}, Readers: []suite.TestID{suite.TestID(long("reader"))}}}}}
		if n.take(tests) {
			text, err := json.Marshal(tests)
			if err != nil {
				t.Fatal(err)
			}
			kept, modules = kept+len(text), modules+1
		}
	}
	if kept > maxKept || modules < 2 {
		t.Errorf("%d bytes of %d modules are kept", kept, modules)
	}
}

// TestAttackManyModules: what many modules answer would be in memory together.
func TestAttackManyModules(t *testing.T) {
	tree, sources := fstest.MapFS{}, []string{}
	for i := range maxModules + 5 {
		dir := fmt.Sprintf("m%02d/", i)
		tree[dir+"pom.xml"], tree[dir+"ATest.java"] = &fstest.MapFile{}, &fstest.MapFile{Data: []byte("@Test")}
		sources = append(sources, dir+"ATest.java")
	}
	got, left := (&polluting{}).modules(t.Context(), tree, sources)
	if len(got) != maxModules || len(left) != 5 || left[0] != "m20/ATest.java" {
		t.Errorf("%d modules, left out %q", len(got), left)
	}
}
