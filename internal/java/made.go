package java

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/odfix/odfix/internal/java/workbench"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/state"
)

// Bounds of the proposals that are accepted without a trial, since they cannot have a switch.
const (
	madeUntried = 2 // for one state: proposals with saved fields, and as many with several statements
	madeSeveral = 4 // map entries that one proposal undoes one by one
)

// priced is a statement that may restore state. The lower its price, the likelier it does.
type priced struct {
	patch.Made
	price int
}

// madeFor converts the statements that the workbench found for one state. It adds combinations of
// several of them.
func madeFor(place string, found []workbench.Reset, changes []workbench.Change, more int) []priced {
	var out []priced
	saved, led := 0, 0
	for _, s := range found {
		if len(s.Fields) > 0 {
			saved++
		}
		if len(s.Lead) > 0 {
			led++
		}
		if len(s.Fields) > 0 && saved > madeUntried || len(s.Lead) > 0 && led > madeUntried {
			continue
		}
		out = append(out, priced{patch.Made{Fields: s.Fields, Statements: append(slices.Clone(s.Lead), s.Statement),
			Resets: place, Reflects: s.Reflects()}, s.Price + more})
	}
	return append(out, oneByOne(place, out, changes)...)
}

// oneByOne returns statements that undo several entries of a map. They differ only in the key.
func oneByOne(place string, single []priced, changes []workbench.Change) []priced {
	keys := stringKeys(changes)
	if len(keys) < 2 || len(keys) > madeSeveral {
		return nil
	}
	has := func(statement string) bool {
		return slices.ContainsFunc(single, func(p priced) bool { return len(p.Fields) == 0 && p.Statements[0] == statement })
	}
	var out []priced
	for _, p := range single {
		if len(out) == madeUntried || len(p.Fields) > 0 || len(p.Statements) > 1 || strings.Count(p.Statements[0], keys[0]) != 1 {
			continue
		}
		all := []string{p.Statements[0]}
		for _, key := range keys[1:] {
			if s := strings.Replace(p.Statements[0], keys[0], key, 1); has(s) {
				all = append(all, s)
			}
		}
		if len(all) == len(keys) {
			out = append(out, priced{patch.Made{Statements: all, Resets: place}, p.price - 1})
		}
	}
	return out
}

// stringKeys returns the last key of each changed path that ends with a text as key. The keys are
// quoted.
func stringKeys(changes []workbench.Change) []string {
	var out []string
	for _, c := range changes {
		at := strings.LastIndex(c.Path, `["`)
		if at < 0 || !strings.HasSuffix(c.Path, `"]`) {
			continue
		}
		if key := c.Path[at+1 : len(c.Path)-1]; len(key) > 2 && !slices.Contains(out, key) {
			out = append(out, key)
		}
	}
	return out
}

// ofProcess returns the statement that restores state of the process. is reports whether place
// names such state. odfix knows the value that a brittle test needs only for a system property.
func ofProcess(place string, preset func(string) bool, brittle bool, changes []state.Change) (made *patch.Made, is bool) {
	m := restoring(place, preset)
	if m == nil || !brittle {
		return m, m != nil
	}
	key, property := strings.CutPrefix(place, propertyPlace)
	for _, c := range changes {
		value, err := strconv.Unquote(c.After) // the state agent escapes texts as Go does
		if property && c.Field == place && strings.HasPrefix(c.After, `"`) && err == nil && !strings.Contains(value, "…") {
			return &patch.Made{Statements: []string{"System.setProperty(" + javaString(key) + ", " +
				javaString(value) + ");"}, Resets: place}, true
		}
	}
	return nil, true
}

// annotated returns annotations of JUnit Pioneer that restore state of the process after every test
// of the polluter's class. The editor knows whether the project has JUnit Pioneer.
func annotated(place string) []patch.Made {
	if !strings.HasPrefix(place, propertyPlace) {
		return nil
	}
	return []patch.Made{{Annotate: []string{"org.junitpioneer.jupiter.RestoreSystemProperties"}, Resets: place}}
}

// renewing returns Spring's annotation for the polluter. It restores every bean, whatever its state
// is, and costs a new context, so it comes last. The editor knows whether Spring runs the test.
func renewing(q project.ResetQuery) []patch.Made {
	if q.Cause.Brittle() || !q.Reset {
		return nil
	}
	return []patch.Made{{Annotate: []string{patch.DirtiesContext}, Resets: "the beans of Spring's context"}}
}

// likeliest returns the first proposals by price, without duplicates.
func likeliest(all []priced) []patch.Made {
	slices.SortStableFunc(all, func(a, b priced) int { return cmp.Compare(a.price, b.price) })
	var out []patch.Made
	for _, p := range all[:min(resetsAll, len(all))] {
		same := func(m patch.Made) bool {
			return slices.Equal(m.Statements, p.Statements) && slices.Equal(m.Fields, p.Fields) && slices.Equal(m.Annotate, p.Annotate)
		}
		if !slices.ContainsFunc(out, same) {
			out = append(out, p.Made)
		}
	}
	return out
}
