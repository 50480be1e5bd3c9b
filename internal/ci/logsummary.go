package ci

import (
	"slices"
	"strings"
)

// summaryIndex indexes the lines before a summary, since both may have very many lines.
type summaryIndex struct {
	bySimple map[string][]string // simple class name: classes that began
	failing  map[string]bool     // outermost classes, qualified and simple, with a failure of their own
	exact    map[string]bool     // failures without their suite
	loose    map[string]int      // "Outer#method": place of a failure whose nested class is unknown
}

func (p *logPart) index() summaryIndex {
	x := summaryIndex{map[string][]string{}, map[string]bool{}, map[string]bool{}, map[string]int{}}
	for _, c := range p.classes {
		simple := simpleName(c.name)
		x.bySimple[simple] = append(x.bySimple[simple], c.name)
	}
	for i, id := range p.failed.list {
		inner := stripID(id)
		class, method, _ := strings.Cut(inner, "#")
		outer, _, _ := strings.Cut(class, "$")
		x.failing[outer], x.failing[simpleName(outer)] = true, true
		x.exact[inner] = true
		if p.loose[id] {
			x.loose[class+"#"+bareMethod(method)] = i
		}
	}
	return x
}

func bareMethod(m string) string {
	if i := strings.IndexAny(m, "([{"); i > 0 {
		return m[:i]
	}
	return m
}

// useSummary adds what only the summary has: failures of classes without lines of their own, the
// nested class of a test, and tests that passed when they ran again.
func (p *logPart) useSummary() {
	x := p.index()
	flaked := map[string]bool{}
	for _, s := range p.summary {
		class, known := x.resolve(s)
		id := testID(class, s.method)
		switch {
		case s.flake && p.spent.spend(id):
			flaked[id] = true
		case s.flake: // it is left out
		case x.tighten(p, class, s.method):
		case known && x.reported(class, id, s.full):
		case !p.spent.spend(id): // it is left out
		default:
			p.failed.add(id)
		}
	}
	p.failed.list = slices.DeleteFunc(p.failed.list, func(f string) bool {
		inner := stripID(f)
		if !flaked[inner] {
			return false
		}
		delete(flaked, inner)
		p.flaked.add(f)
		return true
	})
	for _, s := range p.summary { // those without a failure line of their own, in order
		class, _ := x.resolve(s)
		if id := testID(class, s.method); s.flake && flaked[id] {
			p.flaked.add(id)
		}
	}
}

// resolve finds the qualified name of a class that the summary names without its package. known
// means that there is only one such class, or that a suite ran it.
func (x summaryIndex) resolve(s summaryLine) (class string, known bool) {
	if s.full {
		return s.class, true
	}
	outer, inner, nested := strings.Cut(s.class, "$")
	found := x.bySimple[outer]
	if len(found) != 1 {
		return s.class, len(found) == 0
	}
	if nested {
		return found[0] + "$" + inner, true
	}
	return found[0], true
}

// reported reports whether the class's own lines named failures. Those lines are better than the
// summary, which may name a set-up method or a helper instead of the test.
func (x summaryIndex) reported(class, id string, full bool) bool {
	if full {
		return x.exact[id] || x.exact[class]
	}
	outer, _, _ := strings.Cut(class, "$")
	return x.failing[outer]
}

// tighten moves a failure to the nested class, which only the summary names.
func (x summaryIndex) tighten(p *logPart, class, method string) bool {
	outer, _, nested := strings.Cut(class, "$")
	i, ok := x.loose[outer+"#"+method]
	if !nested || !ok {
		return false
	}
	_, m, _ := strings.Cut(p.failed.list[i], "#")
	p.failed.list[i] = class + "#" + m
	return true
}
