package state

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/suite"
)

// random returns the relation of a run of up to 80 tests in classes of up to 9, over up to 6
// fields, in up to three processes.
func random(seed int) *Relation {
	rng := rand.New(rand.NewPCG(uint64(seed), 1))
	var traces []*Trace
	fields := rng.IntN(6)
	for class := range 1 + rng.IntN(3) {
		var o suite.Order
		for c := range 1 + rng.IntN(4) {
			for i := range 1 + rng.IntN(9) {
				o = append(o, suite.TestID(fmt.Sprintf("C%d%d#t%d", class, c, i)))
			}
		}
		t := NewTrace(o, groups)
		for i := range fields {
			t.Field(fmt.Sprint("p", i), i == 0)
		}
		held := make([]int64, fields)
		for i := range o {
			first, last := i == 0 || junitid.Launched(o[i-1]) != junitid.Launched(o[i]), i == len(o)-1 ||
				junitid.Launched(o[i+1]) != junitid.Launched(o[i])
			if first || rng.IntN(4) == 0 {
				t.Segment(anything(rng, 'b', i, held))
			}
			if rng.IntN(10) == 0 {
				t.Failed(i)
			}
			if rng.IntN(10) > 0 {
				t.Segment(anything(rng, 't', i, held))
			}
			if last {
				t.Segment(anything(rng, 'a', i, held))
			}
		}
		traces = append(traces, t)
	}
	return Relate(traces...)
}

// anything returns a random segment.
func anything(rng *rand.Rand, kind byte, at int, held []int64) Segment {
	s := Segment{Kind: kind, Position: at}
	for _, list := range []*[]int{&s.Read, &s.Written, &s.InitRead, &s.InitWrite} {
		for p := range held {
			if rng.IntN(5) == 0 {
				*list = append(*list, p)
			}
		}
	}
	for p := range held {
		switch rng.IntN(12) {
		case 0:
			was := held[p]
			if held[p] = int64(rng.IntN(3)); held[p] != was {
				s.Values = append(s.Values, Value{Field: p, Before: was, After: held[p], Behind: rng.IntN(2)})
			}
		case 1:
			if rng.IntN(4) == 0 {
				s.Values = append(s.Values, Value{Field: p, Unsure: true, Before: held[p], After: held[p]})
			}
		}
	}
	return s
}

func TestFileRoundTrip(t *testing.T) {
	for seed := range 50 {
		r := random(seed)
		text, err := r.File()
		if err != nil {
			t.Fatal(err)
		}
		back, err := Parse(text, groups)
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if diff := cmp.Diff(list(r.Pairs(Ambient)), list(back.Pairs(Ambient))); diff != "" {
			t.Fatalf("seed %d: pairs (-want +got):\n%s", seed, diff)
		}
		if diff := cmp.Diff(r.MaybeBrittle(), back.MaybeBrittle()); diff != "" {
			t.Fatalf("seed %d: maybeBrittle (-want +got):\n%s", seed, diff)
		}
	}
}

func TestInvalidFiles(t *testing.T) {
	for text, want := range map[string]string{
		``:                                "not JSON",
		`{}`:                              "version is 0",
		`{"version":2}`:                   "version is 2",
		`{"version":1,"tests":["a","a"]}`: "twice",
		`{"version":1,"tests":["a"," "]}`: "no name",
		`{"version":1,"tests":["a"],"spans":[1,2,3]}`:                                       "0 spans for 1 tests",
		`{"version":1,"tests":["a"],"places":[{"name":"p","segments":[2,1],"held":[1,2]}]}`: "no history",
		`{"version":1,"tests":["a"],"places":[{"name":"p","segments":[2]}]}`:                "no history",
		`{"version":1,"tests":["a"],"places":[{"name":"p","tests":{"read":"Ag=="}}]}`:       "field 0 (p): it names test 2 of 1",
		`{"version":1,"tests":["a"],"places":[{"name":"p","around":{"read":"?"}}]}`:         "not JSON",
	} {
		if _, err := Parse([]byte(text), groups); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// FuzzParse checks that every accepted file can be used.
func FuzzParse(f *testing.F) {
	text, err := random(3).File()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"version":1,"tests":["a","b"],"spans":[0,1,0,1,1,2,1,2],"places":[{"name":"p","tests":{"read":"Aw=="},"around":{"changed":"AQ=="}}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := Parse(text, groups)
		if err != nil || len(r.Tests) > 200 {
			return
		}
		for p, v := range r.Pairs(Ambient) {
			if p == v || r.Tests.Index(p) < 0 || r.Tests.Index(v) < 0 {
				t.Fatalf("the pair %q %q", p, v)
			}
		}
		r.MaybeBrittle()
	})
}
