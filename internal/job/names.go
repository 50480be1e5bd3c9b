package job

import (
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/suite"
)

// TestName holds the names that the project's language derives from a test's id. All but Source are
// parts of the id.
type TestName struct {
	Short string `json:"short"` // the short form that people use among tests of one module
	Group string `json:"group"` // the outermost group, which a build launches as one unit
	Unit  string `json:"unit"`  // the group in the sources that declares the test
	Name  string `json:"name"`  // its own name inside the unit
	// Source is the end of the path of the source file, without its extension; empty: not known.
	Source string `json:"source,omitempty"`
}

// Names holds the names of the tests that a report shows.
type Names map[suite.TestID]TestName

// Of returns the names of a test. A report comes from a process that ran foreign code, so a name
// that is not a part of the id is replaced by the id.
func (n Names) Of(t suite.TestID) TestName {
	id := string(t)
	name, known := n[t]
	if !known {
		return TestName{Short: id, Group: id, Unit: id, Name: id}
	}
	for _, part := range []*string{&name.Short, &name.Group, &name.Unit, &name.Name} {
		if !strings.Contains(id, *part) {
			*part = id
		}
	}
	return name
}

// Short returns the short name of a test, or its id.
func (n Names) Short(t suite.TestID) string {
	if s := n.Of(t).Short; s != "" {
		return s
	}
	return string(t)
}

// Holds reports whether a file most likely declares the test.
func (n Names) Holds(path string, t suite.TestID) bool { return suite.InSource(path, n[t].Source) }

// NameBy returns the function that derives names by a language's syntax.
func NameBy(s suite.Syntax) func(suite.TestID) TestName {
	return func(t suite.TestID) TestName {
		return TestName{Short: s.Short(t), Group: s.Group(t), Unit: s.Unit(t), Name: s.Name(t), Source: s.Source(t)}
	}
}

// NameTests adds the names of the tests that people are shown, and of further tests.
func (r *Report) NameTests(name func(suite.TestID) TestName, more ...suite.TestID) {
	if r.Names == nil {
		r.Names = Names{}
	}
	add := func(orders ...suite.Order) {
		for _, t := range slices.Concat(orders...) {
			if _, known := r.Names[t]; !known && t != "" {
				r.Names[t] = name(t)
			}
		}
	}
	add(more)
	for _, t := range r.Tests {
		add(suite.Order{t.Test}, t.MinimalOrder)
		add(t.Polluters...)
		add(t.StateSetters...)
		for _, c := range t.Cleaners {
			add(c.Polluter, c.Cleaner)
		}
		for _, a := range t.Evidence {
			add(Ends(a.Order))
		}
	}
	if d := r.Detection; d != nil {
		for _, u := range slices.Concat(d.LeftOut, d.Undecided) {
			add(suite.Order{u.Test})
		}
		if n := len(d.Earlier); n > 0 {
			add(d.Earlier[n-1].Tests)
		}
	}
}

// Ends returns the tests by which a long order is shown: the first two and the last. A short order
// is returned whole.
func Ends(o suite.Order) suite.Order {
	if len(o) <= 4 {
		return o
	}
	return append(slices.Clone(o[:2]), o[len(o)-1])
}
