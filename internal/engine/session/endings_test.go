package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

func hung(during suite.TestID) *suite.Run {
	return &suite.Run{
		Order:  suite.Order{"a.A#x", during, "a.A#never"},
		Crash:  &suite.Crash{Kind: "hang", During: during, Detail: "it ran for more than 5s", Stacks: "main waits"},
		Output: "waiting",
	}
}

func TestEndingsAreKeptOncePerTestAndCounted(t *testing.T) {
	out := t.TempDir()
	var e endings
	e.note(nil)
	e.note(&suite.Run{Order: suite.Order{"a.A#x"}})
	e.note(&suite.Run{Order: suite.Order{"a.A#x", "a.A#gone"}, Crash: &suite.Crash{Kind: suite.CrashMissing, During: "a.A#gone"}})
	for range 3 {
		e.note(hung("a.B#hangs"))
	}
	e.note(&suite.Run{Order: suite.Order{"a.A#x"}, ClassFailures: []suite.ClassFailure{{Class: "a.A",
		Failure: suite.Failure{Type: "T", Message: "left open."}}}})
	var r job.Report
	e.report(&r, out)
	if len(r.Crashes) != 1 || r.Crashes[0].Times != 3 || len(r.Crashes[0].Order) != 2 || r.Crashes[0].File != "crashes/1-hang.txt" {
		t.Fatalf("crashes = %+v", r.Crashes)
	}
	text, err := os.ReadFile(filepath.Join(out, r.Crashes[0].File))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"a.B#hangs", "main waits", "waiting", "more than 5s"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is not in:\n%s", want, text)
		}
	}
	if notes := strings.Join(r.Notes, "\n"); !strings.Contains(notes, filepath.Join(out, "crashes", "1-hang.txt")) ||
		!strings.Contains(notes, "a.B#hangs hung directly after a.A#x: it ran for more than 5s.") || !strings.Contains(notes, "--test-timeout") ||
		!strings.Contains(notes, "a.A failed outside its tests") || !strings.Contains(notes, "T: left open. The build") {
		t.Errorf("notes = %s", notes)
	}
}

func TestEndingsAreBounded(t *testing.T) {
	var e endings
	for i := range 3 * MaxEndings {
		e.note(hung(suite.TestID("a.B#t" + strings.Repeat("x", i))))
	}
	var r job.Report
	e.report(&r, "")
	if len(r.Crashes) != MaxEndings || r.Crashes[0].File != "" {
		t.Errorf("%d crashes, the first in %q", len(r.Crashes), r.Crashes[0].File)
	}
}
