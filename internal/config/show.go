package config

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// YAML prints the configuration as a valid file. A comment at each setting names its origin.
// Settings that are empty by default are left out.
func (r Resolved) YAML() string {
	c := r.Config
	c.NeverPatch = c.NeverPatch[:len(c.NeverPatch)-len(c.Policy.NeverPatch)] // they are printed in the policy
	var b strings.Builder
	r.group(&b, reflect.ValueOf(c), "", "")
	return b.String()
}

func (r Resolved) group(b *strings.Builder, v reflect.Value, path, indent string) {
	for f := range fields(v.Type()) {
		key, fv := f.Tag.Get("yaml"), v.FieldByIndex(f.Index)
		p := join(path, key)
		if f.Type.Kind() == reflect.Struct {
			var inner strings.Builder
			if r.group(&inner, fv, p, indent+"  "); inner.Len() > 0 {
				fmt.Fprintf(b, "%s%s:\n%s", indent, key, &inner)
			}
			continue
		}
		origin, given := r.Origins[p]
		if fv.IsZero() && !given && fv.Kind() != reflect.Bool {
			continue
		}
		head := fmt.Sprintf("%s%s:", indent, key)
		if fv.Kind() != reflect.Slice {
			head += " " + scalar(fv)
		} else if fv.Len() == 0 {
			head += " []"
		}
		fmt.Fprintf(b, "%-36s # %s%s\n", head, origin, r.refusedAt(p))
		items(b, fv, indent+"  ")
	}
}

func (r Resolved) refusedAt(path string) string {
	for _, x := range r.Refused {
		if x.Path == path {
			return "; " + x.Reason
		}
	}
	return ""
}

// items prints a list, one item a line.
func items(b *strings.Builder, v reflect.Value, indent string) {
	if v.Kind() != reflect.Slice {
		return
	}
	for i := range v.Len() {
		item := v.Index(i)
		if item.Kind() != reflect.Struct {
			fmt.Fprintf(b, "%s- %s\n", indent, scalar(item))
			continue
		}
		lead := "- "
		for f := range fields(item.Type()) {
			fv := item.FieldByIndex(f.Index)
			switch {
			case fv.IsZero():
				continue
			case fv.Kind() == reflect.Slice:
				fmt.Fprintf(b, "%s%s%s:\n", indent, lead, f.Tag.Get("yaml"))
				items(b, fv, indent+"    ")
			default:
				fmt.Fprintf(b, "%s%s%s: %s\n", indent, lead, f.Tag.Get("yaml"), scalar(fv))
			}
			lead = "  "
		}
	}
}

// scalar formats a value so that YAML reads it back.
func scalar(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Int:
		return strconv.FormatInt(v.Int(), 10)
	}
	if v.Type() == reflect.TypeFor[Date]() {
		return v.String() // people write days without quotes
	}
	text, err := yaml.Marshal(v.String())
	if s := strings.TrimSuffix(string(text), "\n"); err == nil && !strings.Contains(s, "\n") {
		return s
	}
	return strconv.Quote(v.String())
}
