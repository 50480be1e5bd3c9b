package repair

import (
	"context"
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// fixture is one test class with two fields that its tests share. One test fills each field.
func fixture() (*world, Cause) {
	fill := func(field string) func(map[string]bool) bool {
		return func(s map[string]bool) bool { s[field] = true; return true }
	}
	w := &world{tests: map[suite.TestID]func(map[string]bool) bool{
		"a.BoxTest#fills": fill("a.BoxTest.box"),
		"a.BoxTest#empty": func(s map[string]bool) bool { return !s["a.BoxTest.box"] },
		"a.BoxTest#tidy":  func(s map[string]bool) bool { s["a.BoxTest.box"] = false; return true },
	}, scripts: map[string][]Statement{}, effects: map[string]func(map[string]bool) error{}}
	helper := suite.Order{"a.BoxTest#tidy"}
	w.scripts[helper.Key()] = []Statement{{ID: "tidy", Text: "box.clear();", Role: "body"}}
	w.effects["tidy"] = func(s map[string]bool) error { s["a.BoxTest.box"] = false; return nil }
	polluter := suite.Order{"a.BoxTest#fills"}
	v := suite.TestID("a.BoxTest#empty")
	return w, Cause{Polluter: polluter, Cases: []Case{{Test: v, Failing: []suite.Order{suite.Join(polluter, suite.Order{v})}}},
		Helpers: []suite.Order{helper}}
}

func unsharing(fields ...string) []patch.Made {
	return []patch.Made{{Unshare: fields, Resets: fields[0]}}
}

// A declaration that is no longer shared comes before statements that clean up, which are then not
// searched.
func TestUnsharedBeforeHelpers(t *testing.T) {
	w, cause := fixture()
	f := &thinker{unshare: unsharing("a.BoxTest.box")}
	cs := candidates(t, w, cause, f)
	if len(cs) != 1 || cs[0].Edit.Location != patch.Declaration || cs[0].Edit.At != "a.BoxTest#empty" || f.asked > 0 {
		t.Fatalf("%d candidates, the first %+v; asked %d times for statements", len(cs), cs[0].Edit, f.asked)
	}
}

// If the field cannot be unshared, or if that does not help, the search continues.
func TestUnsharingThatDoesNotHelp(t *testing.T) {
	for name, spoil := range map[string]func(*world) []patch.Made{
		"unfit": func(w *world) []patch.Made {
			w.unfit = func(e Edit) string {
				if e.Location == patch.Declaration {
					return "static code uses it"
				}
				return ""
			}
			return unsharing("a.BoxTest.box")
		},
		"another field": func(*world) []patch.Made { return unsharing("a.BoxTest.count") },
	} {
		w, cause := fixture()
		cs := candidates(t, w, cause, &thinker{unshare: spoil(w)})
		if len(cs) == 0 || cs[0].Edit.Made != nil || !slices.Equal(cs[0].Helper, cause.Helpers[0]) {
			t.Errorf("%s: %+v", name, cs)
		}
	}
}

// Of several fields, only the necessary ones become fields of instances.
func TestUnsharesNoMoreThanIsNeeded(t *testing.T) {
	w, cause := fixture()
	cs := candidates(t, w, cause, &thinker{unshare: unsharing("a.BoxTest.box", "a.BoxTest.count")})
	at := slices.IndexFunc(cs, func(c *Candidate) bool { return c.Edit.Location == patch.Declaration })
	if at < 0 || !slices.Equal(cs[at].Edit.Keep, []string{"0.0"}) {
		t.Fatalf("%+v", cs)
	}
}

// A brittle test lacks state, so unsharing does not help it.
func TestBrittleIsNotUnshared(t *testing.T) {
	w, cause := fixture()
	cause.Polluter, cause.Helpers = nil, nil
	cause.Cases[0].Failing = []suite.Order{{"a.BoxTest#empty"}}
	f := &thinker{unshare: unsharing("a.BoxTest.box")}
	cs, _ := (&Patcher{Groups: groups, Editor: w, Runner: w, Finder: f}).Candidates(context.Background(), cause)
	if len(cs) > 0 {
		t.Errorf("%+v", cs[0].Edit)
	}
}

// An annotation of the polluter's class comes before less likely statements.
func TestAnnotationComesFirst(t *testing.T) {
	w, cause := fixture()
	cause.Helpers = nil
	cause.Polluter = suite.Order{"b.OtherTest#fills"}
	w.tests["b.OtherTest#fills"] = w.tests["a.BoxTest#fills"]
	cause.Cases[0].Failing = []suite.Order{{"b.OtherTest#fills", "a.BoxTest#empty"}}
	cs := candidates(t, w, cause, &thinker{made: []patch.Made{
		{Annotate: []string{"x.Restore"}, Resets: "a.BoxTest.box"}, {Statements: []string{"tidy"}, Resets: "a.BoxTest.box"},
	}})
	if len(cs) != 1 || cs[0].Edit.Location != patch.Declaration || cs[0].Edit.At != "b.OtherTest#fills" {
		t.Errorf("%+v", cs)
	}
}
