//go:build unix

package harness

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

// TestRealRestore covers every shape of state, on the installed JDK and on each JDK named in
// ODFIX_TEST_JDKS (homes, separated by colons).
func TestRealRestore(t *testing.T) {
	homes := append([]string{""}, strings.FieldsFunc(os.Getenv("ODFIX_TEST_JDKS"), func(r rune) bool { return r == ':' })...)
	for _, home := range homes {
		t.Run(filepath.Base(home), func(t *testing.T) { restoreShapes(t, realPool(t, stateJVM(t, home, false), nil)) })
	}
}

var spoilt = []string{
	"state.RestoreTest.KEPT", "state.RestoreTest.replaced", "state.RestoreTest.counter", "state.Shapes.REGISTRY",
	"state.Shapes$Single.INSTANCE", "state.Shapes$Constants.SHARED", "state.Shapes.array", "state.Shapes.LOCAL",
	"system property state.rewound", "java.lang.System.out", "java.util.Locale.defaultLocale",
}

func restoreShapes(t *testing.T, pool *Pool) {
	const spoils, finds, counts suite.TestID = "state.RestoreTest#spoils", "state.RestoreTest#finds", "state.RestoreTest#counts"
	const spoilsPlugins, findsPlugins suite.TestID = "state.RestoreTest#spoilsPlugins", "state.RestoreTest#findsPlugins"
	outcome := func(o suite.Order, r Restore) (suite.Outcome, []Restored) {
		t.Helper()
		run, back, err := pool.RestoreRun(t.Context(), o, r)
		if err != nil || run.Crash != nil {
			t.Fatalf("%v %+v", err, run)
		}
		last := run.At(len(o) - 1)
		if last.Outcome == suite.Fail {
			t.Logf("%s", last.Failure.Message)
		}
		return last.Outcome, back
	}
	got, back := outcome(suite.Order{spoils, finds}, Restore{spoilt, 1})
	if got != suite.Pass {
		t.Error("with all put back it does not pass")
	}
	if len(back) != len(spoilt) {
		t.Errorf("%d places, not %d: %+v", len(back), len(spoilt), back)
	}
	for _, b := range back {
		if !b.Changed || b.Problem != "" {
			t.Errorf("%+v", b)
		}
	}
	for _, place := range []string{spoilt[0], spoilt[len(spoilt)-1]} { // two of them, of different kinds
		rest := slices.DeleteFunc(slices.Clone(spoilt), func(p string) bool { return p == place })
		if got, _ := outcome(suite.Order{spoils, finds}, Restore{rest, 1}); got != suite.Fail {
			t.Errorf("without %s it passes", place)
		}
	}
	if got, back := outcome(suite.Order{counts, spoils, counts},
		Restore{[]string{"state.RestoreTest.counter", "state.Shapes.plain"}, 2}); got != suite.Pass || back[1].Changed {
		t.Errorf("%s %+v", got, back)
	}
	plugins := []string{"state.Lonely.count", "state.LonelyNames.NAMES", "state.LonelyNames.first"}
	if got, back := outcome(suite.Order{spoilsPlugins, findsPlugins}, Restore{plugins, 1}); got != suite.Pass ||
		!slices.Equal(back, []Restored{
			{Field: plugins[0], Elsewhere: true}, {Field: plugins[1], Elsewhere: true}, {Field: plugins[2], Elsewhere: true},
		}) {
		t.Errorf("what another class loader has: %s %+v", got, back)
	}
	for i := range plugins {
		if got, _ := outcome(suite.Order{spoilsPlugins, findsPlugins},
			Restore{slices.Delete(slices.Clone(plugins), i, i+1), 1}); got != suite.Fail {
			t.Errorf("without %s, which another class loader has, it passes", plugins[i])
		}
	}
	_, back = outcome(suite.Order{spoils, counts},
		Restore{[]string{"state.Nowhere.x", "state.Shapes.nowhere", "state.Shapes$Failing.value", "huh"}, 1})
	if len(back) != 4 {
		t.Errorf("reported %+v", back)
	}
	for _, b := range back {
		if b.Problem == "" {
			t.Errorf("%s was put back", b.Field)
		}
	}
}

// TestRealInitialisers: classes whose static initialisers run are reported, and can be initialised before
// the first test.
func TestRealInitialisers(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts many JVMs")
	}
	const keeper = "state.InitialiserTest$Keeper"
	pool := realPool(t, stateJVM(t, "", false), nil)
	o := suite.Order{"state.InitialiserTest#needsItFirst", "state.InitialiserTest#wantsPlain"}
	var w witness
	run, err := pool.Observe(t.Context(), o, &w, 0)
	if err != nil || run.Last().Outcome != suite.Fail {
		t.Fatalf("%v %+v", err, run)
	}
	if !slices.Contains(w.classes, keeper) || slices.ContainsFunc(w.classes, func(c string) bool { return strings.HasPrefix(c, "java.") }) {
		t.Errorf("initialised: %q", w.classes)
	}
	for class, want := range map[string]suite.Outcome{keeper: suite.Pass, "state.Lonely": suite.Fail, "state.Nowhere": suite.Fail} {
		run, back, err := pool.RestoreRun(t.Context(), o, Restore{Fields: []string{"class " + class}})
		if err != nil || run.At(0).Outcome != suite.Pass || run.Last().Outcome != want || len(back) > 0 {
			t.Errorf("%s first: %v %+v %+v", class, err, run, back)
		}
	}
	_, back, err := pool.RestoreRun(t.Context(), o, Restore{Fields: []string{"class state.Shapes$Failing"}, Before: 1})
	if err != nil || len(back) != 1 || !strings.Contains(back[0].Problem, "ExceptionInInitializerError") {
		t.Errorf("an initialiser that fails: %v %+v", err, back)
	}
}

func TestRestoreNeedsTheAgent(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts many JVMs")
	}
	j := stateJVM(t, "", false)
	j.Agent = ""
	_, _, err := realPool(t, j, nil).RestoreRun(t.Context(),
		suite.Order{"state.RestoreTest#spoils", "state.RestoreTest#finds"}, Restore{nil, 1})
	if err == nil || !strings.Contains(err.Error(), "without the agent") {
		t.Errorf("%v", err)
	}
}
