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
