package config

import (
	"encoding/json"
	"maps"
	"reflect"
)

// SchemaID names the schema. A change of its meaning needs a new id.
const SchemaID = "urn:odfix:config:1"

// Schema is the JSON Schema of the file, from the types and rules. Draft 7 is the newest that all
// YAML editors support.
func Schema() ([]byte, error) {
	s := structSchema(reflect.TypeFor[Config]())
	s["$schema"] = "http://json-schema.org/draft-07/schema#"
	s["$id"] = SchemaID
	s["title"] = FileName + ", version 1"
	s["description"] = "Settings of odfix for a repository. Every setting is optional."
	text, err := json.MarshalIndent(s, "", "  ")
	return append(text, '\n'), err
}

func structSchema(t reflect.Type) map[string]any {
	props, required := map[string]any{}, []string{}
	for f := range fields(t) {
		p := typeSchema(f.Type, f.Tag)
		p["description"] = f.Tag.Get("doc")
		if d, ok := defaultOf(f, t); ok {
			p["default"] = d
		}
		if f.Tag.Get("yaml") == "command" {
			delete(p, "uniqueItems")
		}
		props[f.Tag.Get("yaml")] = p
		if f.Tag.Get("required") != "" {
			required = append(required, f.Tag.Get("yaml"))
		}
	}
	s := map[string]any{"type": "object", "additionalProperties": false, "properties": props}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

func typeSchema(t reflect.Type, tag reflect.StructTag) map[string]any {
	switch t.Kind() {
	case reflect.Struct:
		s := structSchema(t)
		if short := shorthand(reflect.New(t).Elem()); short.IsValid() {
			return map[string]any{"anyOf": []any{typeSchema(short.Type(), ""), s}}
		}
		return s
	case reflect.Slice:
		return map[string]any{"type": "array", "maxItems": maxItems, "items": typeSchema(t.Elem(), ""),
			"uniqueItems": t.Elem().Kind() == reflect.String}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int:
		least, most := bounds(tag)
		return map[string]any{"type": "integer", "minimum": least, "maximum": most}
	}
	return textSchema(rules[t])
}

func textSchema(r rule) map[string]any {
	if r.enum != nil {
		return map[string]any{"type": "string", "enum": r.enum}
	}
	s := map[string]any{"type": "string", "minLength": 1, "maxLength": maxText, "pattern": r.pattern}
	if r.not != "" {
		s["not"] = map[string]any{"pattern": r.not}
	}
	if r.format != "" {
		s["format"] = r.format
	}
	return s
}

// defaultOf is the default of a field.
func defaultOf(f reflect.StructField, in reflect.Type) (any, bool) {
	for path, v := range maps.All(leaves(Defaults())) {
		if path.owner == in && path.name == f.Tag.Get("yaml") && (!v.IsZero() || v.Kind() == reflect.Bool) {
			return v.Interface(), true
		}
	}
	return nil, false
}

type leaf struct {
	owner reflect.Type
	name  string
}

// leaves are the settings of a Config that are not groups.
func leaves(c Config) map[leaf]reflect.Value {
	out := map[leaf]reflect.Value{}
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		for f := range fields(v.Type()) {
			if fv := v.FieldByIndex(f.Index); f.Type.Kind() == reflect.Struct {
				walk(fv)
			} else {
				out[leaf{v.Type(), f.Tag.Get("yaml")}] = fv
			}
		}
	}
	walk(reflect.ValueOf(c))
	return out
}
