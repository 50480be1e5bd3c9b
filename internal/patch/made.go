package patch

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Location says where a patch puts its statements.
type Location string

// The locations, in the order in which a maintainer prefers them if all else is equal.
const (
	PolluterTeardown Location = "polluter-teardown"
	// PolluterClassTeardown is once after all tests of the polluter's class or block, if that sets
	// something up once before them.
	PolluterClassTeardown Location = "polluter-class-teardown"
	PolluterEnd           Location = "polluter-end"
	VictimSetup           Location = "victim-setup"
	// VictimSetupStart is before what the setup of the failing test's class does.
	VictimSetupStart Location = "victim-setup-start"
	VictimStart      Location = "victim-start"
	// VictimBlockSetup is once before all tests of the failing test's block, ahead of what is set up
	// for them there.
	VictimBlockSetup Location = "victim-block-setup"
	// Declaration means that state which all tests of a group share becomes each test's own.
	Declaration Location = "declaration"
	// PolluterBody is among the polluter's own statements, one of which changes.
	PolluterBody Location = "polluter-body"
)

// AtVictim reports whether the statements run before the failing test, and not after a polluter.
func (l Location) AtVictim() bool {
	return l == VictimSetup || l == VictimSetupStart || l == VictimStart || l == VictimBlockSetup
}

// Place is the location among Places that a person chooses for patches at this one.
func (l Location) Place() Location {
	switch l {
	case PolluterClassTeardown:
		return PolluterTeardown
	case VictimSetupStart:
		return VictimSetup
	}
	return l
}

// CleansUp reports whether the statements run after a polluter.
func (l Location) CleansUp() bool {
	return l == PolluterTeardown || l == PolluterClassTeardown || l == PolluterEnd
}

// Places are the locations that a person can choose for all patches.
var Places = []Location{PolluterTeardown, VictimSetup, VictimStart}

// Style says how a patch's statements get to their location.
type Style string

// The styles.
const (
	Inline Style = "inline" // the statements are at the location itself
	Method Style = "method" // a method of the helper's class holds the statements, and the location calls it
)

// Made is the source of a patch without a helper: text that no test holds.
type Made struct {
	// Resets names the state that the patch restores, for people.
	Resets string `json:"resets"`
	// Fields are declarations with values. They become fields of the location's class. They keep
	// the value from before the test.
	Fields     []string `json:"fields,omitempty"`
	Statements []string `json:"statements"`
	// Imports are names that the statements use. A file that does not import them yet gets them.
	Imports []Import `json:"imports,omitempty"`
	// Unshare are static fields of the test's class that become fields of its instances, so that
	// every test has its own. CLASS.@BeforeAll means that what a class with one instance sets up for all
	// its tests is set up for each, and FILE:LINE.beforeAll the same for a block of a Jest file. FILE:LINE,LINE.beforeAll
	// means a setup and what ends it. FILE:LINE.declaration means that the variable declared there is made for each
	// test. They replace Statements.
	Unshare []string `json:"unshare,omitempty"`
	// Annotate are annotations of an extension that restores what tests change. They are added to
	// the polluter's class, or DirtiesContext to the polluter, and replace Statements.
	Annotate []string `json:"annotate,omitempty"`
	// Await are places in sources, each as FILE:LINE:COLUMN, at which the polluter begins something
	// without waiting for it. The polluter waits for it, at once, or at its end if ":end" follows. This
	// replaces Statements.
	Await []string `json:"await,omitempty"`
	// Reflects says that the statements write fields by reflection.
	Reflects bool `json:"-"`
}

// Import is a name that a module of the project exports.
type Import struct {
	Name   string `json:"name"`         // "default" for what the module exports by default
	As     string `json:"as,omitempty"` // what the statements call it; empty: Name
	Module string `json:"module"`       // the module's file, relative to the project, with '/'
}

// Local is what the statements call it.
func (i Import) Local() string { return cmp.Or(i.As, i.Name) }

// IDs returns the statements' ids as an editor numbers them, after the fields, or the ids of the
// changes.
func (m *Made) IDs() []string {
	var out []string
	for i := range m.Statements {
		out = append(out, fmt.Sprintf("0.%d", len(m.Fields)+i))
	}
	for i := range slices.Concat(m.Unshare, m.Annotate, m.Await) {
		out = append(out, fmt.Sprintf("0.%d", i))
	}
	return out
}

// Kept counts the fields that keep values from before the test.
func (m *Made) Kept() int {
	if m == nil {
		return 0
	}
	return len(m.Fields)
}

// Rewrites reports whether the patch changes what is in the sources already, instead of adding
// statements at a location that can be chosen.
func (m *Made) Rewrites() bool { return m != nil && len(m.Unshare)+len(m.Annotate)+len(m.Await) > 0 }

// SetsUpEach reports whether what was set up once for all tests of a group is set up for each of them.
func (m *Made) SetsUpEach() bool {
	return m != nil && slices.ContainsFunc(m.Unshare, func(s string) bool {
		return strings.HasSuffix(s, ClassSetUp) || strings.HasSuffix(s, BlockSetUp) || strings.HasSuffix(s, BlockVariable)
	})
}

// Ends of Unshare that mean a setup, after a class and after a line of a file, and the declaration of a variable in
// a line of a file.
const (
	ClassSetUp    = ".@BeforeAll"
	BlockSetUp    = ".beforeAll"
	BlockVariable = ".declaration"
)

// DirtiesContext is the annotation of a test after which Spring makes a new context.
const DirtiesContext = "org.springframework.test.annotation.DirtiesContext"

// RenewsContext reports whether Spring makes a new context after the polluter, which takes seconds.
func (m *Made) RenewsContext() bool { return m != nil && slices.Contains(m.Annotate, DirtiesContext) }

// Switchable reports whether several proposals of this kind fit in one build, each with its own
// switch.
func (m *Made) Switchable() bool { return len(m.Fields) == 0 && len(m.Statements) == 1 }
