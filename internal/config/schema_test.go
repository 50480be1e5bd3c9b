package config

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"
)

const schemaFile = "../../docs/odfix-yml.schema.json"

// TestSchemaIsPublished checks that the file in docs is generated from the types.
func TestSchemaIsPublished(t *testing.T) {
	want, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(schemaFile, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(schemaFile)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("the schema in docs is out of date (%v): run go test ./internal/config -update", err)
	}
}

func compiledSchema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	s, err := c.Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// agree compares decoder and schema on a text. It leaves out what a schema cannot see: positions,
// anchors, repeated keys, the spelling of numbers.
func agree(t *testing.T, s *jsonschema.Schema, text string, problems []Problem) {
	t.Helper()
	if len(text) > MaxBytes || oddBreak([]byte(text)) >= 0 {
		return
	}
	doc, err := document([]byte(text))
	if err != nil || doc == nil || len(doc.Content) == 0 || isNull(doc.Content[0]) {
		return
	}
	v, seen := plainValue(doc.Content[0], 1)
	if !seen {
		return
	}
	refusal := s.Validate(v)
	if (refusal == nil) != (len(problems) == 0) {
		t.Errorf("%s\nschema: %v\ndecoder: %v", text, refusal, problems)
	}
}

// plainValue returns the value that a YAML editor validates. It returns false if the text has parts
// that no schema sees.
func plainValue(n *yaml.Node, depth int) (any, bool) {
	if n.Kind == yaml.AliasNode || n.Anchor != "" || n.Style&yaml.TaggedStyle != 0 || depth > maxDepth {
		return nil, false
	}
	switch n.Kind {
	case yaml.MappingNode:
		out := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, ok := plainValue(n.Content[i], depth+1)
			val, ok2 := plainValue(n.Content[i+1], depth+1)
			word, isText := key.(string)
			if _, again := out[word]; again || !ok || !ok2 || !isText {
				return nil, false
			}
			out[word] = val
		}
		return out, true
	case yaml.SequenceNode:
		out := []any{}
		for _, c := range n.Content {
			v, ok := plainValue(c, depth+1)
			if !ok {
				return nil, false
			}
			out = append(out, v)
		}
		return out, true
	}
	switch n.ShortTag() {
	case "!!int", "!!float":
		var i int
		if !plainNumber.MatchString(n.Value) || n.Decode(&i) != nil {
			return nil, false
		}
		return i, true
	case "!!str", "!!timestamp":
		return n.Value, true
	case "!!merge":
		return nil, false
	}
	var v any
	return v, n.Decode(&v) == nil
}

// TestSchemaAndDecoderAgree compares them on thousands of files. About half of the files are valid.
func TestSchemaAndDecoderAgree(t *testing.T) {
	s := compiledSchema(t)
	right, wrong := 0, 0
	for seed := range uint64(6000) {
		w := writer{rand.New(rand.NewPCG(seed, 1)), 0.002 * float64(seed%40)}
		text := w.group(reflect.TypeFor[Config](), "")
		_, problems := Decode("f", []byte(text))
		if agree(t, s, text, problems); len(problems) == 0 {
			right++
		} else {
			wrong++
		}
	}
	if right < 1000 || wrong < 1000 {
		t.Errorf("%d right and %d wrong files: too few of one kind", right, wrong)
	}
}

// TestSchemaRefusesEachKindOfMistake checks that schema and decoder refuse each mistake.
func TestSchemaRefusesEachKindOfMistake(t *testing.T) {
	s := compiledSchema(t)
	for _, text := range []string{
		"jdk: 7", "jdk: 100", "jdk: '17'", "jdk: [17]", "jdk:", "network: yes", "network: 'true'", "version: 2", "foo: 1",
		"ci: []", "ci: {jobs: x}", "ci: {jobs: [17]}", "ci: {jobs: [a, a]}", "ci: {jobs: ['']}",
		"ci: {jobs: [' ']}", "ci: {jobs: [\"a\\nb\"]}",
		"environment: [GITHUB_TOKEN]", "environment: [DB_PASSWD]", "environment: [my_Api_Key]",
		"environment: ['TZ=UTC']", "environment: [{TZ: UTC}]",
		"never-patch: [/etc]", "never-patch: [a/../b]", "never-patch: ['C:/x']", "never-patch: ['a\\b']", "never-patch: ['a[']",
		"ignore: [{test: a}]", "ignore: [{until: 2027-01-01}]", "ignore: [{test: a, until: 2027-02-30}]",
		"ignore: [{test: a, until: soon}]", "ignore: [a]",
		"comments: {tone: loud}", "comments: {also-on: [genuine]}", "ladder: [shout]", "policy: {forbid: [fun]}",
		"tests: {modules: [{command: [x]}]}",
		"- a", "17", "true", "text", "budgets: {reruns: 1}", "environment: [" + strings.Repeat("A", maxText+1) + "]",
	} {
		_, problems := Decode("f", []byte(text))
		if agree(t, s, text, problems); len(problems) == 0 {
			t.Errorf("%s is accepted", text)
		}
	}
}

// writer generates files. Each part of a file is wrong with some probability.
type writer struct {
	*rand.Rand
	slip float64
}

func (w writer) group(t reflect.Type, indent string) string {
	var b strings.Builder
	for f := range fields(t) {
		if f.Tag.Get("required") == "" && w.IntN(3) == 0 || w.Float64() < w.slip {
			continue
		}
		key := f.Tag.Get("yaml")
		if w.Float64() < w.slip {
			key += "s"
		}
		fmt.Fprintf(&b, "%s%s: %s\n", indent, key, w.value(f.Type, f.Tag, indent))
	}
	if b.Len() == 0 {
		return indent + "{}\n"
	}
	return b.String()
}

func (w writer) value(t reflect.Type, tag reflect.StructTag, indent string) string {
	if w.Float64() < w.slip {
		return []string{"{}", "[]", "17", "true", "x", "''", "~", "[x]", "{x: y}", "1.5", "-1"}[w.IntN(11)]
	}
	switch t.Kind() {
	case reflect.Struct:
		return "\n" + w.group(t, indent+"  ")
	case reflect.Slice:
		items := []string{}
		for range w.IntN(4) {
			items = append(items, w.item(t.Elem()))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case reflect.Bool:
		return []string{"true", "false"}[w.IntN(2)]
	case reflect.Int:
		least, most := bounds(tag)
		return fmt.Sprint(least + w.IntN(most-least+1))
	}
	return w.text(t)
}

func (w writer) item(t reflect.Type) string {
	if t.Kind() == reflect.String {
		return w.text(t)
	}
	if t == reflect.TypeFor[Module]() && w.IntN(2) == 0 {
		return w.text(reflect.TypeFor[Path]())
	}
	var parts []string
	for f := range fields(t) {
		if w.Float64() >= w.slip {
			parts = append(parts, f.Tag.Get("yaml")+": "+w.value(f.Type, f.Tag, ""))
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func (w writer) text(t reflect.Type) string {
	if r := rules[t]; r.enum != nil && w.Float64() >= w.slip {
		return r.enum[w.IntN(len(r.enum))]
	}
	if t == reflect.TypeFor[Date]() && w.Float64() >= w.slip {
		return fmt.Sprintf("%04d-%02d-%02d", 2026+w.IntN(9), 1+w.IntN(12), 1+w.IntN(28))
	}
	if w.Float64() < w.slip {
		return []string{"''", "' '", "a/../b", "/x", "API_TOKEN", "'a: b'", "'1'", "2027-13-01", "\"a\\tb\"", "..", "é"}[w.IntN(11)]
	}
	return string(rune('A'+w.IntN(26))) + fmt.Sprint(w.IntN(1000))
}
