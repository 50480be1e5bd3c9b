package config

import (
	"fmt"
	"iter"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/odfix/odfix/internal/suite"
)

// fields are a struct's settings in the order of the type.
func fields(t reflect.Type) iter.Seq[reflect.StructField] {
	return func(yield func(reflect.StructField) bool) {
		for i := range t.NumField() {
			if !yield(t.Field(i)) {
				return
			}
		}
	}
}

func keysOf(t reflect.Type) []string {
	var out []string
	for f := range fields(t) {
		out = append(out, f.Tag.Get("yaml"))
	}
	return out
}

func fieldOf(t reflect.Type, key *yaml.Node) (reflect.StructField, bool) {
	for f := range fields(t) {
		if key.Kind == yaml.ScalarNode && f.Tag.Get("yaml") == key.Value {
			return f, true
		}
	}
	return reflect.StructField{}, false
}

// unknown reports an unknown key, with the nearest key or the group where the key belongs.
func (d *decoder) unknown(key *yaml.Node, t reflect.Type, path string) {
	where := "here"
	if path != "" {
		where = "in " + path
	}
	if key.Kind != yaml.ScalarNode {
		d.at(key, path, "a key must be a word", "The keys "+where+" are "+strings.Join(keysOf(t), ", ")+".")
		return
	}
	full := join(path, key.Value)
	message := fmt.Sprintf("there is no setting %s %s", quoted(key.Value), where)
	if near, ok := suite.NearestWord(key.Value, keysOf(t)); ok {
		d.at(key, full, message, fmt.Sprintf("Did you mean %s?", near))
		return
	}
	if home := homeOf(key.Value); home != "" && home != path {
		d.at(key, full, message, fmt.Sprintf("It belongs below %s:.", home))
		return
	}
	d.at(key, full, message, "The keys "+where+" are "+strings.Join(keysOf(t), ", ")+".")
}

// homeOf returns the only group with such a key. It returns "" if none or several have it.
func homeOf(key string) string {
	home := ""
	for f := range fields(reflect.TypeFor[Config]()) {
		if f.Type.Kind() != reflect.Struct {
			continue
		}
		for _, k := range keysOf(f.Type) {
			if k == key && home != "" {
				return ""
			} else if k == key {
				home = f.Tag.Get("yaml")
			}
		}
	}
	return home
}

func suggestion(word string, known []string) string {
	if near, ok := suite.NearestWord(word, known); ok {
		return "Did you mean " + near + "? It can be " + alternatives(known) + "."
	}
	return "It can be " + alternatives(known) + "."
}

func alternatives(list []string) string {
	if len(list) == 1 {
		return list[0]
	}
	return strings.Join(list[:len(list)-1], ", ") + " or " + list[len(list)-1]
}
