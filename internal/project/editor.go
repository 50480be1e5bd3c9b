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
	// Editor starts what edits sources. The error is an *Error of code CodeNoEditor where the
	// project has no sources that can be edited.
	Editor(ctx context.Context) (Editor, error)
}

// CodeNoEditor is the code of the error of a project without editable test sources.
const CodeNoEditor = "no-compiler"

// Editor makes candidate patches and edits sources as text. Safe for concurrent use.
type Editor interface {
	// Script and Build make edits from the statements of helpers.
	repair.Editor
	// Resets are statements that restore the given state, likeliest first. It also returns what
	// it has found where an error or the context's end kept it from the rest.
	Resets(ctx context.Context, q ResetQuery) (*Resets, error)
	// Unshare are edits that give every test its own of the state, where that is declared by
	// the group of one of the tests. It runs nothing.
	Unshare(places []string, tests []suite.TestID) []patch.Made
	// ProcessWriters are the tests whose code changes state of the whole process, likeliest
	// first, even if they restore it at their end.
	ProcessWriters(ctx context.Context) (suite.Order, error)
	// Location is where a test stands in the checkout; nil where it does not.
	Location(ctx context.Context, t suite.TestID) (*state.Source, error)
	Close() error
}

// ResetQuery asks for statements that restore state.
type ResetQuery struct {
	Cause   repair.Cause
	Setter  suite.Order    // a state-setter after which a brittle passes: its literals serve as arguments
	Fields  []string       // likeliest first
	Changes []state.Change // what is known to differ in them, equal in every process
	// Reset asks for statements that call what the project offers; Reflect for such that write
	// fields by reflection.
	Reset, Reflect bool
}

// Resets is the answer to a ResetQuery.
type Resets struct {
	Made []patch.Made
	// Looked are the project's own places, by their names in the sources, where Made holds all
	// statements that may restore them. It is empty where Made lacks some of a place.
	Looked []string
	// OfTests are those of Looked that the group of one of the cause's tests declares.
	OfTests []string
	// Bodies are, by those names, what a method that restores the place would hold.
	Bodies map[string]string
	// Reflectable are those of Looked that reflection may restore.
	Reflectable []string
}
