package project

import (
	"context"
	"time"

	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// Observer is a Project whose tests' shared state can be observed. State is named by fields: a
// static field, a system property, a variable of a module.
type Observer interface {
	// Observe runs the order in one fresh process and records which shared state each test
	// reads and changes.
	Observe(ctx context.Context, o suite.Order, look Look) (*Observation, error)
	// RunRestored runs the order in one fresh process. Before the test at position before, it
	// restores the fields to the values that they had when the process began. If before is 0, it
	// only remembers these values.
	RunRestored(ctx context.Context, o suite.Order, places []string, before int) (*suite.Run, []Restored, error)
	// FilesLeft runs the order in a fresh process and lists the files that it leaves in the
	// project's folder, relative to About().Root.
	FilesLeft(ctx context.Context, o suite.Order) ([]string, error)
	// Origin says to whom a field's state belongs, from the point of view of a test.
	Origin(place string, t suite.TestID) Origin
	// Unobserved is a sentence for people about the state that is not observed.
	Unobserved() string
}

// Initialiser is an Observer of a language in which code that sets shared state runs when it is first
// needed, such as Java's static initialisers.
type Initialiser interface {
	Observer
	// RunInitialised runs the order in a fresh process that initialises these classes first. They are
	// some of state.Trace.InitialisedClasses. The initialisers of the failed ones threw something.
	RunInitialised(ctx context.Context, o suite.Order, classes []string) (run *suite.Run, failed []string, err error)
}

// Look says what is observed in addition to the reads and writes of fields.
type Look struct {
	Alone bool // no other run is in progress
	// Contents also observes everything that can be reached from the fields: Observation.Heap.
	Contents bool
	Lines    bool     // names the lines that write; costs more time
	Fields   []string // with Contents: only these fields and what they lead to; nil: everything
	// Overlay is a patch, as in repair.Trial: with Contents, its classes or modules run.
	Overlay string
	// Suite means that the order is a whole suite, which runs for minutes rather than seconds.
	Suite bool
	// Within is the time after which the run is stopped. What was observed until then is the result. 0: no
	// limit.
	Within time.Duration
	// The rest narrows or widens what is observed; see job.PollutionOptions.
	IncludeRoots, ExcludeRoots, ExcludeFields, FileRoots []string
	ClassLoading                                         string
}

// Observation is what one observed process reported.
type Observation struct {
	Trace *state.Trace
	Heap  *state.Heap // nil without Look.Contents
	Run   *suite.Run
}

// Restored is the result for one field.
type Restored struct {
	Field   string
	Changed bool // it held another value than at the beginning
	// OtherLoader means that only a copy of the field in another class loader held another value.
	OtherLoader bool
	Problem     string // why it was not restored; empty if it was
}

// Origin says to whom state belongs. Library and Container belong to a dependency.
type Origin int

// The origins.
const (
	Library Origin = iota // a dependency's
	// Container is state of a dependency that holds objects of the project, such as Spring's contexts.
	// It is named, but its contents are not compared.
	Container
	Process  // the whole process's, such as the default locale
	Own      // the project's
	OwnGroup // declared by the test's own group
)
