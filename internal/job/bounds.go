package job

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// ErrBounds means that a message is larger than its reader allows.
var ErrBounds = errors.New("the message is larger than the reader allows")

// Bounds limit a message before it is decoded. Decoded, the shortest objects take hundreds of times
// their length, so values and objects are counted.
type Bounds struct {
	Bytes   int
	Values  int // of all kinds
	Objects int
	Depth   int
}

// BoundsOf are the bounds of a report for a reader that takes so many bytes.
func BoundsOf(bytes int) Bounds {
	return Bounds{Bytes: bytes, Values: bytes / 16, Objects: bytes / 200, Depth: 32}
}

// Check reports whether a JSON text is within the bounds. It reads the text once and stores nothing.
// It does not check that the text is JSON.
func (b Bounds) Check(text []byte) error {
	if len(text) > b.Bytes {
		return fmt.Errorf("%w: more than %d bytes", ErrBounds, b.Bytes)
	}
	values, objects, depth := 1, 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '{':
			objects, values, depth = objects+1, values+1, depth+1
		case '[':
			values, depth = values+1, depth+1
		case ',':
			values++
		case '}', ']':
			depth--
		}
		if values > b.Values || objects > b.Objects || depth > b.Depth {
			return fmt.Errorf("%w: more than %d values, %d objects or %d levels", ErrBounds, b.Values, b.Objects, b.Depth)
		}
	}
	return nil
}

// Fit shortens the report until its JSON is within the bounds of a reader (Job.MaxReport). First it
// removes what only people read, then long orders, at last results for tests. It reports whether the
// report fits.
func (r *Report) Fit(bytes int) bool {
	bounds := BoundsOf(bytes)
	bounds.Bytes -= bytes / 64 // for the message around it
	for _, shorten := range []func(){
		func() {}, r.withoutOutput, func() { r.withoutOrders(200) }, func() { r.withoutOrders(20) },
		func() { r.Observed, r.Cohorts = nil, nil },
	} {
		shorten()
		if r.fits(bounds) {
			return true
		}
	}
	for len(r.Tests) > 1 {
		left := len(r.Tests) / 2
		r.Notes = append(r.Notes, fmt.Sprintf("The results for %d tests are left out: the report was too long.", len(r.Tests)-left))
		r.Tests, r.Combined, r.Names = r.Tests[:left], nil, nil
		if r.fits(bounds) {
			return true
		}
	}
	return false
}

func (r *Report) fits(b Bounds) bool {
	text, err := json.Marshal(r)
	return err == nil && b.Check(text) == nil
}

// withoutOutput removes output, stacks, and the commands of proofs.
func (r *Report) withoutOutput() {
	for i := range r.Crashes {
		r.Crashes[i].Output, r.Crashes[i].Crash.Stacks = "", ""
	}
	for i := range r.Tests {
		t := &r.Tests[i]
		if t.Failure != nil {
			short := *t.Failure
			short.Stack = short.Stack[:min(len(short.Stack), 2000)]
			t.Failure = &short
		}
		for k := range t.Patches {
			t.Patches[k].Proof.Commands = []Command{}
		}
	}
	if r.Combined != nil {
		r.Combined.Proof.Commands = []Command{}
	}
}

// withoutOrders removes the orders of more tests that describe how a result was found.
func (r *Report) withoutOrders(most int) {
	long := func(s *suite.Seen) bool { return s != nil && len(s.Order) > most }
	for i := range r.Tests {
		t := &r.Tests[i]
		if long(t.FailingOrder) {
			t.FailingOrder = nil
		}
		if long(t.PassingOrder) {
			t.PassingOrder = nil
		}
		t.Evidence = slices.DeleteFunc(slices.Clone(t.Evidence), func(a suite.Answer) bool { return len(a.Order) > most })
	}
}
