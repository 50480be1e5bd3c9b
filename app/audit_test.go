package main

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/store/storetest"
)

const auditSchema = "../docs/audit.schema.json"

// TestAuditSchema checks that the schema has exactly the fields of a record, each with a description.
func TestAuditSchema(t *testing.T) {
	text, err := os.ReadFile(auditSchema)
	if err != nil {
		t.Fatal(err)
	}
	var s map[string]any
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	var compare func(string, reflect.Type, map[string]any)
	compare = func(where string, typ reflect.Type, schema map[string]any) {
		switch {
		case typ.Kind() == reflect.Slice:
			compare(where+"[]", typ.Elem(), schema["items"].(map[string]any))
		case typ == reflect.TypeFor[store.Audit](), typ == reflect.TypeFor[store.AuditHost]():
			compareFields(t, where, typ, schema, compare)
		}
	}
	compare("audit", reflect.TypeFor[store.Audit](), s)
}

// TestAttackAuditOutput: each line of `odfix audit` is JSON of the schema and plain ASCII. Foreign
// texts neither add lines nor reach the terminal.
func TestAttackAuditOutput(t *testing.T) {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	schema, err := c.Compile(auditSchema)
	if err != nil {
		t.Fatal(err)
	}
	storetest.Each(t, func(t *testing.T, place string) {
		evil := "retry \x1b]0;x\a\u202e\u2028\r\n{\"event\":\"asked\"}\x7f\u009b2J 🙂\xff\x00"
		s := storetest.Open(t, place, store.Options{})
		for n := range 3 {
			if err := s.Do(t.Context(), func(tx *store.Tx) error {
				_, err := tx.Record(store.Audit{Event: store.AuditAsked, Installation: int64(n + 1), Login: evil, Command: evil,
					Hosts: []store.AuditHost{{Host: evil, Times: n}}})
				return err
			}); err != nil {
				t.Fatal(err)
			}
		}
		for args, want := range map[string]int{"": 3, "--installation 2": 1, "--since 1h": 3, "--until 1h": 0, "--since 2020-01-01T00:00:00Z --repository 7": 0} {
			d := newWorkspace(t)
			d.clock = time.Now
			status := d.run(t.Context(), append([]string{"audit", "--database-url", place}, strings.Fields(args)...)...)
			out := d.stdout.String()
			if status != exitOK || strings.Count(out, "\n") != want {
				t.Errorf("%s: status %d, %d lines: %s%s", args, status, strings.Count(out, "\n"), out, &d.stderr)
			}
			for line := range strings.Lines(out) {
				if i := strings.IndexFunc(line[:len(line)-1], func(r rune) bool { return r < ' ' || r > '~' }); i >= 0 {
					t.Errorf("%q at %d", line, i)
				}
				var a store.Audit
				v, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
				if err == nil {
					err = schema.Validate(v)
				}
				if jerr := json.Unmarshal([]byte(line), &a); err != nil || jerr != nil || a.Login != strings.ToValidUTF8(evil, "") {
					t.Errorf("%v, %v: %q", err, jerr, a.Login)
				}
			}
		}
	})
}

// TestAuditRefuses checks what cannot be read, and that nothing is made then.
func TestAuditRefuses(t *testing.T) {
	missing := t.TempDir() + "/odfix.db"
	for args, want := range map[string]int{"--database-url " + missing: exitError, "--since yesterday": exitUsage, "--until 3": exitUsage} {
		d := newWorkspace(t)
		if status := d.run(t.Context(), append([]string{"audit"}, strings.Fields(args)...)...); status != want || d.stdout.Len() > 0 {
			t.Errorf("%s: status %d: %s", args, status, &d.stderr)
		}
	}
	if _, err := os.Stat(missing); err == nil {
		t.Error("it made the database")
	}
}

// TestKeepFlags checks the limits of how long records are kept.
func TestKeepFlags(t *testing.T) {
	for _, c := range []struct {
		o  keepOptions
		ok bool
	}{{keepOptions{90, 14, 365}, true}, {keepOptions{1, 4, 1}, true}, {keepOptions{90, 3, 365}, false},
		{keepOptions{0, 14, 365}, false}, {keepOptions{90, 14, -1}, false}, {keepOptions{90, 14, 1 << 40}, false}} {
		if err := c.o.complete(); (err == nil) != c.ok {
			t.Error(fmt.Sprintf("%+v", c.o), err)
		}
	}
}
