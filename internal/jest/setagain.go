package jest

import (
	"regexp"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/state"
)

// setAgain adds calls that set the state of a module to what it was, by the functions with which the
// test's file sets it: configure({ mode: 'fast' }) where a test calls configure({ mode: 'slow' }), and
// setMode('fast') where one calls setMode('slow').
func (s *seenState) setAgain() {
	if s.brittle {
		return
	}
	for _, set := range s.f.o.Setters {
		root, _, _ := strings.Cut(set.Path, ".")
		if root == "expect" || root == "jest" || slices.Contains(s.f.test.locals(), root) {
			continue
		}
		var values []string
		for _, c := range s.changes {
			good, ok := literalOf(c)
			good = s.f.o.quoted(good)
			name := lastName(c.Path)
			switch {
			case !ok:
			case slices.Contains(set.Keys, name):
				if property := name + ": " + good; !slices.Contains(values, property) {
					values = append(values, property)
				}
			case len(set.Keys) == 0 && (set.Value != "" && set.Value == c.After || calledAfter(set.Path, name)):
				s.say(set.Path + "(" + good + ")")
			}
		}
		if len(values) > 0 {
			s.say(set.Path + "({ " + strings.Join(values, ", ") + " })")
		}
	}
}

// literalOf is what a path held before, if that can be written.
func literalOf(c state.Change) (string, bool) {
	if c.Before == empty {
		return `""`, true
	}
	return c.Before, c.Before != absent && literal.MatchString(c.Before)
}

// lastName is the name at the end of a path; "" if it ends otherwise.
func lastName(path string) string {
	name := path[strings.LastIndexByte(path, '.')+1:]
	if !identifier.MatchString(name) {
		return ""
	}
	return name
}

// setting is what begins the names of functions that set something.
var setting = regexp.MustCompile(`^(set|use|change|update|select|with)`)

// calledAfter reports whether a function has the name of what it sets: setMode of mode or _mode.
func calledAfter(path, name string) bool {
	called := setting.ReplaceAllString(path[strings.LastIndexByte(path, '.')+1:], "")
	name = strings.Trim(name, "_$#")
	return name != "" && strings.EqualFold(called, name)
}
