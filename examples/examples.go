// Package examples describes the small projects of Maven, Gradle and Jest in this folder. Each has
// one or more order-dependent or otherwise failing tests, and an expected.json that says what a
// correct investigation finds. The demo and the end-to-end tests read these descriptions instead of
// repeating them.
//
// Invariant: every test id in an expected.json or an order file is the id of a test in the
// example's sources. The package's own test checks this.
package examples

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// Example is one project with its correct results.
type Example struct {
	// Name is the folder's name, Dir the folder.
	Name string `json:"-"`
	Dir  string `json:"-"`
	// Story is one sentence for people.
	Story string `json:"story"`
	// MvnTest is the result of plain `mvn test`, GradleTest of plain `gradle test`, and NpmTest of
	// plain `npm test` in a Jest project: "green", "red", "crash" or "random".
	MvnTest    string `json:"mvnTest,omitempty"`
	GradleTest string `json:"gradleTest,omitempty"`
	NpmTest    string `json:"npmTest,omitempty"`
	// Module is the folder of the module relative to Dir; empty for Dir itself.
	Module   string    `json:"module,omitempty"`
	Findings []Finding `json:"findings"`
}

// HelperOrReset is a Finding's Kind.
const HelperOrReset = "helper or reset"

// Finding is the correct result for one test. Ids are those of docs/harness-protocol.md.
type Finding struct {
	Test    string `json:"test"`
	Verdict string `json:"verdict"` // one of internal/job's verdicts
	// NonIdempotent: the test fails when it is run twice in one process.
	NonIdempotent bool `json:"nonIdempotent,omitempty"`
	// Hangs and Exits say why an unresolved test is unresolved.
	Hangs bool `json:"hangs,omitempty"`
	Exits bool `json:"exits,omitempty"`
	// FailingOrder names a file of Dir, one id a line, in which the test fails.
	FailingOrder string `json:"failingOrder"`
	// The sets are complete: a result that is not listed is wrong.
	// List a pair of polluters once for each order that makes the test fail.
	Polluters    [][]string `json:"polluters,omitempty"`
	StateSetters [][]string `json:"stateSetters,omitempty"`
	// Cleaners are the cleaners of the first polluter.
	Cleaners [][]string `json:"cleaners,omitempty"`
	// Patch says whether odfix finds a patch.
	Patch bool `json:"patch"`
	// Kind is where the patch's statements come from; empty: from a helper. HelperOrReset: the same
	// statement is in a helper and can be found in the code, and the machine's speed decides what is
	// found first.
	Kind string `json:"kind,omitempty"`
	// Statement is one of the patch's; empty: any.
	Statement string `json:"statement,omitempty"`
	// NoReset are the fields for which no reset method exists, as the report names them.
	NoReset []string `json:"noReset,omitempty"`
	// State is the state through which the first cause is proved to affect the test. Elsewhere: the
	// cause is not static state, and this is proved.
	State     []string `json:"state,omitempty"`
	Elsewhere bool     `json:"elsewhere,omitempty"`
	// Initialiser is the class whose static initialiser is proved to matter; empty: none.
	Initialiser string `json:"initialiser,omitempty"`
	// Reproduces: the plain build reproduces the failure, although there is no patch. If there is a
	// patch, the end-to-end test runs its commands in any case.
	Reproduces bool `json:"reproduces,omitempty"`
	// Commands is the number of the proof's commands that the tests execute, in addition to those
	// that show the failure. Each command builds the project, so the commands of one project are
	// enough for a kind of build. -1: all.
	Commands int `json:"commands,omitempty"`
}

// Jest reports whether Jest runs the example's tests.
func (e Example) Jest() bool { return e.NpmTest != "" }

// Load reads every example under root, sorted by name. A folder without an expected.json is an
// error, because no test would check the example.
func Load(root string) ([]Example, error) {
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil, err
	}
	var all []Example
	for _, e := range entries {
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		ex, err := One(filepath.Join(root, e.Name()))
		if err != nil {
			return nil, err
		}
		all = append(all, ex)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Name < all[j].Name })
	return all, nil
}

// One reads the example in dir.
func One(dir string) (Example, error) {
	ex := Example{Name: filepath.Base(dir), Dir: dir}
	f, err := os.Open(filepath.Join(dir, "expected.json"))
	if err != nil {
		return ex, fmt.Errorf("example %s: %w", ex.Name, err)
	}
	defer f.Close()
	d := json.NewDecoder(f)
	d.DisallowUnknownFields()
	if err := d.Decode(&ex); err != nil {
		return ex, fmt.Errorf("example %s: expected.json: %w", ex.Name, err)
	}
	manifest := "pom.xml"
	switch {
	case ex.Jest():
		manifest = "package.json"
	case ex.GradleTest != "":
		manifest = "build.gradle"
	}
	if _, err := os.Stat(filepath.Join(dir, manifest)); err != nil {
		return ex, fmt.Errorf("example %s has no %s: %w", ex.Name, manifest, err)
	}
	return ex, nil
}

// Order reads an order file of the example: one id a line.
func (e Example) Order(file string) ([]string, error) {
	b, err := os.ReadFile(filepath.Join(e.Dir, file))
	if err != nil {
		return nil, fmt.Errorf("example %s: %w", e.Name, err)
	}
	var ids []string
	for _, line := range strings.Split(string(b), "\n") {
		if line = strings.TrimSpace(line); line != "" {
			ids = append(ids, line)
		}
	}
	return ids, nil
}
