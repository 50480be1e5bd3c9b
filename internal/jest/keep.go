package jest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/state"
)

// member is a path that may be read and assigned.
var member = regexp.MustCompile(`^[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*|\[\d+\])+$`)

// keep adds statements that keep what is at a path before each test, and put it back after it.
func (s *seenState) keep(path string) {
	if !s.brittle {
		good, known := s.value(path)
		s.r.keep(s.f, s.field, path, known && good != absent)
	}
}

// keep adds the statement that puts back what the file keeps of a path already, and statements that
// keep it before each test and put it back after it. What says for people which state that is. If it
// is known to be set, a member of the environment needs no check.
func (r *resets) keep(f *found, what, path string, set bool) {
	if !member.MatchString(path) {
		return
	}
	if saved := f.saved(path); saved != "" && !r.seen["saved "+path+" "+saved] {
		r.seen["saved "+path+" "+saved] = true
		if set {
			r.add(what, path+" = "+saved)
		} else {
			r.add(what, f.o.putBack(path, saved))
		}
	}
	name := original(path)
	if r.seen["keep "+path] || f.o.mentions(name) {
		return
	}
	r.seen["keep "+path] = true
	r.made = append(r.made, patch.Made{Resets: what, Fields: []string{name + " = " + path}, Statements: []string{f.o.putBack(path, name)}})
}

// original is the name of a variable that keeps what is at a path.
func original(path string) string {
	last := path[strings.LastIndexAny(path, ".[")+1:]
	last = strings.TrimSuffix(last, "]")
	if last == "" {
		return ""
	}
	return "original" + strings.ToUpper(last[:1]) + last[1:]
}

// answers ends the expression for what a mock answers with.
const answers = ".getMockImplementation()"

// keepAnswers adds statements that keep before each test what the mock at a path answers with, and give it
// the same after it: a factory of jest.mock may have set it. Mock is the mock as the file writes it.
func (r *resets) keepAnswers(f *found, what, path, mock string) {
	name := original(path)
	if !accessPath.MatchString(path) || r.seen["keep "+mock] || f.o.mentions(name) {
		return
	}
	r.seen["keep "+mock] = true
	sure := ""
	if isTypeScript(f.o.file) {
		sure = "!" // Jest's own types want a function
	}
	r.made = append(r.made, patch.Made{Resets: what, Fields: []string{name + " = " + mock + answers},
		Statements: []string{mock + ".mockReset().mockImplementation(" + name + sure + ")"}})
}

// element is the path of an array's element, or of something in it.
var element = regexp.MustCompile(`^(.+?)\[(\d+)\]`)

// reordered returns the paths of arrays of which several elements differ, and the length does not: a test may
// have sorted them.
func reordered(changes []state.Change) []string {
	first, several := map[string]string{}, []string{}
	for _, c := range changes {
		m := element.FindStringSubmatch(c.Path)
		if m == nil || !accessible.MatchString(m[1]) || c.Before == absent || c.After == absent {
			continue
		}
		if index, known := first[m[1]]; !known {
			first[m[1]] = m[2]
		} else if index != m[2] && !slices.Contains(several, m[1]) {
			several = append(several, m[1])
		}
	}
	return slices.DeleteFunc(several, func(array string) bool {
		return slices.ContainsFunc(changes, func(c state.Change) bool { return c.Path == array+".length" })
	})
}

// keepElements adds statements that keep the elements of an array before each test, and put them back after it.
func (r *resets) keepElements(f *found, what, path string) {
	name := original(path)
	if !accessPath.MatchString(path) || r.seen["elements "+path] || f.o.mentions(name) {
		return
	}
	r.seen["elements "+path] = true
	r.made = append(r.made, patch.Made{Resets: what, Fields: []string{name + " = [..." + path + "]"},
		Statements: []string{path + ".splice(0, " + path + ".length, ..." + name + ")"}})
}

// stateOfStore gives the state of a store such as zustand's.
const stateOfStore = ".getState()"

// keepStore adds statements that keep the state of a store before each test, and put it back after it.
func (r *resets) keepStore(f *found, what, store string) {
	name := original(store)
	if !accessPath.MatchString(store) || r.seen["store "+store] || f.o.mentions(name) {
		return
	}
	r.seen["store "+store] = true
	r.made = append(r.made, patch.Made{Resets: what, Fields: []string{name + " = " + store + stateOfStore},
		Statements: []string{store + ".setState(" + name + ", true)"}})
}

// copied is the array of which a value is a copy.
func copied(value string) (string, bool) {
	inner, ok := strings.CutPrefix(value, "[...")
	inner, whole := strings.CutSuffix(inner, "]")
	return inner, ok && whole && accessPath.MatchString(inner)
}

// typeOf is the type of what is kept, in TypeScript.
func typeOf(value string) string {
	if array, ok := copied(value); ok {
		return "typeof " + array
	}
	if value == workingDirectory {
		return "string"
	}
	if strings.HasSuffix(value, stateOfStore) {
		return "ReturnType<typeof " + strings.TrimSuffix(value, "()") + ">"
	}
	mock, isMock := strings.CutSuffix(value, answers)
	if !isMock {
		return "typeof " + strings.ReplaceAll(value, "globalThis.", "")
	}
	if inner, ok := strings.CutPrefix(mock, "jest.mocked("); ok {
		return "typeof " + strings.TrimSuffix(inner, ")") + " | undefined"
	}
	if inner, _, ok := strings.Cut(strings.TrimPrefix(mock, "("), " as "); ok {
		return "typeof " + inner + " | undefined"
	}
	return "ReturnType<typeof " + value[:len(value)-len("()")] + ">"
}

// canKeep reports whether a value may be kept: a member, or the answers of a mock that code of odfix names.
func canKeep(value string) bool {
	if _, ok := copied(value); ok || value == workingDirectory {
		return true
	}
	if store, ok := strings.CutSuffix(value, stateOfStore); ok && accessPath.MatchString(store) {
		return true
	}
	mock, isMock := strings.CutSuffix(value, answers)
	if isMock {
		return mockExpression.MatchString(mock)
	}
	return member.MatchString(value)
}

// mockExpression is a mock as mocks writes it.
var mockExpression = regexp.MustCompile(`^(jest\.mocked\()?\(?[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*)*( as [\w.<> ]+)?\)?$`)

// putBack is the statement that gives a path the value of a variable. A member of the environment that
// was not set is deleted: an assignment would set a text.
func (o *outline) putBack(path, name string) string {
	if !strings.HasPrefix(path, "process.env.") {
		return path + " = " + name
	}
	end := ""
	if o.semicolons() {
		end = ";"
	}
	unit := o.unit()
	return fmt.Sprintf("if (%s === undefined) {\n%sdelete %s%s\n} else {\n%s%s = %s%s\n}", name, unit, path, end, unit, path, name, end)
}

// saved is a constant that holds what was at the path when the file was loaded; "" if there is none.
// Those around the test come first. Others serve the tests of their blocks: a patch cannot use a name
// where it is not visible.
func (f *found) saved(path string) string {
	for _, b := range slices.Backward(f.blocks) {
		if name := b.keeps(path); name != "" {
			return name
		}
	}
	return f.o.Root.saved(path)
}

// keeps is saved, of the block's own constants.
func (b *block) keeps(path string) string {
	for _, v := range b.Variables {
		if v.Kind == "const" && v.Init == path {
			return v.Name
		}
	}
	return ""
}

// saved is keeps, of the block and those in it.
func (b *block) saved(path string) string {
	if name := b.keeps(path); name != "" {
		return name
	}
	for _, child := range b.Children {
		if name := child.saved(path); name != "" {
			return name
		}
	}
	return ""
}

// ownGlobal is a global, or a member of one, as the file writes it: window.fetch.
func (o *outline) ownGlobal(path string) string {
	for _, of := range []string{"window.", "global.", "globalThis."} {
		if o.mentions(of + path) {
			return of + path
		}
	}
	if strings.Contains(path, ".") {
		return path
	}
	return "globalThis." + path
}

// keeping is how a block keeps values: the declarations of the variables, and hooks around its tests.
func (e *editor) keeping(edit repair.Edit, at *found, items []*item) ([]change, error) {
	o, block := at.o, at.innermost()
	var declared []string
	var before body
	for _, f := range edit.Made.Fields {
		name, value, ok := strings.Cut(f, " = ")
		if !ok || !identifier.MatchString(name) || !canKeep(value) || o.mentions(name) {
			return nil, &repair.UnfitError{Reason: "the file uses the name " + name + " for something else"}
		}
		kind := ""
		if isTypeScript(o.file) {
			kind = ": " + typeOf(value)
		}
		declared = append(declared, o.styled("let "+name+kind))
		before.texts, before.raw = append(before.texts, o.styled(f)), append(before.raw, false)
	}
	after, err := newBody(o, items, edit)
	if err != nil {
		return nil, err
	}
	first := o.firstIn(block)
	if first < 0 {
		return nil, &repair.UnfitError{Reason: "the block of the test is not written where its hooks could stand"}
	}
	indent := o.indent(first)
	begin := strings.LastIndexByte(o.text[:first], '\n') + 1
	out := []change{{begin, begin, indented(strings.Join(declared, "\n"), indent, false) + "\n\n"}}
	for _, h := range []struct {
		b    *body
		name string
	}{{&before, "beforeEach"}, {after, "afterEach"}} {
		some, err := h.b.hook(o, block, h.name)
		if err != nil {
			return nil, err
		}
		out = append(out, some...)
	}
	return out, nil
}

// firstIn is where the first test, block or hook of a block begins, with its comments; -1 if it does
// not begin a line.
func (o *outline) firstIn(b *block) int {
	var all []int
	for _, c := range b.Children {
		all = append(all, c.Lead)
	}
	for _, h := range b.Hooks {
		if h.Start >= b.BodyStart && h.Start < b.BodyEnd { // not that of a function that the block calls
			all = append(all, h.Start)
		}
	}
	if len(all) == 0 || !o.beginsLine(slices.Min(all)) {
		return -1
	}
	return slices.Min(all)
}
