package jest

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/jest/jestid"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// item is one statement of a helper, or one that no helper holds.
type item struct {
	statement
	id    string
	role  string
	text  string   // as it is to stand in a patch, with the indentation of its file
	from  *outline // nil: it stands in no file
	owner *block   // whose hook or declaration it is; nil for statements of the test itself
	inner []*item

	imports []patch.Import // names that its file may lack
}

// listing is all that a helper runs, in running order: the declarations and hooks around it, and
// its own statements.
type listing struct {
	items []*item
	byID  map[string]*item
}

// list reads the helpers.
func (e *editor) list(ctx context.Context, helper suite.Order) (*listing, error) {
	l := &listing{byID: map[string]*item{}}
	for i, t := range helper {
		f, err := e.find(ctx, t)
		if err != nil {
			return nil, err
		}
		if f.test.Fn == nil {
			return nil, &repair.UnfitError{Reason: fmt.Sprintf("the function of %s is not written in the test itself", t)}
		}
		l.addTest(fmt.Sprint(i), f)
	}
	return l, nil
}

func (l *listing) addTest(id string, f *found) {
	for depth, b := range f.blocks {
		l.addAll(fmt.Sprintf("%s.d%d", id, depth), "field", f.o, b, nil, b.Fields)
	}
	hooks := func(role, name string, blocks []*block) {
		for depth, b := range blocks {
			for k, h := range b.Hooks {
				if h.Name == name && h.Fn != nil {
					l.addAll(fmt.Sprintf("%s.%s%d-%d", id, name, depth, k), role, f.o, b, h.Fn.Params, h.Fn.Statements)
				}
			}
		}
	}
	outwards := slices.Clone(f.blocks)
	slices.Reverse(outwards)
	hooks("class-setup", "beforeAll", f.blocks)
	hooks("setup", "beforeEach", f.blocks)
	l.addAll(id+".b", "body", f.o, nil, f.test.Fn.Params, f.test.Fn.Statements)
	hooks("teardown", "afterEach", outwards)
	hooks("class-teardown", "afterAll", outwards)
}

// addAll adds statements that can stand elsewhere: those that use a parameter of the function
// around them cannot, nor can imports.
func (l *listing) addAll(id, role string, o *outline, owner *block, params []string, statements []statement) {
	for k, s := range statements {
		if it := o.item(fmt.Sprintf("%s.%d", id, k), role, owner, params, s); it != nil {
			l.items = append(l.items, it)
			l.index(it)
		}
	}
}

func (l *listing) index(it *item) {
	l.byID[it.id] = it
	for _, in := range it.inner {
		l.index(in)
	}
}

func (o *outline) item(id, role string, owner *block, params []string, s statement) *item {
	uses := func(name string) bool { return slices.Contains(s.Uses, name) || slices.Contains(s.Assigns, name) }
	switch {
	case slices.ContainsFunc(params, uses), s.Self, s.Returns, s.End > len(o.text), s.Start > s.End:
		return nil
	case s.Type == "ReturnStatement" && s.Result == nil:
		return nil
	case role == "field" && slices.ContainsFunc(o.Imports, func(i importing) bool { return i.Start == s.Start }):
		return nil
	}
	it := &item{statement: s, id: id, role: role, owner: owner, from: o, text: o.text[s.Start:s.End]}
	if role == "field" {
		it.text = strings.TrimPrefix(strings.TrimPrefix(it.text, "export default "), "export ")
	}
	if s.Result != nil {
		it.text, it.Await = "await "+o.text[s.Result.Start:s.Result.End], true
		if o.semicolons() {
			it.text += ";"
		}
	}
	for k, in := range s.Inner {
		if one := o.item(fmt.Sprintf("%s.%d", id, k), role, owner, params, in); one != nil {
			it.inner = append(it.inner, one)
		}
	}
	return it
}

// near are the items that do not run for the target anyway: what the blocks around it declare and
// do is its own already.
func (l *listing) near(at *found) []*item {
	var out []*item
	for _, it := range l.items {
		if it.owner == nil || it.from.file != at.o.file || !slices.Contains(at.blocks, it.owner) {
			out = append(out, it)
		}
	}
	return out
}

// needs are the items without which one of them means nothing: those that declare what it uses,
// and those that assign that before.
func needs(all []*item, it *item, visible map[string]bool) []*item {
	var out []*item
	for _, name := range it.Uses {
		if visible[name] {
			continue
		}
		own := slices.ContainsFunc(all, func(o *item) bool { return slices.Contains(o.Declares, name) })
		for _, o := range all {
			if o == it {
				break
			}
			if slices.Contains(o.Declares, name) || own && slices.Contains(o.Assigns, name) {
				out = append(out, o)
			}
		}
	}
	return out
}

// Script implements repair.Editor.
func (e *editor) Script(ctx context.Context, helper suite.Order, at suite.TestID) ([]repair.Statement, error) {
	l, err := e.list(ctx, helper)
	if err != nil {
		return nil, err
	}
	target, err := e.find(ctx, at)
	if err != nil {
		return nil, err
	}
	items, seen := l.near(target), visible(target.o, target.blocks)
	var out []repair.Statement
	for _, it := range items {
		out = append(out, scripted(items, it, seen))
	}
	return out, nil
}

func scripted(all []*item, it *item, seen map[string]bool) repair.Statement {
	s := repair.Statement{ID: it.id, Text: dedented(it), Role: it.role, Assertion: it.Assertion}
	for _, n := range needs(all, it, seen) {
		if !slices.Contains(s.Requires, n.id) {
			s.Requires = append(s.Requires, n.id)
		}
	}
	siblings := all
	for k, in := range it.inner {
		siblings = append(slices.Clone(all), it.inner[:k+1]...)
		s.Inner = append(s.Inner, scripted(siblings, in, seen))
	}
	return s
}

// chosen are the kept items, in running order, with what they need at a place where complete asks
// for it.
func (l *listing) chosen(keep []string, at *found, complete bool) ([]*item, error) {
	want := map[*item]bool{}
	seen, items := visible(at.o, at.blocks), l.near(at)
	var add func(it *item)
	add = func(it *item) {
		if want[it] {
			return
		}
		want[it] = true
		if complete {
			for _, n := range needs(items, it, seen) {
				add(n)
			}
		}
	}
	for _, id := range keep {
		it := l.byID[id]
		if it == nil {
			return nil, &repair.UnfitError{Reason: "there is no statement " + id}
		}
		add(it)
	}
	var out []*item
	var walk func(list []*item)
	walk = func(list []*item) {
		for _, it := range list {
			if want[it] {
				out = append(out, it)
				continue
			}
			walk(it.inner)
		}
	}
	walk(l.items)
	return out, nil
}

// withoutUnused leaves out the declarations of constants that none of the items uses: of const res = await save();
// the call is needed only.
func withoutUnused(items []*item) []*item {
	var out []*item
	for _, it := range items {
		used := func(o *item) bool {
			return slices.ContainsFunc(o.Uses, func(n string) bool { return slices.Contains(it.Declares, n) })
		}
		if c := it.Call; c != nil && it.from != nil && it.Start <= c.Start && c.Start <= c.End && c.End <= it.End && !slices.ContainsFunc(items, used) {
			only := *it
			only.text, only.Type, only.Declares = it.from.text[c.Start:c.End], "ExpressionStatement", nil
			if it.from.semicolons() {
				only.text += ";"
			}
			it = &only
		}
		out = append(out, it)
	}
	return out
}

// find finds a test's source in the checkout.
func (e *editor) find(ctx context.Context, t suite.TestID) (*found, error) {
	o, err := e.outline(ctx, jestid.File(t))
	if err != nil {
		return nil, err
	}
	return o.find(t), nil
}

// outline is a test file of the checkout.
func (e *editor) outline(ctx context.Context, file string) (*outline, error) {
	text, err := e.p.source(file)
	if err != nil {
		return nil, &repair.UnfitError{Reason: err.Error()}
	}
	return e.parser.outline(ctx, file, text)
}

// imported is what a file needs to import so that the item means there what it means where it is
// from.
func imported(it *item, target *outline, seen map[string]bool, declared map[string]bool) []added {
	if it.from == nil || it.from.file == target.file {
		return nil
	}
	var out []added
	for _, name := range it.Uses {
		if seen[name] || declared[name] {
			continue
		}
		for _, i := range it.from.Imports {
			for _, n := range i.Names {
				if n.Local == name {
					out = append(out, added{local: name, imported: n.Imported, from: moved(i.From, it.from.file, target.file), esm: i.ESM})
				}
			}
		}
	}
	return out
}

// added is a name that a file imports for a patch.
type added struct {
	local, imported, from string
	esm                   bool
}

// moved is a module's name as another file writes it.
func moved(module, from, to string) string {
	if !strings.HasPrefix(module, ".") {
		return module
	}
	rel, err := filepath.Rel(path.Dir(to), path.Join(path.Dir(from), module))
	if err != nil {
		return module
	}
	if rel = filepath.ToSlash(rel); !strings.HasPrefix(rel, ".") {
		rel = "./" + rel
	}
	return rel
}
