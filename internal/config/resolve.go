package config

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
)

// Where is the place of a file.
type Where int

// The places, from the highest precedence to the lowest.
const (
	Repository   Where = iota // .odfix.yml at the top
	GitHubFolder              // .github/.odfix.yml
	Organisation              // .odfix.yml of the organisation's .github repository
	Misnamed                  // .odfix.yaml at the top, which is read only to say that it is no configuration
)

// FileName is the file's name in each place.
const FileName = ".odfix.yml"

// PathIn is the file's path in its repository.
func (w Where) PathIn() string {
	switch w {
	case GitHubFolder:
		return ".github/" + FileName
	case Misnamed:
		return ".odfix.yaml"
	}
	return FileName
}

// Source is a file with the name to show for it.
type Source struct {
	Where Where
	File  string // empty: Where.PathIn()
	Text  []byte
	Size  int64 // in bytes, if Text is only the beginning of a file that is too large; zero: that of Text
}

// Origin is the place of a setting. The zero Origin means the default.
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

// Refused is a setting that the organisation's policy forbids.
type Refused struct {
	Path   string `json:"path"`
	Origin Origin `json:"origin"` // of the setting
	Reason string `json:"reason"` // a sentence
	Policy Origin `json:"policy"` // of the policy
}

// Resolved is the resulting configuration of a repository.
type Resolved struct {
	// Config is disabled if there are Problems: the part of a file that cannot be read could
	// disable it.
	Config   Config
	Origins  map[string]Origin // by the path of each setting
	Refused  []Refused
	Problems []Problem
}

// Resolve combines a repository's files. Each setting comes from the first file that has it: the
// repository's, then that of its .github folder, then the organisation's, then Defaults. A list is
// one setting. The organisation's policy is applied last.
func Resolve(sources ...Source) Resolved {
	sources = slices.Clone(sources)
	slices.SortStableFunc(sources, func(a, b Source) int { return cmp.Compare(a.Where, b.Where) })
	out := Resolved{Config: Defaults(), Origins: map[string]Origin{}}
	for i := len(sources) - 1; i >= 0; i-- { // the lowest precedence first
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

// homePolicy refuses a policy outside of the organisation's file.
func (l *layer) homePolicy() {
	if at, ok := l.given["policy"]; ok && l.Where != Organisation {
		l.problems = append(l.problems, Problem{l.File, at.Line, at.Column, "policy",
			"policy is in a repository's own file, and only the organisation can set it",
			"Move it to " + FileName + " in the organisation's .github repository."})
		sortProblems(l.problems)
	}
}

// overlay copies the settings of a file over those of files with lower precedence.
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
