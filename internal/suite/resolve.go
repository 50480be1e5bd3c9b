package suite

import (
	"fmt"
	"sort"
	"strings"
	"unicode"
)

// Resolver finds the tests of a suite by the names that people, logs and
// reports give them.
type Resolver struct {
	order Order
	exact map[TestID]bool
	loose map[string][]TestID // by every looser spelling
}

// NewResolver indexes the suite.
func NewResolver(s *Suite) *Resolver {
	r := &Resolver{order: s.Order(), exact: map[TestID]bool{}, loose: map[string][]TestID{}}
	for _, t := range r.order {
		r.exact[t] = true
		for _, k := range spellings(t) {
			r.loose[k] = append(r.loose[k], t)
		}
	}
	return r
}

// spellings are the names by which a test may be called besides its id, each
// of which may fit several tests: the class in full or simple, nested with '.'
// or '$', with or without the method, the method with or without parameters.
func spellings(t TestID) []string {
	class := t.Class()
	if i := strings.LastIndexByte(class, '>'); i >= 0 {
		class = class[i+1:]
	}
	method := t.Method()
	classes := map[string]bool{}
	for _, c := range []string{class, t.Visit()} {
		dotted := strings.ReplaceAll(c, "$", ".")
		simple := c[strings.LastIndexByte(c, '.')+1:]
		for _, v := range []string{c, dotted, simple, strings.ReplaceAll(simple, "$", ".")} {
			classes[v] = true
		}
	}
	var out []string
	for c := range classes {
		out = append(out, c)
		if method == "" {
			continue
		}
		methods := map[string]bool{method: true, bare(method): true}
		for m := range methods {
			out = append(out, c+"#"+m)
		}
	}
	return out
}

// bare is a method name without parameters and invocation: "m" of "m(int)[1]", "m[0]", "m{int}[1]".
func bare(method string) string {
	if i := strings.IndexAny(method, "([{~"); i > 0 {
		return strings.TrimSpace(method[:i])
	}
	return method
}

// Resolve returns the tests a name fits, in the suite's order. It accepts ids,
// Class#method, Class.method, Class, simple class names, '.' for '$' in nested
// classes, and methods with or without parameters. Where nothing fits, the
// error names the nearest tests there are.
func (r *Resolver) Resolve(name string) ([]TestID, error) {
	name = oneLine(strings.TrimSpace(name))
	if name == "" {
		return nil, fmt.Errorf("an empty test name")
	}
	if r.exact[TestID(name)] {
		return []TestID{TestID(name)}, nil
	}
	for _, n := range variants(name) {
		if found := r.loose[n]; len(found) > 0 {
			return found, nil
		}
	}
	return nil, &UnknownTestError{Name: name, Nearest: r.Nearest(name, 3)}
}

// oneLine writes control characters as the harness does in its ids; a report
// has them as they are.
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

// variants are the spellings to look a name up by, strictest first.
func variants(name string) []string {
	out := []string{name}
	hash := name
	if !strings.Contains(name, "#") {
		cut := len(name)
		if i := strings.IndexAny(name, "([{"); i >= 0 {
			cut = i
		}
		if i := strings.LastIndexByte(name[:cut], '.'); i > 0 {
			hash = name[:i] + "#" + name[i+1:]
			out = append(out, hash)
		}
	}
	if i := strings.IndexByte(hash, '#'); i > 0 {
		class, method := hash[:i], hash[i+1:]
		// An invocation "m(int)[3]" or "m{int}[3]" belongs to the test "m(int)".
		if j := strings.LastIndexByte(method, '['); j > 0 {
			out = append(out, class+"#"+method[:j])
		}
		if j := strings.IndexByte(method, '{'); j > 0 {
			params := strings.TrimSuffix(strings.SplitN(method[j+1:], "[", 2)[0], "}")
			out = append(out, class+"#"+method[:j]+"("+params+")")
		}
		if b := bare(method); b != method {
			out = append(out, class+"#"+b)
		}
	}
	return out
}

// Nearest returns up to n test ids whose names are most like the given one.
func (r *Resolver) Nearest(name string, n int) []TestID {
	want := strings.ToLower(lastName(strings.ReplaceAll(name, "#", ".")))
	type scored struct {
		t TestID
		d int
	}
	var all []scored
	for _, t := range r.order {
		m := strings.ToLower(bare(t.Method()))
		d := distance(want, m)
		if c := distance(strings.ToLower(lastName(name)), strings.ToLower(lastName(t.Visit()))); c < d {
			d = c
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

func lastName(s string) string { return s[strings.LastIndexAny(s, ".$#")+1:] }

// distance is the Levenshtein distance, over bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		prev := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			prev, row[j] = row[j], min(row[j]+1, row[j-1]+1, prev+cost)
		}
	}
	return row[len(b)]
}

// UnknownTestError says that a suite has no such test.
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

// Expand resolves an observed list of names into an order: a class alone
// becomes its tests in the suite's own order, names the suite does not know
// are left out and returned. A test stands once, however many names it has
// (invocations of a parameterised test), unless the very same name is listed
// again: then it was seen to run again.
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
