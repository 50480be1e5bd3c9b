package state

import (
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

func TestLinesAreCopied(t *testing.T) {
	tests := func(line string, after string) *Pollutions {
		return &Pollutions{Tests: []Polluter{
			{Test: "a.T#makes", Pollutes: []Pollution{{Path: "a.S.x", Field: "a.S.x", After: "1", WrittenBy: "a.S.put(S.java:1)"}}},
			{Test: "a.T#adds", Pollutes: []Pollution{
				{Path: "a.S.x.map[\"k\"]", Field: "a.S.x", Before: "absent", After: "1", During: DuringTest, WrittenBy: line},
				{Path: "a.S.x.size", Field: "a.S.x", Before: "0", After: after, During: DuringTest, WrittenBy: line},
			}},
			{Test: "a.T#opens", Pollutes: []Pollution{{Path: "port 80", Field: "port 80", After: "listening"}}},
		}}
	}
	p := tests("", "1")
	if got, want := p.Unwritten(nil), (suite.Order{"a.T#makes", "a.T#adds"}); !slices.Equal(got, want) {
		t.Errorf("tests without lines are %v, want %v", got, want)
	}
	if got := p.Unwritten(map[suite.TestID]bool{"a.T#makes": true}); len(got) != 0 {
		t.Errorf("no line is missing, but %v run again", got)
	}
	p.Written(tests("a.S.add(S.java:7)", "2"))
	for i, want := range []string{"a.S.add(S.java:7)", ""} { // the second one had another result
		if got := p.Tests[1].Pollutes[i].WrittenBy; got != want {
			t.Errorf("%s is written by %q, not %q", p.Tests[1].Pollutes[i].Path, got, want)
		}
	}
	if got := p.Tests[0].Pollutes[0].WrittenBy; got != "a.S.put(S.java:1)" {
		t.Errorf("a line that was known became %q", got)
	}
}
