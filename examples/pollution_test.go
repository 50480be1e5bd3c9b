package examples_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/odfix/odfix/examples"
	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// pollution runs odfix pollution on a copy of a project.
func pollution(t *testing.T, dir, flags string) (*state.Pollutions, int, string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	status, text := shell(t, dir, "odfix pollution --budget 10h "+flags+" --out '"+out+"'")
	kept, err := os.ReadFile(filepath.Join(out, "pollution.json"))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	schema, err := jsonschema.NewCompiler().Compile("../docs/pollution.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(kept)))
	if err == nil {
		err = schema.Validate(doc)
	}
	if err != nil {
		t.Errorf("pollution.json does not match its schema: %v", err)
	}
	p := &state.Pollutions{}
	if err := json.Unmarshal(kept, p); err != nil {
		t.Fatal(err)
	}
	return p, status, text
}

// lines returns a readable line for each thing that a test leaves.
func lines(p *state.Pollutions) []string {
	var out []string
	for _, t := range p.Tests {
		for _, q := range t.Pollutes {
			out = append(out, string(t.Test)+": "+q.Path+": "+q.Before+" → "+q.After+" ("+string(q.Label)+", "+string(q.During)+")")
		}
	}
	slices.Sort(out)
	return out
}

// TestPollutionOfParsers has these cases: deep state of a singleton, a cache, a class whose
// initialiser throws, a class's setup that is undone, state of an enum constant, a system property.
func TestPollutionOfParsers(t *testing.T) {
	if testing.Short() {
		t.Skip("a variant of TestPollutionKnowsPolluters")
	}
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "parsers")
	if err := os.CopyFS(dir, os.DirFS("../internal/engine/pollution/testdata/parsers")); err != nil {
		t.Fatal(err)
	}
	p, status, text := pollution(t, dir, "")
	want := []string{
		`com.example.parsers.AListingTest#wordsAgain: com.example.parsers.Words.table: null → HashMap of 1 (cache, test)`,
		`com.example.parsers.ARegistryTest#registersParser: com.example.parsers.Registry.INSTANCE.parsers["vdm"]: absent → lambda of ARegistryTest (breaks, test)`,
		`com.example.parsers.BSettingsTest#asks: com.example.parsers.Settings.mode.asked: 0 → 1 (read, test)`,
		`com.example.parsers.BSettingsTest#leavesAProperty: com.example.parsers.Settings.uses: 0 → 2 (not-read, class teardown)`,
		`com.example.parsers.BSettingsTest#leavesAProperty: system property com.example.verbose: absent → "yes" (not-read, test)`,
	}
	if diff := cmp.Diff(want, lines(p)); diff != "" {
		t.Errorf("-want +got:\n%s\n%s", diff, text)
	}
	const line = "com.example.parsers.Registry.register(Registry.java:23)"
	if got := p.Tests[slices.IndexFunc(p.Tests,
		func(t state.Polluter) bool { return junitid.Method(t.Test) == "registersParser" })].Pollutes[0].WrittenBy; got != line {
		t.Errorf("an entry of the registry is written by %q, not %s", got, line)
	}
	if status != 3 || p.Observed != 9 {
		t.Errorf("status %d, %d tests\n%s", status, p.Observed, text)
	}
}

// TestPollutionKnowsPolluters: odfix pollution reports that each known polluter of one test breaks a
// test, and that its victim reads the state that the polluter leaves.
func TestPollutionKnowsPolluters(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"demo", "mockito", "module-path"} {
		t.Run(name, func(t *testing.T) {
			onlyShort(t, name, "demo")
			t.Parallel()
			ex, err := examples.One(name)
			if err != nil {
				t.Fatal(err)
			}
			p, status, text := pollution(t, checkout(t, ex), "--find-all")
			if status != 3 {
				t.Errorf("status %d", status)
			}
			for _, f := range ex.Findings {
				if f.Verdict != string(suite.Victim) || len(f.Polluters) == 0 || len(f.Polluters[0]) != 1 {
					continue
				}
				if !broken(p, f.Polluters[0][0], f.Test) {
					t.Errorf("%s is not reported to break %s\n%s\n%s", f.Polluters[0][0], f.Test, strings.Join(lines(p), "\n"), text)
				}
			}
		})
	}
}

func broken(p *state.Pollutions, by, test string) bool {
	for _, t := range p.Tests {
		for _, q := range t.Pollutes {
			if string(t.Test) == by && q.Label == state.Breaks {
				for _, b := range q.Breaks {
					if string(b) == test {
						return true
					}
				}
			}
		}
	}
	return false
}
