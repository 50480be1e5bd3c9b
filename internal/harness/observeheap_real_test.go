//go:build unix

package harness

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// heapWitness records captures of the heap.
type heapWitness struct {
	witness
	captures []state.Capture
}

func (w *heapWitness) Capture(c state.Capture) { w.captures = append(w.captures, c) }

// left returns the changes of one test, one per line.
func (w *heapWitness) left(position int) string {
	var out []string
	for _, c := range w.captures {
		if c.Kind != 't' || c.Position != position {
			continue
		}
		for _, ch := range c.Changes {
			line := strings.ReplaceAll(ch.Path, "state.Shapes", "S") + ": " + ch.Before + " → " + ch.After
			if ch.Fresh {
				line += " fresh"
			}
			if ch.By != "" {
				line += " by " + ch.By[:strings.LastIndexByte(ch.By, ':')]
			}
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

// TestRealHeap checks the captures of an agent with options, on the same JDKs as
// TestRealObservation.
func TestRealHeap(t *testing.T) {
	for _, home := range append([]string{""}, strings.FieldsFunc(os.Getenv("ODFIX_TEST_JDKS"), func(r rune) bool { return r == ':' })...) {
		t.Run(filepath.Base(home), func(t *testing.T) {
			j := stateJVM(t, home, false)
			j.AgentFile = filepath.Join(t.TempDir(), "state options.properties")
			if err := os.WriteFile(j.AgentFile, []byte("exclude_roots=state\\\\.Shapes\\\\.real\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			observeHeap(t, j)
		})
	}
}

func observeHeap(t *testing.T, j JVM) {
	tests := []string{"looks", "registers", "registersAndRemoves", "puts", "putsTheSame", "array", "local",
		"single", "inherited", "property",
		"captures", "locale", "cookies", "fails", "afterAFailure", "reflects", "huge", "threads", "lonely", "large"}
	o := suite.Order{}
	for _, m := range tests {
		o = append(o, suite.TestID("state.StateTest#"+m))
	}
	var w heapWitness
	run, err := realPool(t, j, nil).Observe(t.Context(), o, &w, 0)
	if err != nil || run.Crash != nil {
		t.Fatalf("%v %+v", err, run)
	}
	want := map[string]string{
		"looks": "", "registersAndRemoves": "", "putsTheSame": "", "fails": "", "huge": "", // huge has only the value of its initialiser
		"registers": `S.REGISTRY["a"]: absent → ArrayList of 1`,
		"puts":      "S.plain: 0 → 5 by state.StateTest.puts(StateTest.java",
		"array":     "S.array[0][1]: 2 → 7",
		"local":     "S.LOCAL.get(): null → ArrayList of 1",
		"single":    "S$Single.INSTANCE.state: 0 → 1 fresh",
		"inherited": "S.plain: 5 → 6 by state.StateTest.inherited(StateTest.java\nS$Constants.SHARED[0]: absent → \"x\" fresh",
		"property":  `system property state.captured: absent → "here"`,
		"captures": "S.REGISTRY[\"captured\"]: absent → ArrayList of 0\n" +
			"S.putAtFirst: 0 → 7 by state.Shapes$Captured.<clinit>(Shapes.java",
		"locale":        `java.util.Locale.defaultLocale: en → ""`,
		"cookies":       "java.net.CookieHandler.cookieHandler: null → CookieManager fresh",
		"afterAFailure": "S.plain: 6 → 7 by state.StateTest.afterAFailure(StateTest.java",
		"reflects":      `S$ByReflection.text: "before" → "after" fresh`,
		"large":         "state.Large.x: 0 → 6000 fresh", // nothing could be woven into it
		"lonely": "state.Lonely.count: 0 → 1 fresh by ?state.Lonely.count(Lonely.java\n" + // in two class loaders
			"state.Lonely.count: 0 → 1 fresh by ?state.Lonely.count(Lonely.java",
	}
	for i := range 10 {
		want["threads"] += fmt.Sprintf("\nS.REGISTRY[\"t%d\"]: absent → ArrayList of 0", i)
	}
	want["threads"] = want["threads"][1:]
	got := map[string]string{}
	for i, name := range tests {
		got[name] = w.left(i)
	}
	lines := strings.Split(got["threads"], "\n")
	slices.Sort(lines)
	got["threads"] = strings.Join(lines, "\n")
	if _, country, ok := strings.Cut(got["locale"], ": en_"); ok { // depends on the machine
		_, rest, _ := strings.Cut(country, " ")
		got["locale"] = "java.util.Locale.defaultLocale: en " + rest
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("left (-want +got):\n%s\nnotes: %v", diff, w.notes)
	}
	if notes := strings.Join(w.notes, "\n"); !strings.Contains(notes, "state.Shapes$Huge.graph leads to more than is captured") {
		t.Errorf("notes: %s", notes)
	}
	if strings.Contains(run.Output, "WARNING") || strings.Contains(run.Output, "odfix state") {
		t.Errorf("it printed %s", run.Output)
	}
}

// TestRealLines checks that the report names the line that wrote the content of a place below a
// static field. It names no line if several may have written it.
func TestRealLines(t *testing.T) {
	j := stateJVM(t, "", false)
	j.AgentFile = filepath.Join(t.TempDir(), "state.properties")
	if err := os.WriteFile(j.AgentFile, []byte("lines=true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("testdata/state/LinesTest.java")
	if err != nil {
		t.Fatal(err)
	}
	var o suite.Order
	for _, m := range []string{"a_begins", "b_fields", "c_elements", "d_entries", "e_clears", "f_hides", "g_doubts"} {
		o = append(o, suite.TestID("state.LinesTest#"+m))
	}
	var w heapWitness
	run, err := realPool(t, j, nil).Observe(t.Context(), o, &w, 0)
	if err != nil || run.Crash != nil || run.Last().Outcome != suite.Pass {
		t.Fatalf("%v %+v", err, run)
	}
	lines := strings.Split(string(source), "\n")
	var got, want []string
	for _, line := range lines {
		if _, path, ok := strings.Cut(line, "; // ."); ok {
			want = append(want, path)
		}
	}
	for _, c := range w.captures {
		for _, ch := range c.Changes {
			path := strings.TrimPrefix(ch.Path, "state.LinesTest.")
			if ch.By == "" {
				continue
			}
			var n int
			if _, err := fmt.Sscanf(ch.By[strings.LastIndexByte(ch.By, ':')+1:], "%d)", &n); err != nil || n < 1 || n > len(lines) {
				t.Fatalf("%s is written by %q", ch.Path, ch.By)
			}
			if _, says, _ := strings.Cut(lines[n-1], "// ."); says == path || c.Position == 4 && path != says &&
				strings.Contains(lines[n-1], "MAP.clear()") {
				got = append(got, says)
			} else {
				t.Errorf("%s is reported as written by %s", ch.Path, ch.By)
			}
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(slices.Compact(want), slices.Compact(got)); diff != "" {
		t.Errorf("lines (-want +got):\n%s\nnotes: %v", diff, w.notes)
	}
	for _, c := range w.captures {
		if t.Failed() {
			t.Logf("%c %d %+v", c.Kind, c.Position, c.Changes)
		}
	}
}
