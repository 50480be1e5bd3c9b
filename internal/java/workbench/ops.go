package workbench

import (
	"context"

	"github.com/odfix/odfix/internal/suite"
)

// Project names the folders of a module's test sources and its class path.
type Project struct {
	SourceRoots []string `json:"sourceRoots"` // test source roots, absolute; nothing outside them is edited
	Encoding    string   `json:"encoding"`    // of the sources; empty: UTF-8
	ClassPath   []string `json:"classPath"`   // the test class path; the workbench resolves names from it
	// Made are statements that come from no helper. The helper is then MadeHelper.
	Made *Made `json:"made,omitempty"`
}

// Made is Java text that no file holds. It names every class in full.
type Made struct {
	// Fields are declarations with their values ("java.util.Locale savedLocale =
	// java.util.Locale.getDefault()"). The patch declares those that the kept statements need, in
	// the class of the location.
	Fields     []string `json:"fields,omitempty"`
	Statements []string `json:"statements"`
	// Unshare are static fields (a.b.C.f) of the location's class that become fields of its
	// instances. They replace Fields and Statements. "0.1" is the ID of the second of them.
	Unshare []string `json:"unshare,omitempty"`
	// Annotate are class names of annotations for the class of the location's test. They replace
	// Fields and Statements.
	Annotate []string `json:"annotate,omitempty"`
}

// MadeHelper names the test whose body consists of Made's statements.
const MadeHelper = suite.TestID("OdfixReset#reset")

// ResetsRequest asks for statements that may restore a static field.
type ResetsRequest struct {
	Project
	Field string         `json:"place"` // a.b.C.field; a path below it may follow
	Tests []suite.TestID `json:"tests"` // statements may be inserted into their classes, and literals of these classes serve as arguments
	Limit int            `json:"limit"` // zero: 50
	// Sets means that the field lacks state instead of holding polluted state: methods that set it
	// up come first.
	Sets bool `json:"sets,omitempty"`
	// Changes are the known differences at and below the field.
	Changes []Change `json:"changes,omitempty"`
	// Reflection also requests statements that write fields by reflection.
	Reflection bool `json:"reflection,omitempty"`
}

// Change is one difference on the heap, as the state agent writes it.
type Change struct {
	Path   string `json:"path"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// ClosingRequest asks for statements that close what test classes opened and may have left open.
type ClosingRequest struct {
	Project
	Tests []suite.TestID `json:"tests"`
}

// ProcessStateWriter is a method of the project's own that changes state of the whole process (the
// default locale, a system property), itself or through calls.
type ProcessStateWriter struct {
	Type   string `json:"type"` // the binary name of its class
	Method string `json:"method"`
	Calls  int    `json:"calls"`
}

// Resets are statements that may restore a field, likeliest first.
type Resets struct {
	Known      bool    `json:"known"` // the place is a static field on the class path
	Field      string  `json:"field"` // its name in Java source
	Body       string  `json:"body"`  // the body of a reset method in the field's own class; empty if that is not simple
	Candidates []Reset `json:"candidates"`
	Found      int     `json:"found"` // how many there are without Limit
}

// Reset is one statement that names every class in full. Price orders the statements for several
// fields.
type Reset struct {
	// Fields save the state before the test, as in Made; usually none.
	Fields []string `json:"fields"`
	// Lead are statements that must come before Statement; usually none.
	Lead      []string `json:"lead"`
	Statement string   `json:"statement"`
	Price     int      `json:"price"`
	Kind      string   `json:"kind"` // assignment, contents, method, constructor, saved, reflection, ending
	// Field is the static field that a closing statement restores; empty: an object that the test's
	// class left open.
	Field string `json:"place"`
}

// Whole reports whether the candidates are all statements that were found.
func (r *Resets) Whole() bool { return r.Found == len(r.Candidates) }

// Reflects reports whether the statement uses reflection.
func (r *Reset) Reflects() bool { return r.Kind == "reflection" }

// ScriptRequest asks for the statements that helpers run.
type ScriptRequest struct {
	Project
	Helpers []suite.TestID `json:"helpers"`
	// Target is a test of the class that receives the statements. Needs leave out what Target's own
	// instance has done already. May be empty.
	Target suite.TestID `json:"target,omitempty"`
}

// Statement is one statement of a helper, in the order in which JUnit runs them.
type Statement struct {
	ID        string       `json:"id"`   // stable while the sources do not change
	Role      string       `json:"role"` // field, constructor, class-setup, setup, body, teardown, class-teardown
	Text      string       `json:"text"`
	Needs     []string     `json:"needs"`     // statements without which this one does not compile, or has no value to work on
	Inner     []*Statement `json:"inner"`     // parts that a search may keep instead of the whole
	Assertion bool         `json:"assertion"` // checks something; seldom part of a patch
	Shared    bool         `json:"shared"`    // already in the Target's instance; renders to nothing
}

// Script lists the statements that helpers run.
type Script struct {
	Statements []*Statement `json:"statements"`
}

// Location is where statements go. Kind is the name in a report. "victim-start" and "polluter-end"
// are the test's own method, and other kinds are the setup or teardown of its class.
type Location struct {
	Kind string       `json:"kind"`
	Test suite.TestID `json:"test"`
	// Also are further tests of the same file that get the same statements.
	Also []suite.TestID `json:"also,omitempty"`
}

// RenderRequest asks for the text of a patch.
//
// Keep names statements of the script. If it names a compound statement alone, all of it is kept.
// If it also names some of its inner statements, only those are kept in it. If it names an inner
// statement without its compound, that statement is kept by itself.
type RenderRequest struct {
	Project
	Helpers  []suite.TestID `json:"helpers"`
	Keep     []string       `json:"keep"`
	Switched bool           `json:"switched"` // statement Keep[k] runs only where io.odfix.harness.Switch.on(k)
	Close    bool           `json:"close"`    // also keep what Keep needs; such statements are never switched
	Location Location       `json:"place"`
	Style    string         `json:"style"`             // as in patch.Style; empty: inline
	Comment  string         `json:"comment,omitempty"` // line comment above the statements
}

// File is a changed file in full.
type File struct {
	Path string `json:"path"`
	Text string `json:"text"`
	Data []byte `json:"data"` // the file's new content, in its own encoding and with its byte order mark
}

// Note is about one statement.
type Note struct {
	Statement string `json:"statement"`
	Code      string `json:"code"`
	Message   string `json:"message"`
}

// Rendered is a patch as text. It has no files if Problems is not empty. Each problem names what
// does not fit at the target. The style "method" may help.
type Rendered struct {
	Files        []File   `json:"files"`
	Statements   []string `json:"statements"` // their text at the new location
	Kept         []string `json:"kept"`       // ids, including those that Close added
	Unswitchable []Note   `json:"unswitchable"`
	Problems     []Note   `json:"problems"`
	Into         string   `json:"into"` // name of the method that now holds or calls the statements
}

// CompilerOptions are the options of the module's test compilation.
type CompilerOptions struct {
	ClassPath     []string `json:"classPath"`
	ProcessorPath []string `json:"processorPath,omitempty"`
	Args          []string `json:"args,omitempty"`
}

// AttemptRequest asks to render and compile.
type AttemptRequest struct {
	RenderRequest
	Options CompilerOptions `json:"options"` // an empty class path means the project's
	OutDir  string          `json:"outDir"`
}

// Attempted is a patch that compiles, or the reason why there is none.
type Attempted struct {
	OK       bool      `json:"ok"`
	Rendered *Rendered `json:"rendered"`
	// Code and Reason explain why there is no patch: a problem's code, "not-visible" (the style
	// "method" may help) or "compile".
	Code   string `json:"code"`
	Reason string `json:"reason"`
	// Culprits are the statements that do not fit at the target or do not compile there, if known.
	Culprits []string `json:"culprits"`
}

// OutlineRequest names a class by its binary name.
type OutlineRequest struct {
	Project
	Type string `json:"type,omitempty"`
}

// Outline is the classes of one file.
type Outline struct {
	File  string        `json:"file"`
	Types []OutlineType `json:"types"`
}

// OutlineType is a class by its binary name.
type OutlineType struct {
	Name      string          `json:"name"`
	Line      int             `json:"line"`
	Framework string          `json:"framework"` // junit3, junit4, jupiter
	Methods   []OutlineMethod `json:"methods"`
}

// OutlineMethod is a method; Role is "test", "setup", … or empty.
type OutlineMethod struct {
	Name    string `json:"name"`
	Line    int    `json:"line"`
	EndLine int    `json:"endLine"`
	Role    string `json:"role"`
}

// Script lists what the helpers run.
func (c *Client) Script(ctx context.Context, r ScriptRequest) (*Script, error) {
	out := new(Script)
	return out, c.call(ctx, "script", r, out)
}

// Attempt renders and compiles. It declares exceptions if the compiler asks for them.
func (c *Client) Attempt(ctx context.Context, r AttemptRequest) (*Attempted, error) {
	out := new(Attempted)
	return out, c.call(ctx, "attempt", r, out)
}

// Resets lists statements that may restore a static field.
func (c *Client) Resets(ctx context.Context, r ResetsRequest) (*Resets, error) {
	out := new(Resets)
	return out, c.call(ctx, "resets", r, out)
}

// ClosingStatements lists statements with which test classes close what they opened.
func (c *Client) ClosingStatements(ctx context.Context, r ClosingRequest) (*Resets, error) {
	out := new(Resets)
	return out, c.call(ctx, "closingStatements", r, out)
}

// ProcessStateWriters lists the methods that change state of the whole process, direct ones first.
func (c *Client) ProcessStateWriters(ctx context.Context, p Project) ([]ProcessStateWriter, error) {
	var out struct {
		Methods []ProcessStateWriter `json:"methods"`
	}
	err := c.call(ctx, "processStateWriters", p, &out)
	return out.Methods, err
}

// Outline lists classes and methods with their lines.
func (c *Client) Outline(ctx context.Context, r OutlineRequest) (*Outline, error) {
	out := new(Outline)
	return out, c.call(ctx, "outline", r, out)
}
