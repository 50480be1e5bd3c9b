package project

import (
	"context"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// Editable is a Project whose test sources can be edited.
type Editable interface {
	// Editor starts an editor of sources. The error is an *Error of code CodeNoEditor if the
	// project has no sources that can be edited.
	Editor(ctx context.Context) (Editor, error)
}

// CodeNoEditor is the code of the error of a project without editable test sources.
const CodeNoEditor = "no-compiler"

// Editor makes candidate patches and edits sources as text. Safe for concurrent use.
type Editor interface {
	// Script and Build make edits from the statements of helpers.
	repair.Editor
	// Resets returns statements that restore the given state, likeliest first. If an error or the
	// end of the context stops it early, it also returns what it has found so far.
	Resets(ctx context.Context, q ResetQuery) (*Resets, error)
	// Rewrites returns changes of what the sources hold already: a declaration that gives every test
	// its own copy of the state, if the group of one of the tests declares it, or a test that waits
	// for what it begins. It runs nothing.
	Rewrites(ctx context.Context, places []string, tests []suite.TestID) []patch.Made
	// ProcessWriters returns the tests whose code changes state of the whole process, likeliest
	// first, even if they restore it at their end.
	ProcessWriters(ctx context.Context) (suite.Order, error)
	// Location returns where a test is declared in the checkout; nil if it is not declared there.
	Location(ctx context.Context, t suite.TestID) (*state.Source, error)
	Close() error
}

// ResetQuery asks for statements that restore state.
type ResetQuery struct {
	Cause   repair.Cause
	Setter  suite.Order    // a state-setter after which a brittle test passes; its literals serve as arguments
	Fields  []string       // the state to restore, likeliest first
	Changes []state.Change // the known differences in it, equal in every process
	Files   []string       // files that the polluter leaves, relative to About().Root, if no other state matters
	// Reset asks for statements that call the project's own methods. Reflect asks for statements
	// that write fields by reflection.
	Reset, Reflect bool
}

// Resets is the answer to a ResetQuery.
type Resets struct {
	Made []patch.Made
	// Looked lists the project's own fields, by their names in the sources, for which Made holds
	// all statements that may restore them.
	Looked []string
	// OfTests are those of Looked that the group of one of the cause's tests declares.
	OfTests []string
	// Bodies holds, for these names, the body of a method that would restore the field.
	Bodies map[string]string
	// Reflectable are those of Looked that reflection may restore.
	Reflectable []string
}

// Configurable is a Project whose test runner has settings that restore state before each test.
type Configurable interface {
	// Settings returns the settings that may restore one of the fields, the mildest first. They are
	// lines of the runner's configuration.
	Settings(fields []string) []string
	// Configured returns the project with a setting in its configuration. The checkout is not
	// changed.
	Configured(setting string) (repair.Site, error)
}
