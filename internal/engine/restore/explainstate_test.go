package restore

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/engine/enginetest"
	"github.com/odfix/odfix/internal/engine/session"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/suite"
)

// TestOwnPlaces: caches of libraries do not hide what is the project's.
func TestOwnPlaces(t *testing.T) {
	const polluter, victim = suite.TestID("com.acme.shop.ImportTest#imports"), suite.TestID("com.acme.bill.ReceiptTest#prints")
	x := New(nil, &session.Module{Lab: &session.Lab{Base: enginetest.StandIn{Origins: func(place string, t suite.TestID) project.Origin {
		switch {
		case strings.HasPrefix(place, "com.acme."):
			return project.Own
		case place == "org.lib.Contexts.cache":
			return project.Container
		}
		return project.Library
	}}}})
	for _, c := range []struct{ places, want []string }{
		{[]string{"org.lib.A.cache", "com.acme.Settings.VALUES", "org.lib.B.cache", "org.lib.C.cache"},
			[]string{"com.acme.Settings.VALUES"}},
		{[]string{"org.lib.A.cache", "org.lib.B.cache", "org.lib.C.cache"}, nil},
		{[]string{"org.lib.Logger.factory"}, []string{"org.lib.Logger.factory"}},
		{[]string{"com.acme.A.a", "com.acme.A.b", "com.acme.A.c", "com.acme.A.d", "com.acme.A.e", "com.acme.A.f"},
			[]string{"com.acme.A.a", "com.acme.A.b", "com.acme.A.c", "com.acme.A.d", "com.acme.A.e"}},
		{[]string{"org.lib.A.cache", "org.lib.Contexts.cache", "org.lib.B.cache"}, []string{"org.lib.Contexts.cache"}},
		{[]string{"org.lib.Contexts.cache", "com.acme.Settings.VALUES"}, []string{"com.acme.Settings.VALUES"}},
		{nil, nil},
	} {
		if got := x.ownFields(c.places, polluter, victim); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, not %v", c.places, got, c.want)
		}
	}
	if got := x.ownFields([]string{"Settings.x"}, "ImportTest#i", "ReceiptTest#p"); len(got) != 1 {
		t.Errorf("classes without packages: %v", got)
	}
}

func TestByCause(t *testing.T) {
	one := func(tests ...suite.TestID) []suite.Order { return []suite.Order{tests} }
	r := &job.Report{Tests: []job.TestReport{
		{Test: "a#1", Verdict: suite.Victim, Polluters: one("p#1")},
		{Test: "a#2", Verdict: suite.Genuine},
		{Test: "a#3", Verdict: suite.Brittle, StateSetters: one("s#1"), Polluters: one("p#1")},
		{Test: "a#4", Verdict: suite.Victim, Polluters: one("p#1", "p#2")},
		{Test: "a#5", Verdict: suite.Victim, Polluters: append(one("p#1"), one("p#3")...)},
		{Test: "p#9", Verdict: suite.Victim, Polluters: one("p#9")},
		{Test: "a#6", Verdict: suite.Victim},
		{Test: "a#7", Verdict: suite.Victim, Polluters: one("p#1", "p#2")},
		{Test: "p#1", Verdict: suite.Victim, Polluters: one("p#1", "p#2")},
		{Test: "a#8", Verdict: suite.Victim, Polluters: one("1", "2", "3", "4", "5", "6", "7", "8", "9")},
	}}
	var got []string
	for _, c := range byCause(r.Tests) {
		for _, t := range c.tests {
			got = append(got, fmt.Sprint(c.cause, " ", t.Test))
		}
	}
	want := []string{"[p#1] a#1", "[p#1] a#5", "[s#1] a#3", "[p#1 p#2] a#4", "[p#1 p#2] a#7"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
