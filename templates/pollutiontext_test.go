package templates

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

func pollutions() *state.Pollutions {
	return &state.Pollutions{Observed: 30, Captures: 61, Objects: 40, Roots: 1, Seconds: 0.25, Tests: []state.Polluter{
		{Test: "a.CacheTest#a", Pollutes: []state.Pollution{
			{Path: "a.Names.cache", Before: "null", After: "HashMap of 2", Label: state.Cache, Field: "a.Names.cache", During: state.DuringTest},
		}},
		{Test: "a.ResetTest#r", Pollutes: []state.Pollution{{Path: "a.X.y", Field: "a.X.y", Label: state.Unread, Resets: true}}},
		{Test: "a.SettingsTest#reads", More: 3, Pollutes: []state.Pollution{
			{Path: "a.Settings.mode", Before: "0", After: "1", Label: state.Read, Field: "a.Settings.mode", During: state.DuringTeardown,
				Readers: []suite.TestID{"a.B#u", "a.B#v", "a.B#w", "a.B#x"}, MoreReaders: 2, Restored: true},
		}},
		{Test: "a.RegistryTest#p", Pollutes: []state.Pollution{
			{Path: "port 80", Before: "absent", After: "open", Label: state.Unobserved, Field: "port 80", During: state.DuringTest},
			{Path: `com.example.library.Registry.INSTANCE.parsers["a-name-that-is-long"]`, Before: "absent", After: "Foo\x1b[31m",
				Label: state.Breaks, Readers: []suite.TestID{"a.B#v", "a.B#w"}, Breaks: []suite.TestID{"a.B#v"},
				Field: "a.Registry.INSTANCE", During: state.DuringTest, WrittenBy: "a.Registry.put(Registry.java:7)"},
		}},
	}}
}

func TestPollution(t *testing.T) {
	want := `3 of 30 tests leave shared state changed: 1 breaks another test, 1 changes what
other tests read, 1 only fills a cache.

● a.RegistryTest#p
  State         com.example.library.Registry.INSTANCE.parsers["a-name-that-is-long"]:
                absent → Foo\x1b[31m
  Effect        breaks a.B#v: it passes alone, and fails directly after this
                test
  Written by    a.Registry.put(Registry.java:7)
  State         port 80: absent → open
  Effect        unknown: odfix cannot observe who reads this

● a.SettingsTest#reads
  State         a.Settings.mode: 0 → 1
  Effect        read by a.B#u, a.B#v, a.B#w and 3 more; none was seen to fail;
                left by the class teardown; the class teardown restores it
                … and 3 more, below these

… and 1 more test that leaves state changed, in the report

1 test only restores initial values.

  Note          a note
  Run           30 tests; 1 field and 40 objects that they lead to, compared 61
                times in 0.2 s
  Report        out/pollution.json
`
	got := Pollution(pollutions(), []string{"a note"}, "out/pollution.json", Options{Width: 80})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for line := range strings.Lines(got) {
		if utf8.RuneCountInString(line) > 81 && !strings.Contains(line, "a-name-that-is-long") {
			t.Errorf("too long: %s", line)
		}
	}
	colour := Pollution(pollutions(), nil, "f", Options{Width: 80, Color: true})
	if !strings.Contains(colour, "\x1b[31m●\x1b[0m \x1b[1ma.RegistryTest#p") || strings.Contains(colour, "Foo\x1b") {
		t.Errorf("colour: %q", colour)
	}
	if got := Pollution(&state.Pollutions{Observed: 1}, nil, "f", Options{}); !strings.HasPrefix(got, "None of 1 test was seen") {
		t.Error(got)
	}
}

// TestUnlistedChangesAreCounted checks that changes that are not listed are counted, with the static fields above
// no listed path.
func TestUnlistedChangesAreCounted(t *testing.T) {
	for _, c := range []struct {
		fields []string // of each change
		want   string
	}{
		{[]string{"a.A.x"}, ""},
		{[]string{"a.A.x", "a.A.x", "a.A.x"}, "… and 2 more, below these"},
		{[]string{"a.A.a", "a.A.b", "a.A.c", "a.A.d", "a.A.e", "a.A.f", "a.A.g", "a.A.a"},
			"… and 2 more, below these and 1 other field"},
		{[]string{"a.A.a", "a.A.b", "a.A.c", "a.A.d", "a.A.e", "a.A.f", "a.A.g", "a.A.h"},
			"… and 2 more, below these and 2 other fields"},
	} {
		p := state.Polluter{Test: "a.ATest#a"}
		for i, field := range c.fields {
			p.Pollutes = append(p.Pollutes, state.Pollution{Path: fmt.Sprintf("%s.y[%d]", field, i),
				Field: field, Before: "0", After: "1", Label: state.Unread})
		}
		if got := newPolluterView(p).More; got != c.want {
			t.Errorf("%v: %q", c.fields, got)
		}
	}
}
