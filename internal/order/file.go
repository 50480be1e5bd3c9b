package order

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/odfix/odfix/internal/suite"
)

// FileVersion is the version of the suite file format; docs/suite.schema.json
// describes it.
const FileVersion = 1

// MaxTests is the largest number of tests in a suite file.
const MaxTests = 2_000_000

// suiteFile is the content of a suite file. Pointers distinguish missing fields from empty ones.
type suiteFile struct {
	Version *int        `json:"version"`
	Root    *suite.Node `json:"root"`
}

// ParseSuite reads a suite file. It checks everything, and its errors name the position.
func ParseSuite(text []byte) (*suite.Suite, error) {
	if !utf8.Valid(text) {
		return nil, errors.New("it is not UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	var f suiteFile
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, errors.New("there is nothing in it")
	}
	if err := dec.Decode(&f); err != nil {
		return nil, fmt.Errorf("it is not JSON of a suite (at byte %d): %w", dec.InputOffset(), err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("something follows the suite at byte %d", dec.InputOffset())
	}
	switch {
	case f.Version == nil:
		return nil, fmt.Errorf(`"version" is missing; this format is version %d`, FileVersion)
	case *f.Version != FileVersion:
		return nil, fmt.Errorf("it is of version %d; this odfix reads version %d", *f.Version, FileVersion)
	case f.Root == nil:
		return nil, errors.New(`"root" is missing`)
	}
	c := fileCheck{seen: map[suite.TestID]string{}}
	if err := c.node(f.Root, "root", 0); err != nil {
		return nil, err
	}
	return &suite.Suite{Root: f.Root}, nil
}

type fileCheck struct{ seen map[suite.TestID]string }

func (c *fileCheck) node(n *suite.Node, at string, depth int) error {
	switch {
	case n == nil:
		return fmt.Errorf("%s is null", at)
	case depth > maxDepth:
		return fmt.Errorf("groups are nested more than %d deep", maxDepth)
	case n.Test == "" && n.Children == nil:
		return fmt.Errorf(`%s (%q) has neither a "test" id nor "children"`, at, n.Name)
	case n.Test != "" && n.Children != nil:
		return fmt.Errorf(`%s has both a "test" id (%q) and "children"`, at, n.Test)
	case n.Test == "" && len(n.Children) == 0 && depth == 0:
		return errors.New("the suite is empty: its root has no children")
	case n.Test == "" && len(n.Children) == 0:
		return fmt.Errorf("%s (%q) is a group without tests", at, n.Name)
	case n.Test == "" && (n.Disabled || n.Dynamic):
		return fmt.Errorf(`%s is a group; "disabled" and "dynamic" are said of tests`, at)
	case n.Test != "" && (n.Fixed || n.TestsFirst):
		return fmt.Errorf(`%s is a test; "fixed" and "testsFirst" are said of groups`, at)
	}
	if n.Test != "" {
		return c.test(n.Test, at)
	}
	for i, child := range n.Children {
		if err := c.node(child, fmt.Sprintf("%s.children[%d]", at, i), depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (c *fileCheck) test(id suite.TestID, at string) error {
	if strings.ContainsFunc(string(id), unicode.IsControl) {
		return fmt.Errorf("%s: the id %q holds a tab, a line break or another control character", at, id)
	}
	if strings.TrimSpace(string(id)) == "" {
		return fmt.Errorf("%s: the id is blank", at)
	}
	if before, ok := c.seen[id]; ok {
		return fmt.Errorf("%s: the id %q is at %s already; ids must be different", at, id, before)
	}
	if len(c.seen) >= MaxTests {
		return fmt.Errorf("it holds more than %d tests", MaxTests)
	}
	c.seen[id] = at
	return nil
}

// Sizes returns a suite of classes with these numbers of tests: g1.t1, g1.t2, …, g2.t1, …
func Sizes(sizes ...int) (*suite.Suite, error) {
	root, total := &suite.Node{}, 0
	for i, n := range sizes {
		if n < 1 {
			return nil, fmt.Errorf("class %d has %d tests; each has one at least", i+1, n)
		}
		if n > MaxTests-total {
			return nil, fmt.Errorf("more than %d tests", MaxTests)
		}
		total += n
		class := &suite.Node{Name: "g" + strconv.Itoa(i+1), Children: make([]*suite.Node, n)}
		for j := range class.Children {
			name := "t" + strconv.Itoa(j+1)
			class.Children[j] = &suite.Node{Name: name, Test: suite.TestID(class.Name + "." + name)}
		}
		root.Children = append(root.Children, class)
	}
	if total == 0 {
		return nil, ErrEmpty
	}
	return &suite.Suite{Root: root}, nil
}

// maxLine is the length limit for a line of a file of pairs, in bytes.
const maxLine = 1 << 20

// ParsePairs reads a relation. Each line has two ids, separated by a tab. The second test may
// behave differently directly after the first.
func ParsePairs(in io.Reader) ([][2]suite.TestID, error) {
	var out [][2]suite.TestID
	sc := bufio.NewScanner(in)
	sc.Buffer(make([]byte, 0, 1<<16), maxLine)
	for n := 1; sc.Scan(); n++ {
		line := strings.TrimRight(sc.Text(), "\r")
		if strings.TrimSpace(line) == "" {
			continue
		}
		a, b, ok := strings.Cut(line, "\t")
		a, b = strings.TrimSpace(a), strings.TrimSpace(b)
		switch {
		case !ok || a == "" || b == "" || strings.Contains(b, "\t"):
			return nil, fmt.Errorf("line %d is not two ids separated by a tab", n)
		case a == b:
			return nil, fmt.Errorf("line %d pairs %q with itself; a test runs once in an order", n, a)
		}
		out = append(out, [2]suite.TestID{suite.TestID(a), suite.TestID(b)})
	}
	if err := sc.Err(); err != nil {
		return nil, err
	}
	return out, nil
}

// Held splits a relation into pairs whose tests are both in the suite, and all others.
func Held(s *suite.Suite, list [][2]suite.TestID) (held, foreign [][2]suite.TestID) {
	known := map[suite.TestID]bool{}
	for _, t := range s.Order() {
		known[t] = true
	}
	for _, p := range list {
		if known[p[0]] && known[p[1]] {
			held = append(held, p)
		} else {
			foreign = append(foreign, p)
		}
	}
	return held, foreign
}

// Relation yields the listed pairs.
func Relation(list [][2]suite.TestID) Pairs {
	return func(yield func(a, b suite.TestID) bool) {
		for _, p := range list {
			if !yield(p[0], p[1]) {
				return
			}
		}
	}
}

// SuiteFile encodes the tests of a suite that can run, in the format of ParseSuite.
func SuiteFile(s *suite.Suite) ([]byte, error) {
	runs, _ := Runnable(s)
	version := FileVersion
	return json.Marshal(suiteFile{Version: &version, Root: runs.Root})
}

// Runnable returns the suite without disabled tests, which run in no order, and without groups that
// are then empty. It also returns the number of disabled tests.
func Runnable(s *suite.Suite) (runs *suite.Suite, disabled int) {
	root := &suite.Node{}
	if s != nil && s.Root != nil {
		if kept := enabled(s.Root, &disabled); kept != nil {
			root = kept
		}
	}
	if root.Test != "" {
		root = &suite.Node{Children: []*suite.Node{root}}
	}
	return &suite.Suite{Root: root}, disabled
}

func enabled(n *suite.Node, disabled *int) *suite.Node {
	switch {
	case n == nil:
		return nil
	case n.Disabled:
		*disabled += len((&suite.Suite{Root: n}).Order())
		return nil
	case n.Test != "":
		return &suite.Node{Name: n.Name, Test: n.Test, Dynamic: n.Dynamic}
	}
	out := &suite.Node{Name: n.Name, Fixed: n.Fixed, TestsFirst: n.TestsFirst}
	for _, c := range n.Children {
		if kept := enabled(c, disabled); kept != nil {
			out.Children = append(out.Children, kept)
		}
	}
	if len(out.Children) == 0 {
		return nil
	}
	return out
}
