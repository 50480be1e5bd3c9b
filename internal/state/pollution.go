package state

import (
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/suite"
)

// Label says what a pollution does to others.
type Label string

// The labels, the worst first.
const (
	Breaks Label = "breaks another test"                  // a reader that passes alone fails after the test
	Read   Label = "read by other tests, no failure seen" // tests read the field
	Unseen Label = "reads are not observed"               // it lies outside of static fields, where reads are not observed
	Nobody Label = "no other test reads it"
	Cache  Label = "cache" // initialised when first needed, and never changed again
)

// During says what left a change.
type During string

// What can leave one.
const (
	DuringTest     During = "test"
	DuringSetup    During = "class setup"
	DuringTeardown During = "class teardown"
)

// Pollution is one place of shared state that a test leaves changed.
type Pollution struct {
	Path    string         `json:"path"`    // the access path, from a static field or a place of the process
	Before  string         `json:"before"`  // what it held, for people
	After   string         `json:"after"`   // what it holds after the test
	Label   Label          `json:"label"`   // what that does to others
	Readers []suite.TestID `json:"readers"` // other tests that read the field, or the place, from which the path leads on
	// MoreReaders are readers that are not listed.
	MoreReaders int            `json:"moreReaders,omitempty"`
	Breaks      []suite.TestID `json:"breaks,omitempty"` // those of them that pass alone and fail after the test
	Field       string         `json:"place"`            // where the path begins
	// Also are other static fields that lead to what changed: their readers are among Readers.
	Also []string `json:"also,omitempty"`
	// MoreAlso are such fields that are not listed.
	MoreAlso int    `json:"moreAlso,omitempty"`
	During   During `json:"during"`
	// WrittenBy is the line that put it last, where that is known.
	WrittenBy string `json:"writtenBy,omitempty"`
	// Restored: the teardown of the test's class puts it back.
	Restored bool `json:"restored,omitempty"`
	// Resets: it holds now what it held before any test changed it, as far as the words for both
	// tell.
	Resets bool `json:"resets,omitempty"`
	// Initialised: the class of the field was initialised in this test; before is what its
	// initialiser left.
	Initialised bool `json:"initialised,omitempty"`

	cache bool // it looks like one
}

// Source is where a test stands.
type Source struct {
	File    string `json:"file"` // from the top of the checkout, with '/'
	Line    int    `json:"line"` // of the method, or of its class where it is an inherited one
	EndLine int    `json:"endLine"`
}

// Polluter is a test that leaves shared state changed.
type Polluter struct {
	Test suite.TestID `json:"test"`
	// Source is looked up where only tests that a change touches are reported.
	Source   *Source     `json:"source,omitempty"`
	Pollutes []Pollution `json:"pollutes"` // in a file, the worst first
	// More are further places that are not listed.
	More int `json:"more,omitempty"`
}

// Pollutions are what PolDet reports (Gyori et al., ISSTA 2015): for each test of an observed run
// the shared state that it leaves changed.
type Pollutions struct {
	Tests    []Polluter `json:"tests"`    // in the order in which they ran
	Observed int        `json:"observed"` // tests that ran
	Captures int        `json:"captures"` // states that were looked at
	Objects  int        `json:"objects"`  // the most that one of them held
	Roots    int        `json:"roots"`    // static fields, and places of the process, the most at once
	Seconds  float64    `json:"seconds"`  // spent on looking, in the test process
	Cut      bool       `json:"cut"`      // some state held more than is looked at
	// Partial: not all tests were observed to their end, since a process ended early.
	Partial bool `json:"partial,omitempty"`
}

// Pollute puts together what the processes of an observed run showed.
func Pollute(r *Relation, heaps ...*Heap) *Pollutions {
	out := &Pollutions{Tests: []Polluter{}}
	readers := r.readers()
	for _, h := range heaps {
		out.count(h)
		changed, first := h.changed(), h.first()
		by := map[int]*Polluter{}
		lefts := h.net()
		for i, id := range h.tests {
			by[i] = &Polluter{Test: id}
		}
		for _, l := range lefts {
			t := by[l.test]
			t.Pollutes = append(t.Pollutes, l.pollution(t.Test, readingAny(readers, l).of(r, t.Test, l.during),
				changed.once(l.Path), first[l.Path]))
		}
		for i := range h.tests {
			if t := by[i]; len(t.Pollutes) > 0 {
				out.Tests = append(out.Tests, *t)
			}
		}
	}
	return out
}

func (p *Pollutions) count(h *Heap) {
	p.Partial = p.Partial || h.early
	seen := map[int]bool{}
	for _, c := range h.captures {
		p.Captures++
		p.Objects, p.Roots = max(p.Objects, c.Objects), max(p.Roots, c.Roots)
		p.Seconds += float64(c.Micros) / 1e6
		p.Cut = p.Cut || c.Cut
		if c.Kind == 't' {
			seen[c.Position] = true
		}
	}
	p.Observed += len(seen)
}

func (l left) pollution(test suite.TestID, readers []suite.TestID, once bool, first moment) Pollution {
	by, lazy := strings.CutPrefix(l.By, "?")
	p := Pollution{
		Path: l.Path, Before: l.Before, After: l.After, Field: l.Field, During: l.during, WrittenBy: by,
		Restored: l.restored, Initialised: l.Fresh,
		Readers: readers, Also: l.Also,
		cache: once && l.Before == "null" && (lazy || by == "" && l.Path != l.Field),
	}
	p.Resets = l.at != first.at && l.After == first.before
	p.label()
	return p
}

// label judges by what is known so far.
func (p *Pollution) label() {
	switch {
	case len(p.Breaks) > 0:
		p.Label = Breaks
	case p.cache:
		p.Label = Cache
	case len(p.Readers) > 0:
		p.Label = Read
	case outside(p.Field):
		p.Label = Unseen
	default:
		p.Label = Nobody
	}
}

// outside says whether a place is of a kind whose readers are not observed. No static field has a
// blank in its name.
func outside(place string) bool {
	return slices.ContainsFunc([]string{"file ", "port ", "child process ", "thread ", "shutdown hook ", "environment variable "},
		func(kind string) bool {
			return strings.HasPrefix(place, kind)
		})
}

// Broken says that a test passes alone and fails after another one. It counts for the given places
// that the other one leaves changed.
func (p *Pollutions) Broken(by, test suite.TestID, places []string) {
	for i := range p.Tests {
		if p.Tests[i].Test != by {
			continue
		}
		for k := range p.Tests[i].Pollutes {
			q := &p.Tests[i].Pollutes[k]
			if slices.Contains(q.Readers, test) &&
				slices.ContainsFunc(q.Fields(), func(f string) bool { return slices.Contains(places, f) }) &&
				!slices.Contains(q.Breaks, test) {
				q.Breaks = append(q.Breaks, test)
				q.label()
			}
		}
	}
}

// Fields are the static fields, or the place of the process, by which what changed can be reached.
func (p *Pollution) Fields() []string { return append([]string{p.Field}, p.Also...) }

// readingAny are the tests that read a place by whatever way leads there.
func readingAny(by map[string]readers, l left) readers {
	out := by[l.Field]
	for _, name := range l.Also {
		out = readers{union(out.tests, by[name].tests), union(out.around, by[name].around)}
	}
	return out
}

// readers are the tests that read a place.
type readers struct{ tests, around set }

// readers are by the names of places. What the initialiser of a class reads, the test reads that
// was the first to need the class: whichever does is at its mercy.
func (r *Relation) readers() map[string]readers {
	out := map[string]readers{}
	for i := range r.Fields {
		p := &r.Fields[i]
		got := out[p.Name]
		out[p.Name] = readers{union(got.tests, p.Tests.reads()), union(got.around, p.Around.reads())}
	}
	return out
}

// of are those that may find what the test leaves. What a class's setup and teardown read, and what
// they leave, counts for tests of other classes, as in the relation. The first test of a class is
// said to read what its setup reads: to tests of the same class it is no reader for that.
func (s readers) of(r *Relation, test suite.TestID, during During) []suite.TestID {
	out := []suite.TestID{}
	for i := range union(s.tests, s.around).all() {
		t := r.Tests[i]
		same := r.groups.Same(t, test)
		own := s.tests.has(i) && !(s.around.has(i) && r.opens(i))
		if t != test && (!same || during == DuringTest && own) {
			out = append(out, t)
		}
	}
	return out
}

// opens says whether the test is the first of its class.
func (r *Relation) opens(test int) bool {
	for i := range r.members[r.class[test]].all() {
		return i == test
	}
	return false
}

// AtRisk are the tests that may break after a test, by what was observed.
type AtRisk struct {
	r     *Relation
	links []link
}

// AtRisk prepares the answers of Of.
func (r *Relation) AtRisk() AtRisk { return AtRisk{r, append(r.links(Written), r.links(Ambient)...)} }

// Of are the tests that read one of the places, which the test leaves as they were not seen to find
// it in a good run; and for each the places.
func (d AtRisk) Of(by suite.TestID, places []string) map[suite.TestID][]string {
	out := map[suite.TestID][]string{}
	i := d.r.Tests.Index(by)
	if i < 0 {
		return out
	}
	for _, l := range d.links {
		if !l.from.has(i) || !slices.Contains(places, l.place.Name) {
			continue
		}
		readers := union(l.place.Tests.reads(), l.place.Around.reads())
		for v := range l.row(i).and(readers).all() {
			if t := d.r.Tests[v]; !slices.Contains(out[t], l.place.Name) {
				out[t] = append(out[t], l.place.Name)
			}
		}
	}
	return out
}
