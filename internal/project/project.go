// Package project declares what a language implements, so that odfix can investigate its projects.
//
// A Language opens projects. Every Project runs tests in exact orders; that alone is enough for
// diagnoses. A Project that also implements Observer reports the state through which tests affect
// each other. A Project that implements Editable gives patches. The engine knows only these
// interfaces.
//
// Invariants that every implementation keeps, and that projecttest checks:
//   - The user's checkout is read, never written.
//   - Run executes exactly the order that was asked for, or refuses with a *RefusedError.
//   - What tests write into the project's folder does not reach the next fresh run.
//   - No process outlives the Project, however odfix ends.
package project

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// Language opens the projects of one language.
type Language interface {
	// Name is the stable name of the language in jobs and reports, such as "java".
	Name() string
	// Recognises reports whether the folder looks like a project of the language.
	Recognises(dir string) bool
	// Open builds a copy of the project and finds its tests. The error is an *Error if a person can
	// do something about it.
	Open(ctx context.Context, o Options) (Project, error)
	// Build only builds, up to the point where tests would run. The next Open with the same Work
	// folder needs no network.
	Build(ctx context.Context, o Options) error
}

// Options are what a job asks of a project. Only Dir is required.
type Options struct {
	Dir         string        // the checkout, absolute
	BuildTool   string        // for languages with several: which one builds; empty: as the files say
	Module      string        // the part of a build with several parts; empty: the part with the tests
	Tests       []string      // names of tests, as people write them; they choose the module
	BuildArgs   []string      // passed to the build tool as they are
	Offline     bool          // forbids the build tool to use the network
	Runtime     string        // where the language's runtime is installed; empty: as in the environment
	Work        string        // where builds are kept between jobs; empty: the user's cache folder
	Budget      time.Duration // wall time for the build; zero: only the context's deadline
	Parallel    int           // parallel processes; zero: one per core
	TestTimeout time.Duration // for one test; zero: judged by how long tests take
	Log         *zap.Logger   // required
	// Progress is called with a sentence for people about the current work, Phase when a phase
	// begins.
	Progress func(sentence string)
	Phase    func(Phase)
}

// Phase is a part of opening a project.
type Phase string

// The phases of opening.
const (
	Building    Phase = "build"
	Discovering Phase = "discover"
)

// FailureExplainer is a Project that knows frequent reasons of failures that are no fault of the
// tests.
type FailureExplainer interface {
	// ExplainFailure returns a sentence about the reason and what to do; "" if it knows none.
	ExplainFailure(f *suite.Failure) string
}

// Project is one module of a checkout, built, and ready to run its tests.
// All methods but Close are safe for concurrent use.
type Project interface {
	// About describes the project for the report.
	About() About
	// Suite is the tree of tests in the build's own order. It never changes.
	Suite() *suite.Suite
	// Syntax reads the ids of the suite's tests.
	Syntax() suite.Syntax

	// Run, Series, Serial and Parallel run tests of the project, or of an edit of its Editor
	// (Trial.Overlay names the edit).
	repair.Runner
	// Build of a repair.Builder makes a working copy with files replaced, built by the
	// project's own build. Paths are relative to About().Root, with '/'.
	repair.Builder

	// Sequential makes every later run wait until no other run is in progress.
	Sequential()
	// Stats returns what was spent so far.
	Stats() Stats
	// Fingerprint returns a text that is equal for equal tests of equal code that run in the same
	// way.
	Fingerprint(ctx context.Context) (string, error)
	// Source returns the text of a file of the checkout, by its path in patches.
	Source(path string) (string, error)
	// IsTestSource reports whether the path, as in patches, is a source of the module's tests.
	IsTestSource(path string) bool
	// IsProductionSource reports whether the path, as in patches, is code that is no test, such that
	// Build takes another text of it. Files that configure the build are none.
	IsProductionSource(path string) bool
	// AffectedBy returns the tests whose code comes from one of the files, or can reach code that
	// does. Paths are relative to About().Root. unknown are files that belong to no code.
	AffectedBy(ctx context.Context, files []string) (tests []suite.TestID, unknown []string, err error)
	// DefinedIn returns the tests whose own source is one of the files.
	DefinedIn(files []string) ([]suite.TestID, error)
	// Reproduce finds a plain command of the project's own tools with which the last test of the
	// order fails. It tries the command in a copy. nil: there is none.
	Reproduce(ctx context.Context, o suite.Order) (*Command, error)
	// Explain turns an error of the language into one for people; nil: the error is not one of the
	// language.
	Explain(err error) *Error
	// Notes returns sentences for people about how tests were run, such as working copies.
	Notes() []string
	// Close ends every process, removes scratch files and frees the copy.
	Close() error
}

// About describes a project.
type About struct {
	Language  string   // Language.Name
	Root      string   // absolute; the paths in patches are relative to it
	Module    string   // folder relative to the build's root; empty: the root itself
	Build     string   // the build tool and its version
	Runner    string   // the test runner and frameworks, for people
	Runtime   string   // version of the runtime that runs the tests
	Parallel  bool     // the build runs tests of one process in parallel
	BuildArgs []string // Options.BuildArgs
	Name      string   // name of the module, for people
	Isolated  bool     // the build gives every outermost group a process of its own
	Once      bool     // a process runs each test at most once
	// CompilesLate says that the first run of an edit compiles it.
	CompilesLate bool
	SetUps       bool     // what an observed run shows before a test is the setup of its group, and no constructor
	Notes        []string // sentences for people
	// Local are folders that exist only on this machine, or only for this job, longest first.
	Local []string
}

// Command is a command for a shell. It runs in the folder Dir, which is relative to Options.Dir.
type Command struct {
	What string // for people
	Dir  string
	Line string
	Exit int
}

// Stats counts what a project's processes did.
type Stats struct {
	Questions map[suite.Price]int // orders run, by price
	Tests     int                 // test executions that finished
	Starts    int                 // processes started
	Processor time.Duration       // processor time of the processes that ended
	Copies    int                 // working copies of the project in use
}

// Error is a failure for people. Code is stable.
type Error struct {
	Code    string
	Message string
	Hint    string // what to do
	Detail  string // the compiler's lines, a stack dump
}

func (e *Error) Error() string { return e.Message }

// RefusedError says that an order was not run, because the process would have run other tests than
// requested.
type RefusedError struct {
	Reason string
	Tests  []suite.TestID // the tests that cannot be run
	Gone   bool           // they no longer exist; otherwise they cannot run in this order
}

func (e *RefusedError) Error() string { return "the order cannot be run: " + e.Reason }
