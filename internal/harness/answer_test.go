package harness

import (
	"strings"
	"testing"
	"testing/quick"
	"time"
	"unicode/utf8"

	"github.com/odfix/odfix/internal/suite"
)

func TestClip(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"", 5, ""}, {"hello", 5, "hello"}, {"hellos", 5, "he…"}, {"hé€llo", 7, "hé…"}, {"€€€", 8, "€…"},
		{"\xff\xff\xff\xff\xff\xff", 5, "…"}, {"a\xff", 5, "a\uFFFD"}, {"a\xffb\xff", 5, "a…"},
	} {
		if got := clip(c.in, c.n); got != c.want {
			t.Errorf("clip(%q, %d) = %q, want %q", c.in, c.n, got, c.want)
		}
	}
	bounded := func(b []byte, n uint8) bool {
		limit := int(n)%40 + 3
		got := clip(string(b), limit)
		return len(got) <= limit && utf8.ValidString(got)
	}
	if err := quick.Check(bounded, nil); err != nil {
		t.Error(err)
	}
}

func TestTimeLimits(t *testing.T) {
	l, err := Limits{Floor: time.Second, Unseen: time.Minute, Cap: time.Hour, Factor: 5}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	tm := newTiming(l)
	for id, ds := range map[string][]time.Duration{
		"short": {time.Millisecond}, "grows": {time.Second, 4 * time.Second, 2 * time.Second},
		"long": {20 * time.Minute}, "absurd": {1<<63 - 1}, "negative": {-5},
	} {
		for _, d := range ds {
			tm.learn(suite.TestID(id), d)
		}
	}
	for id, want := range map[string]time.Duration{
		"never": time.Minute, "short": time.Second, "grows": 20 * time.Second,
		"long": time.Hour, "absurd": time.Hour, "negative": time.Second,
	} {
		if got := tm.limit(suite.TestID(id), false); got != want {
			t.Errorf("%s: %v, want %v", id, got, want)
		}
	}
	if _, err := (Limits{Quit: -1}).withDefaults(); err == nil || !strings.Contains(err.Error(), "quit") {
		t.Errorf("err = %v", err)
	}
}
