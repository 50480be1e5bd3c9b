package state

import (
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/suite"
)

// Label says how a change affects other tests.
type Label string

// Labels are all labels, the worst first.
var Labels = []Label{Breaks, Failing, Read, Unobserved, Unread, Cache}

// The labels.
const (
	Breaks     Label = "breaks"             // a reader that passes alone fails after the test
	Failing    Label = "failing-reader"     // a reader failed later in the observed run; the reason is not known
	Read       Label = "read"               // other tests read the field; none was seen to fail
	Unobserved Label = "reads-not-observed" // outside of static fields, reads are not observed
	Unread     Label = "not-read"           // no other test reads the field
	Cache      Label = "cache"              // initialised when first needed, and never changed again
)

// During says which code left a change.
type During string

// The values of During.
const (
	DuringTest     During = "test"
	DuringSetup    During = "class setup"
	DuringTeardown During = "class teardown"
)

// Pollution is one piece of shared state that a test leaves changed.
type Pollution struct {
	Path    string         `json:"path"`    // the access path, which begins with Field
	Before  string         `json:"before"`  // the value before the test, for people
	After   string         `json:"after"`   // the value after the test
	Label   Label          `json:"label"`   // how that affects other tests
	Readers []suite.TestID `json:"readers"` // other tests that read a field from which the path leads on
	// MoreReaders are readers that are not listed.
	MoreReaders int            `json:"moreReaders,omitempty"`
	Breaks      []suite.TestID `json:"breaks,omitempty"` // the readers that pass alone and fail after the test
	Field       string         `json:"place"`            // a static field, or a part of the process's state
	// Also are other static fields that lead to what changed: their readers are among Readers.
	Also []string `json:"also,omitempty"`
	// MoreAlso are such fields that are not listed.
	MoreAlso int    `json:"moreAlso,omitempty"`
	During   During `json:"during"`
	// WrittenBy is the line that wrote the value last, if it is known.
	WrittenBy string `json:"writtenBy,omitempty"`
	// Restored means that the teardown of the test's class restores the value.
	Restored bool `json:"restored,omitempty"`
	// Resets means that the test restores the value that was there before any test changed it.
	// Values are compared by their text.
	Resets bool `json:"resets,omitempty"`
	// Initialised means that the class of the field was initialised in this test. Before is then
	// the value that the initialiser left.
	Initialised bool `json:"initialised,omitempty"`

	cache   bool // the value looks like a cache
	failing bool // one of Readers failed after the test in the observed run
}

// Source is where a test is declared.
type Source struct {
	File    string `json:"file"` // from the top of the checkout, with '/'
	Line    int    `json:"line"` // of the method; for an inherited method, of the class
	EndLine int    `json:"endLine"`
}

// Polluter is a test that leaves shared state changed.
type Polluter struct {
	Test suite.TestID `json:"test"`
	// Source is known only if the report is limited to tests that a change touches.
	Source   *Source     `json:"source,omitempty"`
	Pollutes []Pollution `json:"pollutes"` // in a file, the worst label first
	// More counts changes that are not listed.
	More int `json:"more,omitempty"`
}

// Pollutions is what PolDet reports (Gyori et al., ISSTA 2015): for each test of an observed run,
// the shared state that it leaves changed.
type Pollutions struct {
	Tests    []Polluter `json:"tests"`    // in the order in which they ran
	Observed int        `json:"observed"` // tests that ran
	Captures int        `json:"captures"` // how often the state was captured
	Objects  int        `json:"objects"`  // the number of objects in the largest capture
	Roots    int        `json:"roots"`    // the largest number of static fields and parts of the process's state
	Seconds  float64    `json:"seconds"`  // time that the captures took in the test process
	Cut      bool       `json:"cut"`      // a capture reached the limit on objects, and left some out
	// Partial means that a process ended early, so not all tests were observed to their end.
	Partial bool `json:"partial,omitempty"`
}

// Pollute combines what the processes of an observed run showed.
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
			q := l.pollution(t.Test, readingAny(readers, l).of(r, t.Test, l.during), changed.once(l.Path), first[l.Path])
			q.failing = r.failsAfter(t.Test, q.Readers)
			q.label()
			t.Pollutes = append(t.Pollutes, q)
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
	return p
}

// failsAfter reports whether one of the readers ran after the test, and failed.
func (r *Relation) failsAfter(test suite.TestID, readers []suite.TestID) bool {
	return slices.ContainsFunc(readers, func(t suite.TestID) bool {
		i := r.Tests.Index(t)
		return r.failed.has(i) && i > r.Tests.Index(test)
	})
}

// label sets the label from what is known so far.
func (p *Pollution) label() {
	switch {
	case len(p.Breaks) > 0:
		p.Label = Breaks
	case p.cache:
		p.Label = Cache
	case outside(p.Field):
		p.Label = Unobserved
	case p.failing:
		p.Label = Failing
	case len(p.Readers) > 0:
		p.Label = Read
	default:
		p.Label = Unread
	}
}

// outside reports whether readers of this state are not observed. It is then no static field, and
// its name begins with a word for its kind. Reads of system properties are observed.
func outside(field string) bool {
	kind, _, ok := strings.Cut(field, " ")
	return ok && !strings.Contains(kind, ".") && !strings.HasPrefix(field, "system property ")
}

// Broken records that a test passes alone and fails after test by. It counts for those of the given
// fields that by leaves changed.
func (p *Pollutions) Broken(by, test suite.TestID, fields []string) {
	for i := range p.Tests {
		if p.Tests[i].Test != by {
			continue
		}
		for k := range p.Tests[i].Pollutes {
			q := &p.Tests[i].Pollutes[k]
			if slices.Contains(q.Readers, test) &&
				slices.ContainsFunc(q.Fields(), func(f string) bool { return slices.Contains(fields, f) }) &&
				!slices.Contains(q.Breaks, test) {
				q.Breaks = append(q.Breaks, test)
				q.label()
			}
		}
	}
}

// Fields are all static fields from which the changed value can be reached, or the part of the
// process's state.
func (p *Pollution) Fields() []string { return append([]string{p.Field}, p.Also...) }

// readingAny returns the tests that read any of the fields from which the change can be reached.
func readingAny(by map[string]readers, l left) readers {
	out := by[l.Field]
	for _, name := range l.Also {
		out = readers{union(out.tests, by[name].tests), union(out.around, by[name].around)}
	}
	return out
}

// readers are the tests that read a field.
type readers struct{ tests, around set }

// readers returns the readers of each field, by its name. What the initialiser of a class reads
// counts as read by the test that needs the class first.
func (r *Relation) readers() map[string]readers {
	out := map[string]readers{}
	for i := range r.Fields {
		p := &r.Fields[i]
		got := out[p.Name]
		out[p.Name] = readers{union(got.tests, p.Tests.reads()), union(got.around, p.Around.reads())}
	}
	return out
}

// of returns the tests that may find what the test leaves. What a class's setup and teardown read
// and leave counts only for tests of other classes, as in the relation. The first test of a class
// counts as a reader of what the class's setup reads, so for tests of its own class it is no reader
// for that reason.
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

// opens reports whether the test is the first of its class.
func (r *Relation) opens(test int) bool {
	for i := range r.members[r.class[test]].all() {
		return i == test
	}
	return false
}

// AtRisk finds the tests that may fail after another test, by what was observed.
type AtRisk struct {
	r     *Relation
	links []link
}

// AtRisk prepares the answers of AtRisk.Of.
func (r *Relation) AtRisk() AtRisk { return AtRisk{r, append(r.links(Written), r.links(Ambient)...)} }

// Of returns the tests that read one of the fields, with those fields. A test is left out if it was
// seen to pass with what the test by leaves in them.
func (d AtRisk) Of(by suite.TestID, fields []string) map[suite.TestID][]string {
	out := map[suite.TestID][]string{}
	i := d.r.Tests.Index(by)
	if i < 0 {
		return out
	}
	for _, l := range d.links {
		if !l.from.has(i) || !slices.Contains(fields, l.field.Name) {
			continue
		}
		readers := union(l.field.Tests.reads(), l.field.Around.reads())
		for v := range l.row(i).and(readers).all() {
			if t := d.r.Tests[v]; !slices.Contains(out[t], l.field.Name) {
				out[t] = append(out[t], l.field.Name)
			}
		}
	}
	return out
}
