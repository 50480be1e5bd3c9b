package suite

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Syntax is what a language knows of its test ids. All other code treats a TestID as opaque.
type Syntax interface {
	// Group names the outermost group of a test, which a build launches as one unit.
	Group(t TestID) string
	// Unit names the group in the sources that holds the test, such as a nested class. Tests of one
	// unit share its setup and teardown.
	Unit(t TestID) string
	// Name is the test's own name inside its unit.
	Name(t TestID) string
	// Short returns the id in the short form that people use among tests of one module.
	Short(t TestID) string
	// Source returns the end of the path of the file that most likely holds the test, up to the
	// first dot of the file's name; empty: not known.
	Source(t TestID) string
	// Spellings returns further names that people and reports use for the test.
	Spellings(t TestID) []string
	// Readings returns the spellings that a person may mean by a name, the strictest first.
	Readings(name string) []string
	// Words returns the names that an unknown name is compared with to find the nearest tests: the
	// test's own name and its group's.
	Words(t TestID) []string
	// Nouns returns the words of the language for people.
	Nouns() Nouns
	// Last returns the last word of a name that a person wrote, for the same comparison.
	Last(name string) string
}

// Nouns are the words that people use in a language.
type Nouns struct {
	Group, Groups string // an outermost group, such as a class, and several
	Test          string // how an id is written, such as "CLASS#METHOD"
	State         string // what tests share in a process, such as "static state"
}

// Groups says which tests belong to one group of a suite.
//
// The tree decides for tests that it contains. The syntax decides for other tests, such as an
// unexpected test in a run. Without a syntax, such a test is a separate group. A nil *Groups has no
// tests.
type Groups struct {
	top    map[TestID]string
	name   map[TestID]string
	syntax Syntax
	root   *Node // nil without a tree

	// within are the groups of a test, the outermost first. The tests that run before the groups
	// beside them (Node.TestsFirst) have a further one in common, which is in first, too.
	within map[TestID][]*Node
	first  map[*Node]bool
}

// NewGroups reads the tree. The syntax may be nil.
func NewGroups(s *Suite, syntax Syntax) *Groups {
	g := &Groups{top: map[TestID]string{}, name: map[TestID]string{}, within: map[TestID][]*Node{}, first: map[*Node]bool{},
		syntax: syntax}
	if s == nil || s.Root == nil {
		return g
	}
	g.root = s.Root
	seen := map[string]bool{}
	for i, outermost := range s.Root.Children {
		name := outermost.Name
		if name == "" || seen[name] { // another group already has that name
			name = fmt.Sprintf("%s (%d)", name, i+1)
		}
		seen[name] = true
		g.add(outermost, nil)
		outermost.walk(func(leaf *Node) {
			g.top[leaf.Test], g.name[leaf.Test] = name, leaf.Name
			if outermost == leaf {
				g.top[leaf.Test] = string(leaf.Test)
			}
		})
	}
	return g
}

// add adds the groups of each test below n.
func (g *Groups) add(n *Node, around []*Node) {
	if n.Test != "" {
		g.within[n.Test] = around
		return
	}
	around = append(slices.Clip(around), n)
	tests, _ := n.Parts()
	together := &Node{Children: tests}
	g.first[together] = len(tests) > 0
	for _, c := range n.Children {
		if c.Test != "" && len(tests) > 0 {
			g.add(c, append(slices.Clip(around), together))
		} else {
			g.add(c, around)
		}
	}
}

// Top names the outermost group of the test. Equal names mean one group.
func (g *Groups) Top(t TestID) string {
	switch {
	case g == nil:
		return string(t)
	case g.top[t] != "":
		return g.top[t]
	case g.syntax != nil:
		return g.syntax.Group(t)
	}
	return string(t)
}

// Same reports whether two tests share their outermost group.
func (g *Groups) Same(a, b TestID) bool { return a == b || g.Top(a) == g.Top(b) }

// Unit names the group in the sources that holds the test. Without a syntax it is the outermost
// group.
func (g *Groups) Unit(t TestID) string {
	if g != nil && g.syntax != nil {
		return g.syntax.Unit(t)
	}
	return g.Top(t)
}

// Name is the test's own name, without its groups.
func (g *Groups) Name(t TestID) string {
	switch {
	case g == nil:
		return string(t)
	case g.name[t] != "":
		return g.name[t]
	case g.syntax != nil:
		return g.syntax.Name(t)
	}
	return string(t)
}

// Short returns the test in the short form that people use among tests of one module.
func (g *Groups) Short(t TestID) string {
	if g != nil && g.syntax != nil {
		return g.syntax.Short(t)
	}
	return string(t)
}

// Nouns returns the words of the language. Without a syntax they are JUnit's.
func (g *Groups) Nouns() Nouns {
	if g != nil && g.syntax != nil {
		return g.syntax.Nouns()
	}
	return idsOnly{}.Nouns()
}

// Holds reports whether a file most likely holds the test. Without a syntax it returns false.
func (g *Groups) Holds(path string, t TestID) bool {
	return g != nil && g.syntax != nil && InSource(path, g.syntax.Source(t))
}

// InSource reports whether the path of a file, up to the first dot of the file's name, ends with
// source, which a Syntax or a report gives for a test.
func InSource(path, source string) bool {
	file := strings.LastIndexByte(path, '/') + 1
	stem, ext, _ := strings.Cut(path[file:], ".")
	whole, ok := strings.CutSuffix(path[:file+len(stem)], source)
	return source != "" && stem != "" && ext != "" && ok && (whole == "" || whole[len(whole)-1] == '/')
}

// Split cuts an order into its longest parts of tests that share their outermost group.
func (g *Groups) Split(o Order) []Order {
	var out []Order
	for i, t := range o {
		if i == 0 || !g.Same(o[i-1], t) {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], t)
	}
	return out
}

// Shared returns how many groups two tests share, from the outermost inwards: 0 for tests of
// different outermost groups.
func (g *Groups) Shared(a, b TestID) int {
	if !g.Same(a, b) {
		return 0
	}
	if g == nil || g.within[a] == nil || g.within[b] == nil {
		return 1
	}
	n := 0
	for n < len(g.within[a]) && n < len(g.within[b]) && g.within[a][n] == g.within[b][n] {
		n++
	}
	return max(n, 1)
}

// Leaves reports whether an order that runs the tests in turn leaves a group between a and c, and
// returns to it.
func (g *Groups) Leaves(a, between, c TestID) bool {
	shared := g.Shared(a, c)
	return g.Shared(a, between) < shared || g.Shared(between, c) < shared
}

// Before reports whether a runs before b in every order: the framework runs the tests of a group
// before the groups in it, a is such a test, and b is in one of the groups.
func (g *Groups) Before(a, b TestID) bool {
	if g == nil || a == b || !g.Same(a, b) {
		return false
	}
	shared := g.Shared(a, b)
	return shared < len(g.within[a]) && g.first[g.within[a][shared]]
}

// Together moves the tests of each group of the suite next to each other, at every depth. Groups
// come in the order of their last tests, so that the last test of the order stays the last, unless
// it runs before others of its group (Before). Of a test that is repeated, the last place counts.
func (g *Groups) Together(o Order) Order {
	if g == nil || g.root == nil {
		return o
	}
	place := make(map[TestID]int, len(o))
	for i, t := range o {
		place[t] = i
	}
	parts := parts(g.root.Children, place)
	for t, i := range place { // not in the tree
		parts = append(parts, part{Order{t}, i})
	}
	return join(parts).tests
}

// part is a part of an order, with the place of its last test.
type part struct {
	tests Order
	last  int
}

// parts returns a part for each of the nodes with tests, and takes their places out of the map.
func parts(of []*Node, place map[TestID]int) (out []part) {
	for _, n := range of {
		if i, in := place[n.Test]; in && n.Test != "" {
			delete(place, n.Test)
			out = append(out, part{Order{n.Test}, i})
		}
		p := part{last: -1}
		if tests, groups := n.Parts(); len(tests) > 0 {
			first, rest := join(parts(tests, place)), join(parts(groups, place))
			p = part{append(first.tests, rest.tests...), max(first.last, rest.last)}
		} else {
			p = join(parts(n.Children, place))
		}
		if len(p.tests) > 0 {
			out = append(out, p)
		}
	}
	return out
}

// join puts parts one after the other, in the order of their last tests.
func join(parts []part) (all part) {
	slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(a.last, b.last) })
	for _, p := range parts {
		all.tests, all.last = append(all.tests, p.tests...), p.last
	}
	return all
}

// Names lists the tests in words.
func (g *Groups) Names(o Order) string {
	var b strings.Builder
	for i, t := range o {
		switch {
		case i > 0 && i == len(o)-1:
			b.WriteString(" and then ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(g.Short(t))
	}
	return b.String()
}
