package jest

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/jest/jestid"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// absent is what the harness says of something that is not there.
const absent = "absent"

// empty is what it says of an empty text.
const empty = "''"

// ofState adds statements for the state that was seen to differ, likeliest first, and for each the
// narrowest first. They stand in the test's file.
func (r *resets) ofState(ctx context.Context, t suite.TestID, q project.ResetQuery) error {
	f, err := r.e.find(ctx, t)
	var unfit *repair.UnfitError
	if errors.As(err, &unfit) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, field := range q.Fields {
		s := seenState{r: r, f: f, field: field, brittle: q.Cause.Brittle()}
		for _, c := range q.Changes {
			if c.Field == field {
				s.changes = append(s.changes, c)
			}
		}
		s.changes = withoutInner(s.changes)
		before := len(r.made)
		if err := s.add(ctx); err != nil {
			return err
		}
		if r.assigned(t, field) {
			r.last = append(r.last, r.made[before:]...)
			r.made = r.made[:before]
		}
	}
	return nil
}

// seenState is one piece of state that was seen to differ after a test.
type seenState struct {
	r       *resets
	f       *found
	field   string
	module  string // the file that declares the variable; empty: the state is no variable
	changes []state.Change
	brittle bool // the difference is what a test needs
}

// add adds the statements that may restore it.
func (s *seenState) add(ctx context.Context) error {
	kind, name, _ := strings.Cut(s.field, " ")
	switch kind {
	case "builtin", "spy", "core":
		if !accessible.MatchString(name) {
			return nil
		}
	}
	switch kind {
	case "mock":
		s.mock(name)
	case "var":
		return s.variable(ctx, name)
	case "global":
		s.global(name)
	case "builtin":
		root, _, _ := strings.Cut(name, ".")
		s.r.e.globals.Store(root, true)
		s.builtin(name)
	case "spy":
		s.say(name+".mockRestore()", "jest.restoreAllMocks()")
	case "core":
		module, member, _ := strings.Cut(name, ".")
		local := s.f.o.whole(module)
		if local != "" {
			s.say(local + "." + member + ".mockRestore()")
		}
		s.say("jest.restoreAllMocks()")
		if local != "" {
			s.keep(local + "." + member)
		}
	case "env":
		s.environment(name)
	case "directory":
		s.directory()
	case "storage":
		if which, key, _ := strings.Cut(name, " "); which == "local" || which == "session" {
			s.storage(which+"Storage", key)
		}
	case "document":
		s.document(name)
	case "listeners":
		if target, event, _ := strings.Cut(name, " "); target == "process" {
			s.say("process.removeAllListeners(" + jsString(event) + ")")
		}
	case "module":
		s.say("jest.resetModules()")
	case "mocked":
		s.mocked(name)
	case "nock":
		if local := s.f.o.whole("nock"); local != "" && !s.brittle {
			s.say(local + ".cleanAll()")
		}
	case "file":
		s.file(name)
	}
	return nil
}

// mocked adds what removes a module's mock, by the name that the file gives the module.
func (s *seenState) mocked(module string) {
	if s.brittle {
		return
	}
	for _, m := range registering.FindAllStringSubmatch(s.f.o.text, -1) {
		file, _ := s.r.e.module(s.f.o.file, m[2])
		if _, inside, ok := strings.Cut(module, modules+"/"); file == module || ok && (inside == m[2] || strings.HasPrefix(inside, m[2]+"/")) {
			s.say("jest.dontMock(" + jsString(m[2]) + ")")
		}
	}
}

// registering is the call that registers a mock for the modules that are loaded after it.
var registering = regexp.MustCompile("\\bjest\\s*\\.\\s*(doMock|setMock)\\(\\s*['\"`]([^'\"`\\n]+)['\"`]")

// say adds statements.
func (s *seenState) say(statements ...string) {
	for _, text := range statements {
		s.r.add(s.field, s.f.o.awaited(text))
	}
}

// differs reports whether one of the differences has a path that ends so.
func (s *seenState) differs(end string) bool {
	return slices.ContainsFunc(s.changes, func(c state.Change) bool { return strings.HasSuffix(c.Path, end) })
}

// value is what a path holds in the good case: before the polluter, or after the state-setter.
// The second value is false if that is not known or differs from process to process.
func (s *seenState) value(path string) (string, bool) {
	for _, c := range s.changes {
		if c.Path != path {
			continue
		}
		good := c.Before
		if s.brittle {
			good = c.After
		}
		if good == empty {
			return "", true
		}
		return good, good != "" && !strings.HasSuffix(good, "…")
	}
	return "", false
}

// mock adds what resets one mock function: its calls only, where nothing else differs.
func (s *seenState) mock(name string) {
	file, path, ok := strings.Cut(name, " ")
	if !ok || !accessible.MatchString(path) {
		return
	}
	at := s.reach(file, path)
	if file == "global" {
		at = []string{s.f.o.global(s.r.e, path)}
	}
	answers := s.differs(" once") || s.differs(" implementation")
	for _, path := range at {
		for _, mock := range s.f.mocks(path) {
			if !answers {
				s.say(mock + ".mockClear()")
			}
			implementation := s.implementation(path)
			if answers && implementation != "" {
				s.say(mock + ".mockReset().mockImplementation(" + implementation + ")")
			}
			s.say(mock+".mockReset()", mock+".mockRestore()", mock+".mockClear()")
			if answers && implementation == "" && !s.brittle {
				s.r.keepAnswers(s.f, s.field, path, mock)
			}
		}
	}
}

// implementation is what the file gives a mock that is a variable; "" where it gives none, or in
// several lines.
func (s *seenState) implementation(mock string) string {
	for _, b := range s.f.blocks {
		for _, v := range b.Variables {
			inner, ok := strings.CutPrefix(v.Init, "jest.fn(")
			inner, whole := strings.CutSuffix(inner, ")")
			if v.Name == mock && v.Class == "jest.fn" && ok && whole && !strings.Contains(inner, "\n") {
				return inner
			}
		}
	}
	return ""
}

// variableOf is the file and the name of a variable, without the titles of its block.
func variableOf(place string) (file, name string) {
	file, name, _ = strings.Cut(place, " ")
	if i := strings.LastIndex(name, "] "); i >= 0 && strings.HasPrefix(name, "[") {
		name = name[i+2:]
	}
	return file, name
}

// variable adds what resets a variable: by its name, where the test knows it, or by what its module
// offers.
func (s *seenState) variable(ctx context.Context, place string) error {
	file, name := variableOf(place)
	s.module = file
	switch {
	case file == s.f.o.file && !identifier.MatchString(name):
		return nil
	case file == s.f.o.file:
		if good, known := s.value(name); known && literal.MatchString(good) && !s.constant(name) {
			s.say(name + " = " + s.untypedValue(name, s.f.o.quoted(good)))
		}
		for _, b := range s.f.blocks {
			for _, v := range b.Variables {
				if v.Name == name && !s.brittle {
					s.r.variable(s.f.o, v)
				}
			}
		}
		s.observed(name + ".")
	default:
		if err := s.r.offered(ctx, s.f.o, file); err != nil {
			return err
		}
		s.observed("") // before functions that need an import
		if err := s.unimported(ctx, file); err != nil {
			return err
		}
	}
	s.setAgain()
	for _, array := range reordered(s.changes) {
		if s.brittle {
			break
		}
		for _, at := range s.reach(file, array) {
			s.r.keepElements(s.f, s.field, at)
		}
	}
	for _, c := range s.changes {
		for _, at := range s.reach(file, c.Path) {
			if store, _, ok := strings.Cut(at, stateOfStore); ok && !s.brittle {
				s.r.keepStore(s.f, s.field, store)
			}
			s.contents(at, c)
		}
	}
	return nil
}

// observed adds the calls that a process has found in the file, and that begin so.
func (s *seenState) observed(prefix string) {
	for _, call := range s.r.e.p.calls.at(s.f) {
		if strings.HasPrefix(call, prefix) && !s.brittle {
			s.say(call)
		}
	}
}

// constant reports whether the test's blocks declare the variable with const.
func (s *seenState) constant(name string) bool {
	for _, b := range s.f.blocks {
		for _, v := range b.Variables {
			if v.Name == name {
				return v.Kind == "const"
			}
		}
	}
	return false
}

// contents adds what undoes one difference below a variable. At is its access path.
func (s *seenState) contents(at string, c state.Change) {
	if s.brittle || !accessible.MatchString(at) {
		return
	}
	if m := listening.FindStringSubmatch(at); m != nil && c.Before == absent {
		s.say(m[1] + ".removeAllListeners(" + jsString(m[2]+m[3]) + ")")
	}
	plain := at
	at = s.f.o.private(at)
	// untyped is the same statement for a member that TypeScript does not let the test use, if its name is not
	// written as a text.
	isText := at != plain
	untyped := func(before, path, after string) {
		if cast := s.f.o.untyped(path); cast != "" && !isText && !s.r.seen[before+cast+after] {
			s.r.seen[before+cast+after] = true
			s.r.last = append(s.r.last, patch.Made{Resets: s.field, Statements: []string{before + cast + after}})
		}
	}
	switch owner, isSize := strings.CutSuffix(at, ".size"); {
	case isSize && c.Before == "0":
		s.say(owner + ".clear()")
		if plain = strings.TrimSuffix(plain, ".size"); strings.Contains(plain, ".") {
			untyped("", plain, ".clear()")
		}
	case strings.HasSuffix(at, ".length"):
		if c.Before != "" && literal.MatchString(c.Before) {
			s.say(at + " = " + s.f.o.quoted(c.Before))
			if strings.Count(plain, ".") > 1 {
				untyped("", plain, " = "+c.Before)
			}
		}
	case !strings.ContainsAny(at, ".["):
	case c.Before == absent && s.restricted(plain, true):
		s.say("delete " + s.f.o.untyped(plain))
	case c.Before == absent:
		s.say("delete " + at)
		untyped("delete ", plain, "")
		untyped("", plain, " = undefined")
	case literal.MatchString(c.Before) && s.restricted(plain, false):
		s.say(s.f.o.untyped(plain) + " = " + s.f.o.quoted(c.Before))
	case literal.MatchString(c.Before):
		s.say(at + " = " + s.f.o.quoted(c.Before))
		untyped("", plain, " = "+s.f.o.quoted(c.Before))
	default:
		if c.After == mockFunction {
			s.spied(plain)
		}
		if at == plain { // a private member has no type that could be written
			s.keep(at)
		}
	}
}

// listening is the path of the listeners of an event, in an emitter of Node.
var listening = regexp.MustCompile(`^(.+)\._events(?:\.([A-Za-z_$][\w$]*)|\["([^"\\]*)"\])$`)

// stateOf are the tests at which statements may stand: those of the cause.
func stateOf(q project.ResetQuery) suite.Order {
	tests := suite.Order{q.Cause.Cases[0].Test}
	for _, t := range q.Cause.Polluter {
		if !slices.ContainsFunc(tests, func(o suite.TestID) bool { return jestid.File(o) == jestid.File(t) }) {
			tests = append(tests, t)
		}
	}
	return tests
}

// offered adds the functions that reset a module's state, of the module in this file.
func (r *resets) offered(ctx context.Context, o *outline, file string) error {
	only := *o
	only.Imports = slices.DeleteFunc(slices.Clone(o.Imports), func(i importing) bool {
		from, _ := r.e.module(o.file, i.From)
		return from != file
	})
	return r.modules(ctx, &only)
}

// cleanup adds the function of Testing Library that removes what was rendered.
func (r *resets) cleanup(o *outline) {
	for _, i := range o.Imports {
		if !strings.HasPrefix(i.From, "@testing-library/") {
			continue
		}
		for _, n := range i.Names {
			if n.Imported == "cleanup" {
				r.add("what was rendered", n.Local+"()")
			}
		}
	}
}
