package harness

import (
	"fmt"

	"github.com/odfix/odfix/internal/suite"
)

// maxDepth bounds how deep groups nest.
const maxDepth = 100

// discovery holds the classes that were discovered so far.
type discovery struct {
	classes []string
	suite   *suite.Suite
	info    Info
	seen    map[suite.TestID]bool
	exit    string // how the process reported its exit
	looked  func() // called after each class; nil: nobody asks
}

func newDiscovery(classes []string) *discovery {
	return &discovery{classes: classes, suite: &suite.Suite{Root: &suite.Node{}}, seen: map[suite.TestID]bool{}}
}

// left returns the classes that are not discovered yet. The first of them is in progress.
func (d *discovery) left() []string { return d.classes[len(d.info.Classes):] }

// add adds one class. The error is a protocolError. A class with an invalid tree is a problem of
// that class alone.
func (d *discovery) add(e classSeen) error {
	left := d.left()
	if len(left) == 0 {
		return protocolf("the class %s was reported after all that were requested", e.class)
	}
	if e.class != left[0] {
		return protocolf("the class %s was reported where %s was due", e.class, left[0])
	}
	c := Class{Name: e.class, Framework: e.framework, Problem: clip(e.problem, maxMessage), Fixed: e.flags&flagFixed != 0}
	if c.Problem != "" {
		d.problem(c, c.Problem)
		return nil
	}
	group := &suite.Node{Name: e.class, Fixed: c.Fixed, TestsFirst: e.flags&flagTestsFirst != 0}
	tests, err := grow(group, e.nodes, d.seen)
	if err != nil {
		d.problem(c, "its tests are ambiguous: "+err.Error())
		return nil
	}
	for _, t := range tests {
		d.seen[t] = true
	}
	if c.Tests = len(tests); c.Tests > 0 {
		d.suite.Root.Children = append(d.suite.Root.Children, group)
	}
	d.info.Classes = append(d.info.Classes, c)
	return nil
}

func (d *discovery) problem(c Class, reason string) {
	c.Problem = reason
	d.info.Classes = append(d.info.Classes, c)
	d.suite.Problems = append(d.suite.Problems, suite.Problem{Class: c.Name, Reason: reason})
}

// grow adds the preorder walk below root and returns its tests. It leaves out groups without tests.
func grow(root *suite.Node, walk []node, seen map[suite.TestID]bool) ([]suite.TestID, error) {
	var tests []suite.TestID
	mine := map[suite.TestID]bool{}
	open := []*suite.Node{root}
	for _, n := range walk {
		top := open[len(open)-1]
		switch n.kind {
		case 'g':
			if len(open) > maxDepth {
				return nil, fmt.Errorf("groups nest deeper than %d", maxDepth)
			}
			open = append(open, &suite.Node{Name: n.name, Fixed: n.flags&flagFixed != 0, Disabled: n.flags&flagDisabled != 0,
				TestsFirst: n.flags&flagTestsFirst != 0})
		case 'e':
			if len(open) == 1 {
				return nil, fmt.Errorf("a group ends that never began")
			}
			open = open[:len(open)-1]
			if len(top.Children) > 0 {
				parent := open[len(open)-1]
				parent.Children = append(parent.Children, top)
			}
		case 't':
			leaf, err := newLeaf(n)
			if err != nil {
				return nil, err
			}
			if seen[leaf.Test] || mine[leaf.Test] {
				return nil, fmt.Errorf("two tests are called %s", leaf.Test)
			}
			mine[leaf.Test] = true
			tests = append(tests, leaf.Test)
			top.Children = append(top.Children, leaf)
		default:
			return nil, fmt.Errorf("a node of the unknown kind %q", n.kind)
		}
	}
	if len(open) > 1 {
		return nil, fmt.Errorf("the group %q never ends", open[len(open)-1].Name)
	}
	unwrap(root)
	return tests, nil
}

func newLeaf(n node) (*suite.Node, error) {
	id := suite.TestID(n.name)
	if id == "" {
		return nil, fmt.Errorf("a test has no id")
	}
	return &suite.Node{Name: n.name, Test: id,
		Disabled: n.flags&flagDisabled != 0, Dynamic: n.flags&flagDynamic != 0}, nil
}

// unwrap removes a group that only repeats its class.
func unwrap(root *suite.Node) {
	if len(root.Children) == 1 && root.Children[0].Test == "" && root.Children[0].Name == root.Name {
		only := root.Children[0]
		root.Children = only.Children
		root.Fixed, root.TestsFirst = root.Fixed || only.Fixed, root.TestsFirst || only.TestsFirst
	}
}
