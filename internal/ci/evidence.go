// Package ci reads the output of a test run: order files, Surefire reports and build logs. It finds
// the tests that ran, their order, and those that failed.
//
// All input is hostile. Files are streamed with bounded memory. Nothing in them is executed,
// expanded or followed. An error names the file and says what to do.
//
// Invariants:
//   - Test ids in an Evidence are those of the source. They are brought into a comparable form only
//     if this loses nothing (see canonicalMethod).
//   - Provenance never claims more than the source shows.
package ci

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// Evidence is the content of one source about one run.
type Evidence struct {
	// Tests are the tests in the order in which they ran: "Class#method". If the source shows only
	// when a class ran, the class name means all its tests. Nested classes are "Outer$Inner". A
	// test that ran as part of a suite class is "Suite>Class#method".
	Tests []string
	// Failed are the tests that failed. It has the class name alone if the class's set-up failed or
	// its JVM died.
	Failed []string
	// Flaked failed at first and passed when the build ran them again.
	Flaked     []string
	Provenance suite.Provenance
	Source     string // a name for people, such as "order file f.txt" or "log ci.txt"
	// Tool is the tool that ran the tests; empty: Maven.
	Tool Tool `json:",omitempty"`
	// Parts are the runs of single modules, if the source shows them. The lists above are those of
	// the parts, one after the other.
	Parts []Part
	// Notes are for people: what was left out, cut, or contradictory.
	Notes []string
}

// Tool is a build tool or a test runner.
type Tool string

// The tools other than Maven whose logs and reports can be read.
const (
	Gradle Tool = "Gradle"
	Jest   Tool = "Jest"
)

// Part is one execution of a test plugin in one module.
type Part struct {
	Module    string // a log's artifact id, or the module's folder for reports
	Execution string // "default-test", "surefire-reports" …
	Tests     []string
	Failed    []string
	Took      time.Duration `json:",omitempty"` // how long the tests took; zero: the source does not show it
}

// ErrNoReports means that there are no reports at all. Reports without failures are no error.
var ErrNoReports = errors.New("no test reports")

// Order reads the evidence at path: an order file, one report, a folder of reports, or a build log.
// Any file may be gzip-compressed.
func Order(path string) (Evidence, error) { return Read(context.Background(), path, ownLimits) }

// Read is Order with limits. It ends with the context.
func Read(ctx context.Context, path string, l Limits) (Evidence, error) {
	return reader{ctx, l}.read(path)
}

func (r reader) read(path string) (Evidence, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Evidence{}, fmt.Errorf("%s does not exist; give an order file (one test a line), a folder of "+
			"Surefire reports or a build log", path)
	case err != nil:
		return Evidence{}, fmt.Errorf("%s cannot be read: %w", path, err)
	case info.IsDir():
		return r.tree(path)
	case !info.Mode().IsRegular() && info.Mode()&os.ModeNamedPipe == 0:
		return Evidence{}, fmt.Errorf("%s is neither a file nor a folder; give an order file, a folder of Surefire "+
			"reports or a build log", path)
	}
	return r.file(path)
}

// file reads a file. The beginning of the file shows its kind.
func (r reader) file(path string) (Evidence, error) {
	src, err := r.open(path)
	if err != nil {
		return Evidence{}, err
	}
	defer src.Close()
	switch src.kind() {
	case kindEmpty:
		return Evidence{}, fmt.Errorf("%s is empty; write one test a line, or give a build log", path)
	case kindXML:
		return oneReport(path, src)
	case kindJSON:
		return parseJestJSON(path, src, newBudget(r.limits))
	case kindOrder:
		if r.limits.Own {
			return parseOrderFile(path, src)
		}
	}
	if r.limits.Reports {
		return Evidence{}, fmt.Errorf("%s is no report in XML or JSON", path)
	}
	return parseLog(path, src)
}

// join fills the lists of the evidence from its parts.
func (e *Evidence) join() {
	var failed set
	for _, p := range e.Parts {
		e.Tests = append(e.Tests, p.Tests...)
		failed.add(p.Failed...)
	}
	e.Failed = failed.list
}

// set keeps each added value once, in order.
type set struct {
	list []string
	has  map[string]bool
}

func (s *set) add(items ...string) {
	for _, it := range items {
		if s.has[it] {
			continue
		}
		if s.has == nil {
			s.has = map[string]bool{}
		}
		it = strings.Clone(it) // without the line that it is a part of
		s.has[it] = true
		s.list = append(s.list, it)
	}
}

// mostNotes bounds the notes. Longer lists are too long to read.
const mostNotes = 50

func (e *Evidence) note(format string, args ...any) {
	if len(e.Notes) < mostNotes {
		e.Notes = append(e.Notes, fmt.Sprintf(format, args...))
	}
}
