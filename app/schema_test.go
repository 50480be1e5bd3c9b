package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

const schemaFile = "../docs/report.schema.json"

func readSchema(t *testing.T) map[string]any {
	t.Helper()
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	var s map[string]any
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	s, err := c.Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSchemaHoldsEveryField compares the schema with the types, both ways.
func TestSchemaHoldsEveryField(t *testing.T) {
	s := readSchema(t)
	defs := s["$defs"].(map[string]any)
	seen := map[string]bool{}
	var compare func(where string, typ reflect.Type, schema map[string]any)
	compare = func(where string, typ reflect.Type, schema map[string]any) {
		if ref, ok := schema["$ref"].(string); ok {
			name := strings.TrimPrefix(ref, "#/$defs/")
			if seen[name+typ.String()] {
				return
			}
			seen[name], seen[name+typ.String()] = true, true
			schema = defs[name].(map[string]any)
		}
		switch typ.Kind() {
		case reflect.Pointer:
			compare(where, typ.Elem(), schema)
		case reflect.Slice:
			if items, ok := schema["items"].(map[string]any); ok {
				compare(where+"[]", typ.Elem(), items)
			} else if typ.Elem().Kind() != reflect.Uint8 {
				t.Errorf("%s is a list, unlike in the schema", where)
			}
		case reflect.Map:
			if values, ok := schema["additionalProperties"].(map[string]any); ok {
				compare(where+"{}", typ.Elem(), values)
			} else {
				t.Errorf("%s is a map, unlike in the schema", where)
			}
		case reflect.Struct:
			if typ != reflect.TypeFor[time.Time]() {
				compareFields(t, where, typ, schema, compare)
			}
		}
	}
	compare("report", reflect.TypeFor[job.Report](), s)
	for name := range defs {
		if !seen[name] {
			t.Errorf("nothing uses the schema's %s", name)
		}
	}
}

func compareFields(t *testing.T, where string, typ reflect.Type, schema map[string]any,
	compare func(string, reflect.Type, map[string]any)) {
	t.Helper()
	props, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	if schema["additionalProperties"] != false || schema["description"] == nil {
		t.Errorf("%s: additionalProperties must be false, and a description given", where)
	}
	for i := range typ.NumField() {
		f := typ.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || !f.IsExported() {
			continue
		}
		prop, ok := props[name].(map[string]any)
		if !ok {
			t.Errorf("%s.%s is not in the schema", where, name)
			continue
		}
		if d, _ := prop["description"].(string); len(d) < 4 {
			t.Errorf("%s.%s is not described", where, name)
		}
		if always := !strings.Contains(options, "omitempty"); always != slices.Contains(required, any(name)) {
			t.Errorf("%s.%s: always written is %v, unlike in the schema", where, name, always)
		}
		delete(props, name)
		compare(where+"."+name, f.Type, prop)
		props[name] = prop
	}
	for name := range props {
		if !slices.ContainsFunc(reflect.VisibleFields(typ), func(f reflect.StructField) bool {
			return strings.Split(f.Tag.Get("json"), ",")[0] == name
		}) {
			t.Errorf("%s.%s is in the schema only", where, name)
		}
	}
}

// TestReportsFitTheSchema checks an empty report, a full one, and every constant that a report can
// have.
func TestReportsFitTheSchema(t *testing.T) {
	s := compiled(t)
	full := job.Report{}
	fill(reflect.ValueOf(&full).Elem(), 0)
	full.Version, full.Alternative.Setting = job.Version, job.Settings[0]
	reports := map[string]*job.Report{"empty": {Version: job.Version}, "full": &full}
	for _, v := range []suite.Verdict{suite.Victim, suite.Brittle, suite.VictimBrittle, suite.FlakyOther,
		suite.Genuine, suite.NotReproduced, suite.Undecided} {
		reports[string(v)] = &job.Report{Version: job.Version, Tests: []job.TestReport{{Test: "a#b", Verdict: v}}}
	}
	for _, why := range job.AllUnpatched {
		reports[string(why)] = &job.Report{Version: job.Version,
			Tests: []job.TestReport{{Test: "a#b", Verdict: suite.Victim, Unpatched: why}}}
	}
	for _, p := range []patch.Location{patch.VictimStart, patch.VictimSetup, patch.VictimSetupStart, patch.VictimBlockSetup, patch.PolluterTeardown,
		patch.PolluterClassTeardown, patch.PolluterEnd, patch.Declaration} {
		reports[string(p)] = &job.Report{Version: job.Version,
			Tests: []job.TestReport{{Test: "a#b", Verdict: suite.Victim, Patches: []job.Patch{{Location: p}}}}}
	}
	for name, r := range reports {
		if err := fits(s, r); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSchemaRefuses checks that the schema does not accept everything.
func TestSchemaRefuses(t *testing.T) {
	s := compiled(t)
	for name, r := range map[string]*job.Report{
		"another version": {Version: job.Version + 1},
		"no such verdict": {Version: job.Version, Tests: []job.TestReport{{Test: "a#b", Verdict: "bad luck"}}},
		"no test":         {Version: job.Version, Tests: []job.TestReport{{Verdict: suite.Victim}}},
		"no such place": {Version: job.Version,
			Tests: []job.TestReport{{Test: "a#b", Verdict: suite.Victim, Patches: []job.Patch{{Location: "here"}}}}},
		"no such setting": {Version: job.Version, Alternative: &job.Alternative{Setting: "bail: true"}},
		"no such reason":  {Version: job.Version, Tests: []job.TestReport{{Test: "a#b", Verdict: suite.Victim, Unpatched: "bad luck"}}},
		"no such price":   {Version: job.Version, Cost: job.Cost{Questions: map[suite.Price]int{"free": 1}}},
	} {
		if fits(s, r) == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// TestKeptReportsFitTheSchema checks reports that the program writes.
func TestKeptReportsFitTheSchema(t *testing.T) {
	s := compiled(t)
	d := newWorkspace(t)
	d.write(t, javaFile, "// caf\xe9\n2\n")
	d.verdict("a.A#a", suite.Victim, d.proved(t, javaFile, "x", "a.A#a"))
	for i := range d.report.Tests[0].Patches {
		d.report.Tests[0].Patches[i].Kind = "helper"
	}
	out := t.TempDir()
	d.run(t.Context(), "fix", d.dir, "--test", "a", "--out", out, "--format", "json")
	kept, err := os.ReadFile(filepath.Join(out, "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"kept": kept, "printed": d.stdout.Bytes()} {
		if err := validates(s, text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	d.run(t.Context(), "fix", t.TempDir(), "--format", "json")
	if err := validates(s, d.stdout.Bytes()); err != nil {
		t.Errorf("an error: %v", err)
	}
}

func fits(s *jsonschema.Schema, r *job.Report) error {
	text, err := encode(r)
	if err != nil {
		return err
	}
	return validates(s, text)
}

func validates(s *jsonschema.Schema, text []byte) error {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	return s.Validate(doc)
}

// legal has a value for each type with a fixed set of values.
var legal = map[reflect.Type]string{
	reflect.TypeFor[suite.Verdict](): string(suite.Victim), reflect.TypeFor[patch.Location](): string(patch.VictimSetup),
	reflect.TypeFor[patch.Style](): string(patch.Inline), reflect.TypeFor[suite.Provenance](): string(suite.Exact),
	reflect.TypeFor[suite.Outcome](): string(suite.Pass),
	reflect.TypeFor[suite.Price]():   string(suite.Fresh), reflect.TypeFor[job.Role](): string(job.Polluter),
	reflect.TypeFor[job.Unpatched](): string(job.NothingRestores),
}

// fill sets every field to a value.
func fill(v reflect.Value, n int) {
	switch v.Kind() {
	case reflect.String:
		if s, ok := legal[v.Type()]; ok {
			v.SetString(s)
		} else {
			v.SetString(fmt.Sprintf("text %d", n))
		}
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(n) + 1)
	case reflect.Uint8:
		v.SetUint(uint64(n))
	case reflect.Float64:
		v.SetFloat(0.5)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n+1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), n+1)
		fill(v.Index(1), n+2)
	case reflect.Map:
		key, val := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, n)
		fill(val, n)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, val)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Unix(0, 0).UTC()))
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), n+i)
			}
		}
	}
}
