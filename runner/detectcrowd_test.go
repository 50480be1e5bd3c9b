package main

import (
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/detect"
	"github.com/odfix/odfix/internal/suite"
)

func TestCrowds(t *testing.T) {
	find := func(name suite.TestID, crowd string, failing, passing suite.Order) detect.Find {
		return detect.Find{Test: name, Crowd: crowd, Failing: detect.Sight{Source: "order 1", Order: failing, Whole: failing}, Passing: detect.Sight{Source: "order 1 without it", Order: passing, Whole: passing}}
	}
	with, without := suite.Order{"p.P#p", "a.A#a", "a.A#b"}, suite.Order{"a.A#a", "a.A#b"}
	b := find("a.A#b", "order 1", with, without)
	of, others := crowds([]detect.Find{b, find("a.A#a", "order 1", with[:2], without[:1]), find("c.C#c", "order 7", with, without), find("d.D#d", "", with, without)})
	if len(of) != 2 || len(of[0]) != 2 || len(of[1]) != 1 || len(others) != 1 || others[0].Test != "d.D#d" {
		t.Errorf("%v, %v", of, others)
	}
	if got := likely(b); len(got) != 1 || !slices.Equal(got[0].Order, suite.Order{"p.P#p", "a.A#b"}) {
		t.Errorf("%v", got)
	}
	if got := likely(find("a.A#b", "order 1", suite.Order{"x.X#x", "a.A#b"}, suite.Order{"x.X#x", "s.S#s", "a.A#b"})); len(got) != 1 || !slices.Equal(got[0].Order, suite.Order{"s.S#s", "a.A#b"}) {
		t.Errorf("of a brittle one: %v", got)
	}
	if got := likely(find("a.A#b", "order 1", with, suite.Order{"a.A#b", "p.P#p", "a.A#a"})); got != nil {
		t.Errorf("of the suite's own order: %v", got)
	}
}
