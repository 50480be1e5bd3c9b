//go:build unix

package harness

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/suite"
)

func TestDiscover(t *testing.T) {
	p := newTestPool(t, Config{})
	s, info, err := p.Discover(t.Context(), []string{"one", "exits", "two", "broken", "unbalanced", "last", "one", "mixed"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := &suite.Suite{
		Root: &suite.Node{Children: []*suite.Node{
			{Name: "one", Children: []*suite.Node{{Name: "one#test", Test: "one#test", Disabled: true}}},
			{Name: "two", Children: []*suite.Node{{Name: "two$In", Fixed: true, Children: []*suite.Node{
				{Name: "two$In#a", Test: "two$In#a"}, {Name: "two$In#b", Test: "two$In#b", Dynamic: true}}}}},
			{Name: "last", Children: []*suite.Node{{Name: "last#test", Test: "last#test", Disabled: true}}},
			{Name: "mixed", TestsFirst: true, Children: []*suite.Node{{Name: "mixed#a", Test: "mixed#a"},
				{Name: "mixed$In", TestsFirst: true, Children: []*suite.Node{{Name: "mixed$In#b", Test: "mixed$In#b"}}}}},
		}},
		Problems: []suite.Problem{
			{Class: "exits", Reason: "System.exit(1) called"},
			{Class: "broken", Reason: "no such class"},
			{Class: "unbalanced", Reason: "its tests are ambiguous: a group ends that never began"},
			{Class: "one", Reason: "its tests are ambiguous: two tests are called one#test"},
		},
	}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Errorf("suite (-want +got):\n%s", diff)
	}
	if info.Java != "17.0.1" || len(info.Frameworks) != 1 || len(info.Classes) != 8 {
		t.Errorf("info = %+v", info)
	}
	if c := info.Classes[2]; c.Name != "two" || c.Framework != "platform" || c.Tests != 2 {
		t.Errorf("class = %+v", c)
	}
	if p.Stats().Starts != 2 {
		t.Errorf("%d processes, want 2, because a class ended the first", p.Stats().Starts)
	}
}

func TestDiscoverNothing(t *testing.T) {
	s, info, err := newTestPool(t, Config{}).Discover(t.Context(), nil, nil)
	if err != nil || len(s.Order()) != 0 || info.Java == "" {
		t.Errorf("suite %v, info %+v, err %v", s, info, err)
	}
}

func TestDiscoverHang(t *testing.T) {
	p := newTestPool(t, Config{clock: expiring(testLimits.Unseen)})
	s, _, err := p.Discover(t.Context(), []string{"hangs"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Problems) != 1 || !strings.Contains(s.Problems[0].Reason, "stack of everything") {
		t.Errorf("problems = %v", s.Problems)
	}
}

// On a machine that has become slower, looking at a class may take longer.
func TestDiscoverSlowly(t *testing.T) {
	p := newTestPool(t, Config{clock: expiring(2 * testLimits.Unseen)})
	p.timing.started(exactRole, promptStart)
	p.timing.started(exactRole, 2*promptStart)
	s, _, err := p.Discover(t.Context(), []string{"hangs"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Problems) != 1 || !strings.Contains(s.Problems[0].Reason, (2*testLimits.Unseen).String()) {
		t.Errorf("problems = %v", s.Problems)
	}
}

func TestDiscoverGivesUp(t *testing.T) {
	p := newTestPool(t, Config{})
	classes := make([]string, maxBroken+5)
	for i := range classes {
		classes[i] = "exits"
	}
	_, _, err := p.Discover(t.Context(), classes, nil)
	if err == nil || !strings.Contains(err.Error(), "21 times") || !strings.Contains(err.Error(), "System.exit(1) called") {
		t.Errorf("err = %v", err)
	}
}

func TestDiscoverProtocol(t *testing.T) {
	_, _, err := newTestPool(t, Config{}).Discover(t.Context(), []string{"other"}, nil)
	if err == nil || !strings.Contains(err.Error(), "not asked was reported where other was due") {
		t.Errorf("err = %v", err)
	}
}
