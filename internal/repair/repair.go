// Package repair makes patches out of helper tests and proves them.
//
// It implements the Patcher of iFixFlakies (Shi et al., ESEC/FSE 2019, section 3.2). It takes the
// statements of a cleaner or state-setter, reduces them to those that restore the shared state, and
// adds them where a maintainer would. It does more than the paper: it tries more locations (the
// polluter's teardown, the victim's setup, the victim's start), it fixes all tests of one cause
// with one patch, and it proves patches.
//
// The package starts no process and knows no build tool. It gets sources from an Editor, runs
// orders with a Runner, and uses the project's own build through a Site. Each is a small interface,
// so the search can be tested without processes. A patch.Made, which is passed between them, is
// source text of the project's language.
//
// # What proves a patch
//
// Only test code is edited. A candidate is a guess: everything that the search asks, warm or
// several times in one process, only ranks candidates. A patch is proved when every check of Prove
// holds in fresh processes of a copy that the project's own build has built. A "fixed test" is a
// test that the patch claims to fix:
//
//   - It changes test sources only, and compiles.
//   - Each failing order, minimal or shared by many tests, passes with the patch and fails without
//     it, ProofInput.Repeats times each. Of more than eight fixed tests (cohort.Sample), the orders
//     after the eighth run once, unless ProofInput.All is set.
//   - Each fixed test passes alone; of more than eight, those that the patch changes and eight
//     others.
//   - In the whole orders in which failures were seen, and in the suite's own order, the fixed
//     tests pass and no other test behaves worse than without the patch. Without the patch an order
//     runs only where not every test passes with it. If a test seems to behave worse, or fails on
//     each side in another way, both sides run again, one at a time, up to four times. The test is
//     cleared if it fails without the patch, too, or behaves no worse in two of these pairs in a row.
//   - Each fixed test passes directly after other tests of its class, and in rows of the Tuscan
//     square of its class.
//   - No statement can be removed, nor any of several locations: without it the patch does not compile,
//     or a fixed test fails in an order above, and fails again while no other process runs. If the
//     result is not certain, the check does not hold.
//
// A test that does not pass in parallel with other processes runs again while no other process
// runs. Some tests of a cohort were seen to fail only together with others. If such a test fails
// alone with the patch, it does not belong to the cause (Cause.Misled).
//
// Patches of several causes are proved together (ProveTogether): every failing order of every fixed
// test passes once, and the two claims about whole orders hold.
package repair

import (
	"context"
	"slices"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// Statement of a helper, as the Editor reads it.
type Statement struct {
	ID        string
	Text      string
	Role      string      // "field", "class-setup", "setup", "body", "teardown", "class-teardown"
	Requires  []string    // ids of statements without which this one does not compile
	Inner     []Statement // what a compound statement (block, try, if, loop) holds
	Assertion bool        // checks something and changes nothing
}

// Edit describes statements to insert at a location: those of a helper, or those of Made.
type Edit struct {
	Helper   suite.Order
	Made     *patch.Made // instead of Helper
	Keep     []string    // statement ids in the order in which they run
	Complete bool        // also keep statements that the kept ones need at the location
	Switched bool        // statement k runs only if switch k is on
	Location patch.Location
	At       suite.TestID   // the test at whose body, setup or teardown the statements are
	Also     []suite.TestID // further tests, of other classes, that get the same statements
	Except   Except         // statements that some of these tests do not get
	Style    patch.Style
}

// Except has the ids of the statements of an edit that are left out at some of its tests: a polluter
// only has to restore the state that it changes itself.
type Except map[suite.TestID][]string

// KeepAt returns the ids of the statements that the edit has at a test.
func (e Edit) KeepAt(t suite.TestID) []string {
	return slices.DeleteFunc(slices.Clone(e.Keep), func(id string) bool { return slices.Contains(e.Except[t], id) })
}

// Built is an edit that compiles.
type Built struct {
	Files      map[string]string // path relative to the checkout → whole new text
	Before     map[string]string // the same paths → the text before
	Statements []string          // the text of the statements in the patch
	Kept       []string          // ids of all statements in it
	Overlay    string            // folder of class files that goes before the class path
}

// UnfitError says why an edit cannot be made. Another location, style or helper may work.
type UnfitError struct {
	Reason string
	// Culprits are the statements that cannot be there, if known.
	Culprits []string
	// Unknown means that it took too long to find out whether the edit can be made.
	Unknown bool
}

func (e *UnfitError) Error() string { return e.Reason }

// Editor reads helpers and builds edits. It is safe for concurrent use.
type Editor interface {
	// Script returns the statements that a helper runs, in the order in which they run: setup,
	// body, teardown (get_setup, get_body, get_teardown of Figure 6). Requires holds for the class
	// of the test at.
	Script(ctx context.Context, helper suite.Order, at suite.TestID) ([]Statement, error)
	// Build renders and compiles an edit. The error is an *UnfitError if the edit cannot be made.
	Build(ctx context.Context, e Edit) (*Built, error)
}

// Trial says how an order runs.
type Trial struct {
	Price    suite.Price
	Overlay  string // patched classes, or ""
	Switches string // for switched overlays
	Alone    bool   // wait until no other order runs
}

// Runner runs orders. It is safe for concurrent use.
type Runner interface {
	Run(ctx context.Context, o suite.Order, t Trial) (*suite.Run, error)
	// Series runs the order repeatedly in one process, so only its first run begins with new state.
	// next gets the previous run (nil at first) and returns the switches for the next run. Series
	// may end earlier than next asks. Its results are hints.
	Series(ctx context.Context, o suite.Order, overlay string, next func(last *suite.Run) (switches string, more bool)) error
	// Serial reports whether Series is possible.
	Serial() bool
	Parallel() int
}

// Site is a copy of the project with a patch in it, built by the project's own build.
type Site interface {
	// Run runs the order in a fresh process, launched as the project's build launches it.
	Run(ctx context.Context, o suite.Order) (*suite.Run, error)
	// Alone returns the same site, but each of its runs waits until no other run is active. It need
	// not be closed.
	Alone() Site
	Parallel() int
	Close() error
}

// Builder makes sites.
type Builder interface {
	// Build applies the files to a copy and compiles its tests with the project's own build.
	Build(ctx context.Context, files map[string]string) (Site, error)
}

// Case is one order-dependent test of a cause.
type Case struct {
	Test suite.TestID
	// Failing are orders that end with the test and in which it fails: polluters followed by a
	// victim, or the brittle test alone.
	Failing []suite.Order
	// Joint means that no such order ran. The test failed only in orders that it shares with other
	// tests.
	Joint bool
}

// Cause is a group of tests that fail for one reason and may be fixed by one patch.
type Cause struct {
	// Polluter is empty for brittles.
	Polluter suite.Order
	// Writers are those of several polluters that change the state that matters, if it is known. A
	// patch that cleans up is first tried after one of them.
	Writers suite.Order
	Cases   []Case
	// Whole are the long orders in which the tests failed. They may contain polluters that the
	// diagnosis did not look for. A test counts as fixed only if it passes in all of them that
	// contain it.
	Whole []suite.Order
	// Helpers are cleaners for victims, or state-setters for brittle tests, likeliest first.
	Helpers []suite.Order
	// Later searches further helpers, which takes long. It is called if nothing else gives a patch
	// that is good enough, and returns only helpers that are not in Helpers. With nil, Helpers is all.
	Later func(context.Context) ([]suite.Order, error)
	// OneValue means that the state is known, and is a single value of a field. Then a statement that
	// sets it is likelier than one of a helper to do just that.
	OneValue bool
	// SetUp means that the setup of the polluters' class or block, and no test, changes the state. Then the reset
	// is first tried once, after the last test of the class or block: its tests may need the state.
	SetUp bool
	// Twice means that the first test also fails after itself. It changes the state that it needs, so a setup
	// of its own class serves more orders than a teardown of the polluter's.
	Twice bool
}

// Brittle reports whether the cause is a state that no test set.
func (c *Cause) Brittle() bool { return len(c.Polluter) == 0 }

// Tests returns the tests that the cause makes fail.
func (c *Cause) Tests() []suite.TestID {
	var out []suite.TestID
	for _, cs := range c.Cases {
		out = append(out, cs.Test)
	}
	return out
}

// Candidate is a patch that makes the failing orders pass, not yet proved.
type Candidate struct {
	Helper     suite.Order
	Edit       Edit
	Built      *Built
	Fixes      []suite.TestID // tests that pass with it in all of their failing orders
	Fixed      int            // failing orders that pass with it
	Asked      int            // failing orders tried
	Unfinished bool           // the budget ended, so the statements may not be minimal
	// Left counts the differences between the state before the polluter and the state after these
	// statements have run. It is 0 if this is not known.
	Left int

	// exact says that Left is known, and 0, or that the edit restores the state in any case.
	exact bool
	// unmeasured says that the time ended before Left was known. It counts as less exact than others.
	unmeasured bool
	// passesTwice says that the first test of the cause passes with it after itself (Cause.Twice).
	passesTwice bool
	// untrimmed are the statements before those were removed that this location does not need.
	untrimmed []string
	// stillFailing are orders that still fail with it, each up to the test of the cause that fails.
	// It is empty if the candidate does not help at all.
	stillFailing []suite.Order
}
