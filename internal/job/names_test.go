package job

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/suite"
)

func TestNamesAreNotBelieved(t *testing.T) {
	n := Names{
		"a.A#x": {Short: "A#x", Group: "a.A", Unit: "a.A", Name: "x", Source: "a/A"},
		"a.A#y": {Short: "Another#y", Group: "b.B", Unit: "a.A", Name: "z"},
	}
	whole := func(id string) TestName { return TestName{Short: id, Group: id, Unit: id, Name: id} }
	for id, want := range map[suite.TestID]TestName{
		"a.A#x": n["a.A#x"], "a.A#y": {Short: "a.A#y", Group: "a.A#y", Unit: "a.A", Name: "a.A#y"}, "a.A#z": whole("a.A#z"),
	} {
		if d := cmp.Diff(want, n.Of(id)); d != "" {
			t.Errorf("%s: %s", id, d)
		}
	}
	for path, want := range map[string]bool{"src/a/A.java": true, "a/A.test.js": true, "xa/A.java": false,
		"src/a/A": false, "src/a/AB.java": false, "src/.java": false} {
		if n.Holds(path, "a.A#x") != want || n.Holds(path, "a.A#z") {
			t.Errorf("%s: %v", path, !want)
		}
	}
}

// TestNameTests: every test that people are shown has a name, and those of long orders have not.
func TestNameTests(t *testing.T) {
	r := Report{
		Tests: []TestReport{{
			Test: "v", MinimalOrder: suite.Order{"m", "v"}, Polluters: []suite.Order{{"p"}}, StateSetters: []suite.Order{{"s"}},
			Cleaners:     []suite.Cleaner{{Polluter: suite.Order{"p"}, Cleaner: suite.Order{"c"}}},
			Evidence:     []suite.Answer{{Order: suite.Order{"1", "2", "3", "4", "5"}}},
			FailingOrder: &suite.Seen{Order: suite.Order{"unseen"}},
		}},
		Detection: &Detection{LeftOut: []Unsure{{Test: "l"}}, Undecided: []Unsure{{Test: "u"}}},
	}
	r.NameTests(func(t suite.TestID) TestName { return TestName{Short: string(t)} }, "more")
	for _, id := range []suite.TestID{"v", "m", "p", "s", "c", "1", "2", "5", "l", "u", "more"} {
		if _, ok := r.Names[id]; !ok {
			t.Errorf("%s has no name", id)
		}
	}
	if len(r.Names) != 11 {
		t.Errorf("%d names", len(r.Names))
	}
}
