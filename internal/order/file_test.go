package order

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

func TestParseSuiteRefuses(t *testing.T) {
	deep := strings.Repeat(`{"children":[`, 1100) + `{"test":"a"}` + strings.Repeat(`]}`, 1100)
	for text, want := range map[string]string{
		``:                                     "nothing in it",
		"\n ":                                  "nothing in it",
		`{`:                                    "not JSON",
		"\xff":                                 "UTF-8",
		`[]`:                                   "not JSON of a suite",
		`{"version":1}`:                        `"root" is missing`,
		`{"root":{"test":"a"}}`:                `"version" is missing`,
		`{"version":7,"root":{}}`:              "reads version 1",
		`{"version":1,"root":{}}`:              "neither",
		`{"version":1,"root":{"children":[]}}`: "the suite is empty",
		`{"version":1,"root":{"test":"a"}} {}`: "something follows",
		`{"version":1,"tests":9,"root":{"test":"a"}}`:                     "tests",
		`{"version":1,"root":{"children":[null]}}`:                        "root.children[0] is null",
		`{"version":1,"root":{"children":[{"children":[]}]}}`:             "root.children[0] (\"\") is a group without tests",
		`{"version":1,"root":{"children":[{"test":"a"},{"test":"a"}]}}`:   "is at root.children[0] already",
		`{"version":1,"root":{"children":[{"test":"a","children":[]}]}}`:  "both",
		`{"version":1,"root":{"children":[{"test":"a\nb"}]}}`:             "line break",
		`{"version":1,"root":{"children":[{"test":"a","fixed":true}]}}`:   "said of groups",
		`{"version":1,"root":{"dynamic":true,"children":[{"test":"a"}]}}`: "said of tests",
		`{"version":1,"root":` + deep + `}`:                               "more than 1000 deep",
	} {
		if _, err := ParseSuite([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %q", text, err, want)
		}
	}
}

func TestSuiteFileRoundTrip(t *testing.T) {
	s := small()
	s.Root.Children = append(s.Root.Children, group("off", &suite.Node{Test: "off", Disabled: true}))
	text, err := SuiteFile(s)
	if err != nil {
		t.Fatal(err)
	}
	back, err := ParseSuite(text)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := Reverse(back), Reverse(small()); !slices.Equal(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
	if text, err := SuiteFile(nil); err != nil || string(text) == "" {
		t.Errorf("%s, %v", text, err)
	} else if _, err := ParseSuite(text); err == nil {
		t.Error("a suite without tests is taken")
	}
}

// TestNewRefuses checks suites that do not come from a file.
func TestNewRefuses(t *testing.T) {
	for name, s := range map[string]*suite.Suite{"none": nil, "no root": {}, "no test": {Root: group("", group("a"))}} {
		for _, technique := range Techniques() {
			if _, err := New(s, technique, Options{}); !errors.Is(err, ErrEmpty) {
				t.Errorf("%s, %s: %v", name, technique, err)
			}
		}
	}
	both := leaf("a")
	both.Children = []*suite.Node{leaf("b")}
	for name, s := range map[string]*suite.Suite{
		"twice": {Root: group("", leaf("a"), group("g", leaf("a")))}, "both": {Root: group("", both)}, "null": {Root: group("", nil)},
	} {
		if _, err := New(s, TechniqueIntraClass, Options{}); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	if _, err := New(small(), "magic", Options{}); err == nil || !strings.Contains(err.Error(), "pair-cover") {
		t.Error("an unknown technique:", err)
	}
}

// TestSmallestSuites checks one test, one class, and one class in a class.
func TestSmallestSuites(t *testing.T) {
	for _, s := range []*suite.Suite{
		{Root: leaf("a")}, {Root: group("", leaf("a"))}, {Root: group("", group("g", group("h", leaf("a"))))},
		{Root: group("", group("g", leaf("a"), leaf("b")))}, {Root: group("", group("g", group("h", leaf("a"), leaf("b"), leaf("c"))))},
	} {
		for _, technique := range Techniques() {
			flow := Flow{Writers: []suite.TestID{"a"}, Readers: s.Order()[1:], Pairs: Touching(s, "a"), Leaders: []suite.TestID{"a"}}
			c := schedule(t, s, technique, Options{
				Pairs: Touching(s, "a"), Flows: slices.Values([]Flow{flow}), Random: 1, InGroup: true, EachFirst: true,
			})
			n := 0
			for o := range c.Orders {
				if n++; len(o) == 0 {
					t.Errorf("%s: an empty order", technique)
				}
			}
			if want := len(s.Order()) == 1 && (technique == TechniqueTarget || technique == TechniqueReach); (n == 0) != want {
				t.Errorf("%s: %d orders of %v", technique, n, s.Order())
			}
		}
	}
}

func TestCheckerRefuses(t *testing.T) {
	s := small() // a1 (a2 a3) a4 | b1 b2 | c1 c2 c3, the last fixed
	for text, want := range map[string]string{
		"a1 a2 a3 a4 b1 b2 c1 c2":    "holds 8 tests",
		"a1 a2 a3 a4 b1 b2 c1 c2 d":  "which the suite does not",
		"a1 a2 a3 a4 b1 b1 c1 c2 c3": "repeated",
		"a1 a2 a4 a3 b1 b2 c1 c2 c3": "interrupt",
		"a1 a2 a3 b1 a4 b2 c1 c2 c3": "interrupt",
		"b1 b2 c1 c3 c2 a1 a2 a3 a4": "fixed",
		"a1 b1 b2 c1 c2 c3 a2 a3 a4": "interrupt",
		"a1 a2 a3 a4 c1 c2 c3 b1 b1": "repeated",
	} {
		c, err := NewChecker(s, Options{}, Across)
		if err != nil {
			t.Fatal(err)
		}
		var o suite.Order
		for _, id := range strings.Fields(text) {
			o = append(o, suite.TestID(id))
		}
		if err := c.Add(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// FuzzParseSuite checks that every accepted suite has an order.
func FuzzParseSuite(f *testing.F) {
	for _, s := range []string{
		`{"version":1,"root":{"children":[{"name":"A","fixed":true,"children":[{"test":"A#a"},{"test":"A#b"}]},{"test":"B#c"}]}}`,
		`{"version":1,"root":{"test":"x"}}`, `{"version":1,"root":{"children":[null]}}`, `{}`, `[[[[`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := ParseSuite(text)
		if err != nil {
			return
		}
		c, err := New(s, TechniqueIntraClass, Options{})
		if err != nil {
			t.Fatalf("parsed, and yet: %v", err)
		}
		check, err := NewChecker(s, Options{}, c.Guarantee...)
		if err != nil {
			t.Fatal(err)
		}
		for o := range c.Orders {
			if err := check.Add(o); err != nil {
				t.Fatal(err)
			}
		}
		for k, share := range check.Coverage() {
			if !share.Whole() {
				t.Fatalf("%s: %v", k, share)
			}
		}
		if _, err = SuiteFile(s); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzParsePairs checks that each line gives two different ids, or an error.
func FuzzParsePairs(f *testing.F) {
	f.Add("a\tb\n")
	f.Add("a\ta\r\n\n")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := ParsePairs(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, p := range list {
			if p[0] == "" || p[1] == "" || p[0] == p[1] {
				t.Errorf("%q holds %q", text, p)
			}
		}
	})
}

// TestHundredThousand checks that techniques without a set of pairs stream their orders.
func TestHundredThousand(t *testing.T) {
	sizes := make([]int, 1000)
	for i := range sizes {
		sizes[i] = 100
	}
	s := sized(t, sizes...)
	for technique, count := range map[Technique]int{TechniqueClassOnly: 1000, TechniqueIntraClass: 1000,
		TechniqueInterClass: 100_000*100_000 - 1000*100*100} {
		c := schedule(t, s, technique, Options{})
		if c.Exact != count {
			t.Errorf("%s: %d orders, want %d", technique, c.Exact, count)
		}
		n := 0
		for o := range c.Orders {
			if len(o) != 100_000 {
				t.Fatalf("%s: an order of %d", technique, len(o))
			}
			if n++; n == 3 {
				break
			}
		}
	}
	_, err := New(s, TechniquePairCover, Options{})
	if err == nil || !strings.Contains(err.Error(), fmt.Sprint(TechniqueIntraClass)) {
		t.Errorf("pair-cover of 100,000 tests: %v", err)
	}
}
