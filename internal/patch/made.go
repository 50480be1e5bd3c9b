package patch

import (
	"fmt"
	"slices"
)

// Location says where a patch puts its statements.
type Location string

// The places, in the order in which a maintainer prefers them when all else is equal.
const (
	PolluterTeardown Location = "polluter-teardown"
	PolluterEnd      Location = "polluter-end"
	VictimSetup      Location = "victim-setup"
	VictimStart      Location = "victim-start"
	// Declaration stands for state that all tests of a group share and that becomes each test's
	// own.
	Declaration Location = "declaration"
)

// Style says how a patch's statements get to their place.
type Style string

// The styles.
const (
	Inline Style = "inline" // the statements stand in the place themselves
	Method Style = "method" // a method of the helper's class holds the statements, and the place calls it
)

// Made is what a patch without a helper is made of: source text that no test holds.
type Made struct {
	// Resets names the state that the patch restores, for people.
	Resets string `json:"resets"`
	// Fields, each a declaration with its value, become fields of the place's class. They keep the
	// value from before the test.
	Fields     []string `json:"fields,omitempty"`
	Statements []string `json:"statements"`
	// Unshare are, instead of statements, static fields of the test's class that become fields of
	// its instances, so that every test has its own.
	Unshare []string `json:"unshare,omitempty"`
	// Annotate are, instead of statements, annotations of an extension that restores what tests
	// change. The polluter's class gets them.
	Annotate []string `json:"annotate,omitempty"`
	// Reflects says that the statements write fields by reflection.
	Reflects bool `json:"-"`
}

// IDs are the statements as an editor numbers them, after the fields, or the declarations that
// change.
func (m *Made) IDs() []string {
	var out []string
	for i := range m.Statements {
		out = append(out, fmt.Sprintf("0.%d", len(m.Fields)+i))
	}
	for i := range slices.Concat(m.Unshare, m.Annotate) {
		out = append(out, fmt.Sprintf("0.%d", i))
	}
	return out
}

// Declares reports whether declarations change and no statement is added.
func (m *Made) Declares() bool { return m != nil && len(m.Unshare)+len(m.Annotate) > 0 }

// Switchable reports whether several of the kind can stand in one build, each with a switch of its
// own.
func (m *Made) Switchable() bool { return len(m.Fields) == 0 && len(m.Statements) == 1 }
