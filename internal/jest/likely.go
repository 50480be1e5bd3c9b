package jest

import (
	"regexp"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/jest/jestid"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// Which statements come first, and which last: what hardly matters does not crowd out what may.

// anew are the variables to which a beforeEach around the test gives a value of its own, by file
// and name: what an earlier test leaves in them hardly reaches this one.
func (f *found) anew() map[string]bool {
	declared := map[string]int{}
	for _, b := range f.blocks {
		for _, name := range b.Declares {
			declared[name]++
		}
	}
	out := map[string]bool{}
	for _, b := range f.blocks {
		for _, h := range b.Hooks {
			if h.Name != "beforeEach" || h.Fn == nil {
				continue
			}
			for _, s := range h.Fn.Statements {
				m := givesValue.FindStringSubmatch(f.o.source(s))
				if m != nil && declared[m[1]] == 1 && !slices.Contains(h.Fn.Declares, m[1]) && !mentions(m[2], m[1]) {
					out[f.o.file+" "+m[1]] = true
				}
			}
		}
	}
	return out
}

// givesValue is a statement that assigns a variable, and what it assigns.
var givesValue = regexp.MustCompile(`^([A-Za-z_$][\w$]*)\s*=([^=>][\s\S]*)$`)

// assigned reports whether the state is a variable of the test's file that is assigned before the
// failing test.
func (r *resets) assigned(t suite.TestID, field string) bool {
	kind, place, _ := strings.Cut(field, " ")
	file, name := variableOf(place)
	return kind == "var" && file == jestid.File(t) && r.anew[file+" "+name]
}

// withoutInner leaves out what differs inside of an object that was not there before: all of it
// goes with the object.
func withoutInner(changes []state.Change) []state.Change {
	return slices.DeleteFunc(slices.Clone(changes), func(c state.Change) bool {
		return slices.ContainsFunc(changes, func(outer state.Change) bool {
			nothing := outer.Before == absent || outer.Before == "undefined" || outer.Before == "null"
			rest, inside := strings.CutPrefix(c.Path, outer.Path)
			return nothing && inside && rest != "" && strings.ContainsRune(".[", rune(rest[0]))
		})
	})
}

// maxOfEach is how many statements for one piece of state come before those for all others.
const maxOfEach = 8

// fewOfEach puts the statements of each piece of state beyond the first few to the end.
func fewOfEach(made []patch.Made) []patch.Made {
	n := map[string]int{}
	var out, rest []patch.Made
	for _, m := range made {
		if n[m.Resets]++; n[m.Resets] > maxOfEach && m.Switchable() {
			rest = append(rest, m)
		} else {
			out = append(out, m)
		}
	}
	return append(out, rest...)
}
