package restore

import (
	"reflect"
	"testing"

	"github.com/odfix/odfix/internal/state"
)

// TestSetAside: what is known of a test's state comes back after the search for another cause.
func TestSetAside(t *testing.T) {
	before := knownState{ways: []string{"A.b"}, changes: []state.Change{{Field: "A.b"}}, elsewhere: true}
	x := New(nil, nil)
	*x.known("V#one") = before
	back := x.SetAside("V#one")
	if !reflect.DeepEqual(*x.known("V#one"), knownState{}) {
		t.Error("still known")
	}
	x.known("V#one").ways = []string{"C.d"}
	back()
	if got := *x.known("V#one"); !reflect.DeepEqual(got, before) {
		t.Errorf("%+v, want %+v", got, before)
	}
}

// TestOneValue: one value of a field can be set; an entry of a container may be one of many, and
// what a mock answers with, or its calls, cannot be set.
func TestOneValue(t *testing.T) {
	x := New(nil, nil)
	for path, want := range map[string]bool{"A.b": true, "system property a": true, "A.list[0]": false, "get implementation": false,
		"get once": false, "get.mock.calls": false} {
		x.known("V#one").changes = []state.Change{{Path: path}}
		if x.OneValue("V#one") != want {
			t.Errorf("%s: %v", path, !want)
		}
	}
	x.known("V#one").changes = append(x.known("V#one").changes, state.Change{Path: "A.b"})
	if x.OneValue("V#one") {
		t.Error("two are one")
	}
}
