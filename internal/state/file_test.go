package state

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/suite"
)

// random is a relation of up to 80 tests and 6 places.
func random(seed int) *Relation {
	rng := rand.New(rand.NewPCG(uint64(seed), 1))
	r := &Relation{}
	for i := range 1 + rng.IntN(80) {
		r.Tests = append(r.Tests, suite.TestID(fmt.Sprintf("C%d#t%d", i/7, i)))
	}
	for i := range rng.IntN(6) {
		p := Place{Name: fmt.Sprint("p", i), Ambient: rng.IntN(3) == 0}
		for _, s := range []*set{&p.Read, &p.Written, &p.First, &p.Changed, &p.Unsure} {
			for range rng.IntN(6) {
				s.add(rng.IntN(len(r.Tests)))
			}
		}
		r.Places = append(r.Places, p)
	}
	r.classes()
	return r
}

func TestFileRoundTrip(t *testing.T) {
	for seed := range 50 {
		r := random(seed)
		text, err := r.File()
		if err != nil {
			t.Fatal(err)
		}
		back, err := Parse(text)
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if diff := cmp.Diff(list(r.Pairs(Ambient)), list(back.Pairs(Ambient))); diff != "" {
			t.Fatalf("seed %d: pairs (-want +got):\n%s", seed, diff)
		}
		if diff := cmp.Diff(r.Leaning(), back.Leaning()); diff != "" {
			t.Fatalf("seed %d: leaning (-want +got):\n%s", seed, diff)
		}
	}
}

func TestFilesThatLie(t *testing.T) {
	for text, want := range map[string]string{
		``:                                "not JSON",
		`{}`:                              "version is 0",
		`{"version":2}`:                   "version is 2",
		`{"version":1,"tests":["a","a"]}`: "twice",
		`{"version":1,"tests":["a"," "]}`: "no name",
		`{"version":1,"tests":["a"],"places":[{"name":"p","read":"Ag=="}]}`: "place 0 (p): it names test 2 of 1",
		`{"version":1,"tests":["a"],"places":[{"name":"p","read":"?"}]}`:    "not JSON",
	} {
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// FuzzParse: whatever is taken can be used.
func FuzzParse(f *testing.F) {
	text, err := random(3).File()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"version":1,"tests":["a","b"],"places":[{"name":"p","read":"Aw==","changed":"AQ=="}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := Parse(text)
		if err != nil || len(r.Tests) > 200 {
			return
		}
		for p, v := range r.Pairs(Ambient) {
			if p == v || r.Tests.Index(p) < 0 || r.Tests.Index(v) < 0 {
				t.Fatalf("the pair %q %q", p, v)
			}
		}
		r.Leaning()
	})
}
