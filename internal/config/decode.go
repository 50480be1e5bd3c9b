package config

import (
	"cmp"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// decoder fills a Config from nodes and records where each setting is.
type decoder struct {
	file     string
	problems []Problem
	given    map[string]Origin
	size     int64 // of the file, in bytes
}

// layer is a decoded file.
type layer struct {
	Source
	config   Config
	given    map[string]Origin // its settings, by path
	problems []Problem
}

func decodeLayer(s Source) layer {
	d := &decoder{file: s.File, given: map[string]Origin{}, size: max(s.Size, int64(len(s.Text)))}
	l := layer{Source: s}
	if s.Where == Misnamed {
		d.add(1, 1, "", "odfix does not read a file of this name", "Rename it to "+FileName+".")
		l.given, l.problems = d.given, d.problems
		return l
	}
	if n := d.parse(s.Text); n != nil {
		d.value(n, reflect.ValueOf(&l.config).Elem(), "", "")
	}
	sortProblems(d.problems)
	l.given, l.problems = d.given, d.problems
	return l
}

func (d *decoder) full() bool { return len(d.problems) >= maxProblems }

func (d *decoder) add(line, column int, path, message, hint string) {
	if !d.full() {
		d.problems = append(d.problems, Problem{d.file, max(line, 1), max(column, 1), path, message, hint})
	}
}

func (d *decoder) at(n *yaml.Node, path, message, hint string) {
	d.add(n.Line, n.Column, path, message, hint)
}

// value decodes a node into v, a field with the tag.
func (d *decoder) value(n *yaml.Node, v reflect.Value, path string, tag reflect.StructTag) {
	switch v.Kind() {
	case reflect.Struct:
		d.structure(n, v, path)
	case reflect.Slice:
		d.list(n, v, path)
	case reflect.Bool:
		d.boolean(n, v, path)
	case reflect.Int:
		d.number(n, v, path, tag)
	case reflect.String:
		d.text(n, v, path)
	default:
		panic("config: no way to decode " + v.Type().String())
	}
}

// structure decodes a mapping, key by key.
func (d *decoder) structure(n *yaml.Node, v reflect.Value, path string) {
	if short := shorthand(v); short.IsValid() && n.Kind == yaml.ScalarNode {
		d.value(n, short, path, "")
		return
	}
	if n.Kind != yaml.MappingNode {
		d.wrongKind(n, path, "a group of settings", "Write its keys below it, indented: "+strings.Join(keysOf(v.Type()), ", ")+".")
		return
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content) && !d.full(); i += 2 {
		key, val := n.Content[i], n.Content[i+1]
		field, ok := fieldOf(v.Type(), key)
		if !ok {
			d.unknown(key, v.Type(), path)
			continue
		}
		if line, again := seen[key.Value]; again {
			d.at(key, join(path, key.Value), fmt.Sprintf("%s appears a second time here; the first is in line %d",
				key.Value, line), "Keep one of them.")
			continue
		}
		seen[key.Value] = key.Line
		d.given[join(path, key.Value)] = Origin{d.file, key.Line, key.Column}
		d.value(val, v.FieldByIndex(field.Index), join(path, key.Value), field.Tag)
	}
	d.required(n, v.Type(), path, seen)
}

func (d *decoder) required(n *yaml.Node, t reflect.Type, path string, seen map[string]int) {
	for f := range fields(t) {
		if name := f.Tag.Get("yaml"); f.Tag.Get("required") != "" && seen[name] == 0 {
			d.at(n, path, fmt.Sprintf("%s has no %s", path, name), "Add it: "+f.Tag.Get("doc"))
		}
	}
}

// shorthand returns the field that a single text sets, or the zero Value.
func shorthand(v reflect.Value) reflect.Value {
	if m, ok := v.Addr().Interface().(*Module); ok {
		return reflect.ValueOf(&m.Path).Elem()
	}
	return reflect.Value{}
}

func (d *decoder) list(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind != yaml.SequenceNode {
		d.wrongKind(n, path, "a list", "Write each item in a line of its own, after a dash.")
		return
	}
	if len(n.Content) > maxItems {
		d.at(n, path, fmt.Sprintf("%s has %d items, and %d is the most", path, len(n.Content), maxItems),
			"Patterns with * can replace long lists.")
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content)))
	for i, item := range n.Content {
		d.value(item, v.Index(i), path+"["+strconv.Itoa(i)+"]", "")
		if v.Type().Elem().Kind() == reflect.String && item.Kind == yaml.ScalarNode {
			d.twice(n.Content[:i], item, path)
		}
	}
}

// twice reports texts that are in a list twice.
func (d *decoder) twice(before []*yaml.Node, item *yaml.Node, path string) {
	if strings.HasSuffix(path, "command") {
		return // a word may be repeated
	}
	for _, b := range before {
		if b.Kind == yaml.ScalarNode && b.Value == item.Value {
			d.at(item, path, fmt.Sprintf("%s holds %q twice; the first is in line %d", path, item.Value, b.Line), "Keep one of them.")
			return
		}
	}
}

func (d *decoder) boolean(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" {
		d.wrongKind(n, path, "true or false", "Write true or false, without quotes.")
		return
	}
	v.SetBool(strings.EqualFold(n.Value, "true"))
}

// plainNumber excludes the numbers that YAML 1.1 reads differently, such as 010 and 1_000.
var plainNumber = regexp.MustCompile(`^(0|-?[1-9][0-9]{0,8})$`)

func (d *decoder) number(n *yaml.Node, v reflect.Value, path string, tag reflect.StructTag) {
	least, most := bounds(tag)
	allowed := fmt.Sprintf("Write a whole number from %d to %d, without quotes.", least, most)
	if least == most {
		allowed = fmt.Sprintf("Write %d.", least)
	}
	if i, err := strconv.Atoi(n.Value); path == "version" && err == nil && i > most {
		d.at(n, path, fmt.Sprintf("version is %d, and this odfix reads version %d", i, most),
			fmt.Sprintf("A newer odfix may read it: upgrade odfix, or write %d.", most))
		return
	}
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!int" || !plainNumber.MatchString(n.Value) {
		d.wrongKind(n, path, "a whole number", allowed)
		return
	}
	i, err := strconv.Atoi(n.Value)
	if err != nil || i < least || i > most {
		d.at(n, path, fmt.Sprintf("%s is %s", path, n.Value), allowed)
		return
	}
	v.SetInt(int64(i))
}

func (d *decoder) text(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind != yaml.ScalarNode || (n.ShortTag() != "!!str" && n.ShortTag() != "!!timestamp") {
		hint := "Write a text."
		if n.Kind == yaml.ScalarNode && !isNull(n) {
			hint = fmt.Sprintf("Put it in quotes: %q.", n.Value)
		}
		if enum := rules[v.Type()].enum; enum != nil {
			hint = "It can be " + alternatives(enum) + "."
		}
		d.wrongKind(n, path, "a text", hint)
		return
	}
	r := rules[v.Type()]
	switch {
	case r.allows(n.Value):
		v.SetString(n.Value)
	case r.enum != nil:
		d.at(n, path, fmt.Sprintf("%s cannot be %s", path, quoted(n.Value)), suggestion(n.Value, r.enum))
	case len([]rune(n.Value)) > maxText:
		d.at(n, path, fmt.Sprintf("%s has more than %d characters", path, maxText), "Shorten it.")
	case n.Value == "":
		d.at(n, path, path+" is empty", r.hint)
	default:
		d.at(n, path, fmt.Sprintf("%s is %s, which %s", path, quoted(n.Value), r.wrong), r.hint)
	}
}

// wrongKind reports a node of another kind than expected.
func (d *decoder) wrongKind(n *yaml.Node, path, want, hint string) {
	path = cmp.Or(path, "the file")
	got := "a group of settings"
	switch {
	case isNull(n):
		d.at(n, path, path+" has no value", hint+" Or remove the key.")
		return
	case n.Kind == yaml.SequenceNode:
		got = "a list"
	case n.Kind == yaml.ScalarNode && n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0:
		got = "the text " + quoted(n.Value)
	case n.Kind == yaml.ScalarNode:
		got = quoted(n.Value)
	}
	d.at(n, path, fmt.Sprintf("%s is %s, not %s", path, got, want), hint)
}

// quoted shortens an untrusted text to one line.
func quoted(s string) string {
	if r := []rune(s); len(r) > 40 {
		s = string(r[:40]) + "…"
	}
	return strconv.Quote(s)
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
