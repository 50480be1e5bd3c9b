package jest

import (
	"context"
	"errors"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// processState is code that changes what all files of a process share.
var processState = regexp.MustCompile(`process\.(chdir|env|exitCode|title|umask)|\b(fs|fsp|promises)\.|writeFile|listen\(|Symbol\.for\(`)

// resets collects statements that may reset state, the narrowest first.
type resets struct {
	e      *editor
	made   []patch.Made
	last   []patch.Made // less likely ones, which come after all others
	seen   map[string]bool
	locals map[string]string // names that statements import, and from which module
	parsed []*found
	anew   map[string]bool // variables of the failing test's blocks that are assigned before each test
}

// add adds a statement once. What says for people which state it resets.
func (r *resets) add(what, statement string) {
	if !r.seen[statement] {
		r.seen[statement] = true
		r.made = append(r.made, patch.Made{Resets: what, Statements: []string{statement}})
	}
}

// of adds what the test's file shows: its mocks, its variables, the reset functions of the modules
// that it imports, and the members of shared objects that it assigns.
func (r *resets) of(ctx context.Context, t suite.TestID, brittle bool) error {
	f, err := r.e.find(ctx, t)
	var unfit *repair.UnfitError
	if errors.As(err, &unfit) {
		return nil
	}
	if err != nil {
		return err
	}
	r.parsed = append(r.parsed, f)
	for _, b := range f.blocks {
		for _, v := range b.Variables {
			if !r.anew[f.o.file+" "+v.Name] {
				r.variable(f.o, v)
			}
		}
	}
	r.called(f.o)
	if !brittle {
		r.setUpOnce(f)
	}
	if err := r.modules(ctx, f.o); err != nil {
		return err
	}
	for _, call := range r.e.p.calls.at(f) {
		r.add("what "+call+" resets", f.o.awaited(call))
	}
	if !brittle {
		r.closing(f)
		if err := r.opposites(ctx, f.o); err != nil {
			return err
		}
	}
	for _, w := range f.o.Written {
		r.written(f, w, brittle)
	}
	return nil
}

// variable adds what resets a variable of the file or of a describe block.
func (r *resets) variable(o *outline, v variable) {
	switch {
	case makesMock.MatchString(v.Class):
		r.add("the mock "+v.Name, v.Name+".mockClear()")
		r.add("the mock "+v.Name, v.Name+".mockReset()")
	case v.Class == "Map" || v.Class == "Set" || v.Class == "URLSearchParams":
		r.add("the variable "+v.Name, v.Name+".clear()")
	case v.Type == "ArrayExpression" && v.Kind == "const" && strings.ReplaceAll(v.Init, " ", "") == "[]":
		r.add("the variable "+v.Name, v.Name+".length = 0")
	case v.Kind == "const":
	case v.Init == "":
		r.add("the variable "+v.Name, v.Name+" = "+o.undefined(v))
	case slices.Contains(literals, v.Type) && !strings.Contains(v.Init, "\n"):
		r.add("the variable "+v.Name, v.Name+" = "+strings.TrimSuffix(v.Init, " as any"))
	}
}

// makesMock is a call that makes a mock, also of a project's own instance of jest-mock.
var makesMock = regexp.MustCompile(`^[\w$]+\.(fn|spyOn)(\.|$)`)

// literals are expressions that may be evaluated again.
var literals = []string{"NumericLiteral", "StringLiteral", "BooleanLiteral", "NullLiteral", "ArrayExpression",
	"ObjectExpression", "NewExpression", "UnaryExpression", "TemplateLiteral", "Identifier"}

// maxSetUp is how many statements of hooks are run again for one test.
const maxSetUp = 6

// setUpOnce adds the calls by which the blocks around the test set state up once for their tests: what fills a
// database, or sets options. Each of them may be called again.
func (r *resets) setUpOnce(f *found) {
	n := 0
	for _, b := range slices.Backward(f.blocks) {
		for _, h := range b.Hooks {
			if h.Name != "beforeAll" || h.Fn == nil {
				continue
			}
			for _, s := range h.Fn.Statements {
				text := strings.TrimSuffix(f.o.text[s.Start:s.End], ";")
				if s.Type == "ExpressionStatement" && len(s.Assigns) == 0 && !s.Self && !lasting.MatchString(text) && !strings.Contains(text, "\n") && n < maxSetUp {
					n++
					r.add("what beforeAll sets up", text)
				}
			}
		}
	}
}

// maxCalled is how many calls of one file are taken over.
const maxCalled = 15

// called adds the resets that the file calls itself, in whatever place.
func (r *resets) called(o *outline) {
	n := 0
	for _, path := range o.Resets {
		name := path[strings.LastIndexByte(path, '.')+1:]
		resets := resetName.MatchString(name) || mockReset.MatchString(name)
		if n == maxCalled || !resets || strings.HasPrefix(path, "jest.") {
			continue
		}
		n++
		if slices.ContainsFunc(o.Mocks, func(m mock) bool { return m.Path == path }) { // another call would be one too many
			r.add("what "+path+"() resets", path+"();\n"+path+".mockClear()")
		}
		r.add("what "+path+"() resets", o.awaited(path+"()"))
	}
}

// resetAndForget is such a pair.
var resetAndForget = regexp.MustCompile(`^[\w$.]+\(\);?\s+[\w$.]+\.mockClear\(\);?$`)

// mockReset is how a mock is reset.
var mockReset = regexp.MustCompile(`^mock(Clear|Reset|Restore)$`)

// manyMocks is how many mocks a file checks at least for which one reset of all of them is tried
// before those of single mocks: each test of the file may need its own.
const manyMocks = 3

// allMocks adds the reset of all mocks where the file checks many that its tests share.
func (r *resets) allMocks(f *found) {
	shared, seen := visible(f.o, f.blocks), map[string]bool{}
	for _, m := range f.o.Mocks {
		root, _, _ := strings.Cut(m.Path, ".")
		if shared[root] || slices.Contains(f.o.Globals, root) {
			seen[m.Path] = true
		}
	}
	if len(seen) >= manyMocks {
		r.add("the calls of all mocks", "jest.clearAllMocks()")
	}
}

// maxMocks is how many mocks of one test are reset one by one.
const maxMocks = 8

// mocks adds resets of the single mocks that the test checks. They keep the calls of all others.
func (r *resets) mocks(f *found) {
	n := 0
	for _, m := range f.o.Mocks {
		statement := m.Path + ".mockClear()"
		root, _, _ := strings.Cut(m.Path, ".")
		elsewhere := m.Start < f.test.Start || m.Start >= f.test.End
		if elsewhere || r.seen[statement] || slices.Contains(f.test.locals(), root) {
			continue
		}
		if n++; n > maxMocks {
			return
		}
		r.add("the mock "+m.Path, statement)
	}
}

// resetNames is what functions are called that reset a module's state, in any case. Observing processes
// look for such functions, too.
const resetNames = `^_*(reset|clear|restore|cleanup|clean|flush|dispose|teardown|uninstall|empty|purge|removeAll|deleteAll|unsubscribeAll|removeAllListeners)`

var resetName = regexp.MustCompile(`(?i)` + resetNames)

// maxModules is how many of a file's imports are examined.
const maxModules = 30

// modules adds calls of functions without required parameters that imported modules of the project
// offer.
func (r *resets) modules(ctx context.Context, o *outline) error {
	for _, i := range o.Imports[:min(len(o.Imports), maxModules)] {
		if strings.HasPrefix(i.From, "@testing-library/") && i.From != "@testing-library/jest-dom" {
			for _, n := range i.Names {
				if n.Imported == "cleanup" {
					r.add("what was rendered", n.Local+"()")
				}
			}
		}
		file, text := r.e.module(o.file, i.From)
		if file == "" {
			continue
		}
		offers, err := r.e.parser.exported(ctx, file, text)
		var unfit *repair.UnfitError
		if errors.As(err, &unfit) {
			continue
		}
		if err != nil {
			return err
		}
		hasDefault := slices.ContainsFunc(offers, func(x export) bool { return x.Name == "default" })
		for _, n := range i.Names {
			for _, offer := range offers {
				if call := offer.callFrom(n.Imported, n.Local, hasDefault, i.resetOrOpposite); call != "" {
					r.add("the state of "+i.From, o.awaited(call))
				}
			}
		}
	}
	return nil
}

// callFrom is a call of what is offered, where a file has imported a name; "" where the name is
// another, or none that is wanted. A module without a default export of its own is one as a whole.
func (x export) callFrom(imported, local string, hasDefault bool, wanted func(name string) bool) string {
	name, whole := x.Name, imported == "*" || imported == "default" && !hasDefault
	last := x.Path
	if last == "" {
		last = name
	}
	if last == "default" || last == "*" {
		last = local
	}
	if !wanted(last) {
		return ""
	}
	var to string
	switch {
	case name == imported, whole && name == "*":
		to = local
	case whole:
		to = local + "." + name
	default:
		return ""
	}
	if x.Path != "" {
		to += "." + x.Path
	}
	return to + "()"
}

// module is the source of a relative import.
func (e *editor) module(from, name string) (file, text string) {
	if !strings.HasPrefix(name, ".") {
		return "", ""
	}
	base := path.Join(path.Dir(from), name)
	for _, end := range []string{"", ".js", ".ts", ".tsx", ".jsx", ".mjs", ".cjs", ".mts", ".cts",
		"/index.js", "/index.ts", "/index.tsx", "/index.jsx"} {
		if text, err := e.p.source(base + end); err == nil && isCode(base+end) {
			return base + end, text
		}
	}
	if bare, ok := strings.CutSuffix(base, ".js"); ok { // TypeScript's modules of ECMAScript
		if text, err := e.p.source(bare + ".ts"); err == nil {
			return bare + ".ts", text
		}
	}
	return "", ""
}

// written adds what undoes the assignment of a member that all tests of a file, or of the process,
// share. What a member of the environment was before is not known here, so it is kept, too.
func (r *resets) written(f *found, path string, brittle bool) {
	if strings.HasPrefix(path, "document.") {
		return
	}
	r.add(path, "delete "+path)
	if strings.HasPrefix(path, "process.env.") && !brittle {
		r.keep(f, path, path, false)
	}
}

// common adds what resets state of a kind, wherever it is.
func (r *resets) common() {
	text := ""
	for _, f := range r.parsed {
		text += f.o.text
	}
	r.add("the calls of all mocks", "jest.clearAllMocks()")
	r.add("all spies", "jest.restoreAllMocks()")
	r.add("all mocks", "jest.resetAllMocks()")
	if strings.Contains(text, "seFakeTimers") || strings.Contains(text, "setSystemTime") {
		r.add("the timers", "jest.useRealTimers()")
		r.add("the timers", "jest.clearAllTimers()")
	}
	for _, store := range []string{"localStorage", "sessionStorage"} {
		if strings.Contains(text, store) || strings.Contains(text, "jsdom") || strings.Contains(text, "document") {
			r.add(store, store+".clear()")
		}
	}
	if strings.Contains(text, "document") || strings.Contains(text, "render") {
		r.add("the document", "document.body.innerHTML = ''")
		r.add("the document", "document.head.innerHTML = ''")
	}
	r.add("the registry of modules", "jest.resetModules()")
}
