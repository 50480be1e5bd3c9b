package suite

import (
	"fmt"
	"sort"
	"strings"
	"unicode"
)

// Resolver finds the tests of a suite by the names that people, logs and reports give them.
type Resolver struct {
	order  Order
	syntax Syntax
	exact  map[TestID]bool
	loose  map[string][]TestID // by every looser spelling
}

// NewResolver indexes the suite. Without a syntax it knows the ids alone.
func NewResolver(s *Suite, syntax Syntax) *Resolver {
	if syntax == nil {
		syntax = idsOnly{}
	}
	r := &Resolver{order: s.Order(), syntax: syntax, exact: map[TestID]bool{}, loose: map[string][]TestID{}}
	for _, t := range r.order {
		r.exact[t] = true
		for _, k := range syntax.Spellings(t) {
			r.loose[k] = append(r.loose[k], t)
		}
	}
	return r
}

// Resolve returns the tests that fit a name, in the suite's order. It accepts ids and every
// spelling that the syntax knows. If no test fits, the error names the nearest tests.
func (r *Resolver) Resolve(name string) ([]TestID, error) {
	if found := r.Find(name); len(found) > 0 {
		return found, nil
	}
	if name = oneLine(strings.TrimSpace(name)); name == "" {
		return nil, fmt.Errorf("an empty test name")
	}
	return nil, &UnknownTestError{Name: name, Nearest: r.Nearest(name, 3)}
}

// Find is Resolve without the search for the nearest tests.
func (r *Resolver) Find(name string) []TestID {
	name = oneLine(strings.TrimSpace(name))
	if r.exact[TestID(name)] {
		return []TestID{TestID(name)}
	}
	for _, n := range r.syntax.Readings(name) {
		if found := r.loose[n]; name != "" && len(found) > 0 {
			return found
		}
	}
	return nil
}

// oneLine escapes control characters as the harness does in its ids. Reports contain them
// unescaped.
func oneLine(name string) string {
	if strings.IndexFunc(name, unicode.IsControl) < 0 {
		return name
	}
	var b strings.Builder
	for _, r := range name {
		switch i := strings.IndexRune("\t\n\r", r); {
		case i >= 0:
			b.WriteString(`\` + "tnr"[i:i+1])
		case unicode.IsControl(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Nearest returns up to n test ids whose names are most like the given one.
func (r *Resolver) Nearest(name string, n int) []TestID {
	want := strings.ToLower(r.syntax.Last(name))
	type scored struct {
		t TestID
		d int
	}
	var all []scored
	for _, t := range r.order {
		d := len(want) + len(t)
		for _, word := range r.syntax.Words(t) {
			d = min(d, Distance(want, strings.ToLower(word)))
		}
		if strings.Contains(strings.ToLower(string(t)), want) {
			d = 0
		}
		if d <= max(2, len(want)/2) {
			all = append(all, scored{t, d})
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].d < all[j].d })
	var out []TestID
	for i := 0; i < len(all) && i < n; i++ {
		out = append(out, all[i].t)
	}
	return out
}

// idsOnly is the syntax used if the language is not known.
type idsOnly struct{}

func (idsOnly) Group(t TestID) string         { return string(t) }
func (idsOnly) Unit(t TestID) string          { return string(t) }
func (idsOnly) Name(t TestID) string          { return string(t) }
func (idsOnly) Short(t TestID) string         { return string(t) }
func (idsOnly) Source(TestID) string          { return "" }
func (idsOnly) Spellings(TestID) []string     { return nil }
func (idsOnly) Readings(name string) []string { return nil }
func (idsOnly) Words(t TestID) []string       { return []string{string(t)} }
func (idsOnly) Nouns() Nouns                  { return Nouns{"class", "classes", "CLASS#METHOD", "static state"} }
func (idsOnly) Last(name string) string       { return name }

// NearestWord returns the known word with the smallest distance, if at most a third of its letters
// differ. Upper and lower case, and "-", "_" and blanks, count as equal.
func NearestWord(word string, known []string) (string, bool) {
	if len(word) > 60 {
		return "", false
	}
	simple := strings.NewReplacer("_", "", "-", "", " ", "")
	best, least := "", 1<<30
	for _, k := range known {
		if d := Distance(strings.ToLower(simple.Replace(word)), simple.Replace(k)); d < least {
			best, least = k, d
		}
	}
	return best, least <= max(1, (len(best)+1)/3)
}

// Distance is the Levenshtein distance, over bytes, where two neighbours that change places count
// once (optimal string alignment).
func Distance(a, b string) int {
	var before []int // the row before the last
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next := make([]int, len(b)+1)
		next[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			next[j] = min(row[j]+1, next[j-1]+1, row[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}

// UnknownTestError says that a suite has no test of this name.
type UnknownTestError struct {
	Name    string
	Nearest []TestID
}

func (e *UnknownTestError) Error() string {
	if len(e.Nearest) == 0 {
		return fmt.Sprintf("no test %q in this module", e.Name)
	}
	var near []string
	for _, t := range e.Nearest {
		near = append(near, string(t))
	}
	return fmt.Sprintf("no test %q in this module; the nearest: %s", e.Name, strings.Join(near, ", "))
}

// Expand resolves a list of names to an order. The name of a group becomes its tests, in the
// suite's own order. Unknown names are left out of the order and returned. A test that several
// names mean is in the order once. This happens with names of invocations. If the same name is
// listed twice, the test ran twice.
func (r *Resolver) Expand(names []string) (o Order, unknown []string) {
	seen := map[TestID]bool{}
	listed := map[string]bool{}
	for _, n := range names {
		found, err := r.Resolve(n)
		if err != nil {
			unknown = append(unknown, n)
			continue
		}
		again := listed[n] && len(found) == 1
		listed[n] = true
		for _, t := range found {
			if again || !seen[t] {
				seen[t] = true
				o = append(o, t)
			}
		}
	}
	return o, unknown
}
