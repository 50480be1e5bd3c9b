package config

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
)

// Where is the place a file was found in.
type Where int

// The places, the strongest first.
const (
	Repository   Where = iota // .odfix.yml at the top
	GitHubFolder              // .github/.odfix.yml
	Organisation              // .odfix.yml of the organisation's .github repository
)

// FileName is the file's name in each place.
const FileName = ".odfix.yml"

// PathIn is the file's path inside the repository that holds it.
func (w Where) PathIn() string {
	if w == GitHubFolder {
		return ".github/" + FileName
	}
	return FileName
}

// Source is a file that was found, and the name to show for it.
type Source struct {
	Where Where
	File  string // empty: Where.PathIn()
	Text  []byte
}

// Origin is where a setting was given; the zero Origin is a default.
type Origin struct {
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}

// String is file:line, or "default".
func (o Origin) String() string {
	if o.File == "" {
		return "default"
	}
	return fmt.Sprintf("%s:%d", o.File, o.Line)
}

// Refused is a wish that the organisation's policy does not grant.
type Refused struct {
	Path   string `json:"path"`
	Origin Origin `json:"origin"` // where it was asked
	Reason string `json:"reason"` // a sentence
	Policy Origin `json:"policy"` // what refuses it
}

// Resolved is what holds for a repository.
type Resolved struct {
	// Config holds; with Problems it is switched off, since a file that is
	// half understood might have said so.
	Config   Config
	Origins  map[string]Origin // by the path of each setting
	Refused  []Refused
	Problems []Problem
}

// Resolve puts a repository's files together. Each setting comes from the
// strongest file that gives it: the repository's, then its .github folder's,
// then the organisation's, then Defaults. A list counts as one setting. What the
// organisation's policy forbids is taken out last.
func Resolve(sources ...Source) Resolved {
	sources = slices.Clone(sources)
	slices.SortStableFunc(sources, func(a, b Source) int { return cmp.Compare(a.Where, b.Where) })
	out := Resolved{Config: Defaults(), Origins: map[string]Origin{}}
	for i := len(sources) - 1; i >= 0; i-- { // the weakest first, so that stronger ones overwrite it
		s := sources[i]
		if s.File == "" {
			s.File = s.Where.PathIn()
		}
		l := decodeLayer(s)
		l.homePolicy()
		out.Problems = append(l.problems, out.Problems...)
		overlay(reflect.ValueOf(&out.Config).Elem(), reflect.ValueOf(l.config), "", l.given, out.Origins)
	}
	if len(out.Problems) > 0 {
		out.Config = Defaults()
		out.Config.Enabled = false
		return out
	}
	out.govern(sources)
	return out
}

// homePolicy refuses a policy outside of the organisation's file: a repository
// must not be able to say what binds it.
func (l *layer) homePolicy() {
	if at, ok := l.given["policy"]; ok && l.Where != Organisation {
		l.problems = append(l.problems, Problem{l.File, at.Line, at.Column, "policy",
			"policy stands in a repository's own file, and only the organisation can set it",
			"Move it to " + FileName + " in the organisation's .github repository."})
		sortProblems(l.problems)
	}
}

// overlay copies the settings that a file gives onto what holds so far.
func overlay(to, from reflect.Value, path string, given, origins map[string]Origin) {
	for f := range fields(to.Type()) {
		p := join(path, f.Tag.Get("yaml"))
		origin, ok := given[p]
		if !ok {
			continue
		}
		if f.Type.Kind() == reflect.Struct {
			overlay(to.FieldByIndex(f.Index), from.FieldByIndex(f.Index), p, given, origins)
			continue
		}
		to.FieldByIndex(f.Index).Set(from.FieldByIndex(f.Index))
		origins[p] = origin
	}
}
