package config

import (
	"fmt"
	"reflect"
	"strings"
)

// SchemaURL is where editors find the schema.
const SchemaURL = "https://raw.githubusercontent.com/odfix/odfix/main/docs/odfix-yml.schema.json"

// templateWidth is the number of columns of a comment in the template.
const templateWidth = 100

// Template is a new file: the line that names the schema for editors, the version, and every setting
// of a repository with its default value, as comments.
func Template() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# yaml-language-server: $schema=%s\n", SchemaURL)
	b.WriteString("# Settings of odfix. Each is optional: remove the # before those that you change.\n" +
		"# `odfix config check` checks this file.\n\n")
	fmt.Fprintf(&b, "version: %d\n", Version)
	defaults := Defaults()
	for f := range fields(reflect.TypeFor[Config]()) {
		if key := f.Tag.Get("yaml"); key != "version" && key != "policy" { // only an organisation has a policy
			b.WriteString("\n")
			sample(&b, f, reflect.ValueOf(defaults).FieldByIndex(f.Index), "")
		}
	}
	return b.String()
}

// sample writes a setting as a comment. A setting without a value of its own is empty.
func sample(b *strings.Builder, f reflect.StructField, v reflect.Value, indent string) {
	line := "#"
	for _, word := range strings.Fields(f.Tag.Get("doc")) {
		if len("# "+indent)+len(line)+1+len(word) > templateWidth {
			fmt.Fprintf(b, "# %s%s\n", indent, line)
			line = "#"
		}
		line += " " + word
	}
	fmt.Fprintf(b, "# %s%s\n", indent, line)
	key := f.Tag.Get("yaml")
	switch {
	case f.Type.Kind() == reflect.Struct:
		fmt.Fprintf(b, "# %s%s:\n", indent, key)
		for inner := range fields(f.Type) {
			sample(b, inner, v.FieldByIndex(inner.Index), indent+"  ")
		}
	case f.Type.Kind() == reflect.Slice:
		var items []string
		for i := range v.Len() {
			items = append(items, scalar(v.Index(i)))
		}
		fmt.Fprintf(b, "# %s%s: [%s]\n", indent, key, strings.Join(items, ", "))
	case v.IsZero() && v.Kind() == reflect.Int: // odfix or the build chooses
		fmt.Fprintf(b, "# %s# %s: %s\n", indent, key, f.Tag.Get("min"))
	default:
		fmt.Fprintf(b, "# %s%s: %s\n", indent, key, scalar(v))
	}
}
