package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// found is the runner's result: one test breaks another, and one fills a cache.
func found() *state.Pollutions {
	return &state.Pollutions{Observed: 3, Captures: 6, Objects: 40, Roots: 4, Seconds: 0.25, Tests: []state.Polluter{
		{Test: "a.CacheTest#a", Pollutes: []state.Pollution{
			{Path: "a.Names.cache", Before: "null", After: "HashMap of 2", Label: state.Cache,
				Readers: []suite.TestID{"a.B#v"}, Field: "a.Names.cache", During: state.DuringTest},
		}},
		{Test: "a.RegistryTest#p", Source: &state.Source{File: "src/test/java/a/RegistryTest.java", Line: 7, EndLine: 9},
			Pollutes: []state.Pollution{
				{Path: `a.Registry.INSTANCE.parsers["vdm"]`, Before: "absent", After: "Foo\x1b[31m",
					Label: state.Breaks, Readers: []suite.TestID{"a.B#v", "a.B#w"},
					Breaks: []suite.TestID{"a.B#v"}, Field: "a.Registry.INSTANCE", Also: []string{"a.Shop.registry"},
					During: state.DuringTest, WrittenBy: "a.Registry.put(Registry.java:7)"},
			}},
	}}
}

func polluting(t *testing.T, d *workspace, p *state.Pollutions) {
	t.Helper()
	text, err := p.File()
	if err != nil {
		t.Fatal(err)
	}
	d.report.Pollution, d.report.Finished = text, true
}

func TestPollutionIsShown(t *testing.T) {
	d := newWorkspace(t)
	polluting(t, d, found())
	if got := d.run(t.Context(), "pollution", d.dir, "--test", "a.RegistryTest", "--exclude-roots",
		`a\.Clock\..*`, "--class-loading", "lazy"); got != exitBreaks {
		t.Errorf("status %d", got)
	}
	out := d.stdout.String()
	wantIn(t, out, "2 of 3 tests leave shared state changed: 1 breaks another test, 1 only fills a cache.",
		`a.Registry.INSTANCE.parsers["vdm"]: absent → Foo`, "Written by    a.Registry.put(Registry.java:7)", "breaks a.B#v")
	if strings.Contains(out, "\x1b") {
		t.Errorf("a value reaches the terminal as it is: %q", out)
	}
	want := &job.PollutionOptions{ExcludeRoots: []string{`a\.Clock\..*`}, ClassLoading: "lazy"}
	if diff := cmp.Diff(want, d.asked.Pollution); diff != "" || d.asked.Kind != job.KindPollution || d.asked.Tests[0] != "a.RegistryTest" {
		t.Errorf("job %v %v\n%s", d.asked.Kind, d.asked.Tests, diff)
	}
}

func TestPollutionStatus(t *testing.T) {
	d := newWorkspace(t)
	p := found()
	p.Tests = p.Tests[:1]
	polluting(t, d, p)
	if got := d.run(t.Context(), "pollution", d.dir); got != exitOK {
		t.Errorf("a cache: status %d", got)
	}
	p.Tests = []state.Polluter{}
	polluting(t, d, p)
	if got := d.run(t.Context(), "pollution", d.dir); got != exitOK {
		t.Errorf("nothing: status %d", got)
	}
	wantIn(t, d.stdout.String(), "None of 3 tests was seen to leave shared state changed.")
	d.report.Pollution, d.report.Error = nil, &job.Error{Code: "build-broken", Message: "it does not compile"}
	if got := d.run(t.Context(), "pollution", d.dir); got != exitError {
		t.Errorf("an error: status %d", got)
	}
	wantIn(t, d.stderr.String(), "it does not compile")
}

func TestPollutionUsage(t *testing.T) {
	d := newWorkspace(t)
	for _, args := range [][]string{
		{"--class-loading", "early"}, {"--file-root", ""}, {"--include-roots", "com.acme.("},
		{"--exclude-roots", "("}, {"--exclude-fields", "*"}, {"--rerun", "-1"}, {"--format", "xml"},
	} {
		if got := d.run(t.Context(), append([]string{"pollution", d.dir}, args...)...); got != exitUsage || d.asked != nil {
			t.Errorf("%v: status %d", args, got)
		}
		wantIn(t, d.stderr.String(), "odfix: ", "\n→ ")
	}
}

func pollutionSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	s, err := c.Compile("../docs/pollution.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestPollutionSchema checks that printed and stored results fit the schema, with and without
// errors.
func TestPollutionSchema(t *testing.T) {
	s := pollutionSchema(t)
	d := newWorkspace(t)
	polluting(t, d, found())
	out := t.TempDir()
	d.run(t.Context(), "pollution", d.dir, "--format", "json", "--out", out)
	kept, err := os.ReadFile(filepath.Join(out, "pollution.json"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"kept": kept, "printed": d.stdout.Bytes()} {
		if err := validates(s, text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	full := polluted{Pollutions: &state.Pollutions{}, Version: job.Version}
	fill(reflect.ValueOf(&full).Elem(), 0)
	full.Version, full.Started = job.Version, time.Unix(0, 0).UTC()
	for i := range full.Tests {
		for k := range full.Tests[i].Pollutes {
			full.Tests[i].Pollutes[k].Label, full.Tests[i].Pollutes[k].During = state.Read, state.DuringTeardown
		}
	}
	if text, err := json.Marshal(full); err != nil || validates(s, text) != nil {
		t.Errorf("with every field set: %v %v", err, validates(s, text))
	}
	full.Tests[0].Pollutes[0].Label = "harmless"
	if text, _ := json.Marshal(full); validates(s, text) == nil {
		t.Error("an unknown label is accepted")
	}
	d.report.Pollution, d.report.Error = nil, &job.Error{Code: "build-broken", Message: "it does not compile"}
	d.run(t.Context(), "pollution", d.dir, "--format", "json")
	if err := validates(s, d.stdout.Bytes()); err != nil {
		t.Errorf("an error: %v", err)
	}
}
