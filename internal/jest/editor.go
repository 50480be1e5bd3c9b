package jest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/odfix/odfix/internal/jest/jestid"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// editor reads and edits the checkout's test files as text.
type editor struct {
	p       *Project
	parser  *parser
	globals sync.Map // names that were seen to be global in the project's tests
}

var _ project.Editor = (*editor)(nil)

// Editor implements project.Editable.
func (p *Project) Editor(context.Context) (project.Editor, error) {
	if p.launch.Babel == "" {
		return nil, &project.Error{Code: project.CodeNoEditor,
			Message: "the project's Jest comes without Babel, so its tests cannot be edited", Hint: "Tests are still run and diagnosed."}
	}
	parser, err := newParser(&p.launch, p.work, p.tree.dir)
	if err != nil {
		return nil, err
	}
	return &editor{p: p, parser: parser}, nil
}

// Close ends the parser.
func (e *editor) Close() error { return e.parser.Close() }

// Build implements repair.Editor.
func (e *editor) Build(ctx context.Context, edit repair.Edit) (*repair.Built, error) {
	if len(edit.Except) > 0 {
		return nil, &repair.UnfitError{Reason: "the blocks of a Jest file get the same statements"}
	}
	if edit.Style == patch.Inline && edit.Made != nil && len(edit.Made.Await) > 0 {
		return e.awaiting(ctx, edit)
	}
	if edit.Style == patch.Inline && edit.Made != nil && len(edit.Made.Unshare) > 0 {
		return e.settingUpEach(ctx, edit)
	}
	if edit.Style == patch.Method || edit.Made.Rewrites() {
		return nil, &repair.UnfitError{Reason: "statements of a Jest test stand where they run"}
	}
	built := &repair.Built{Files: map[string]string{}, Before: map[string]string{}}
	changes, edited := map[*outline][]change{}, map[string]string{}
	var places []*found
	for _, t := range append([]suite.TestID{edit.At}, edit.Also...) {
		at, err := e.find(ctx, t)
		if err != nil {
			return nil, err
		}
		places = append(places, at)
	}
	for i, at := range places {
		one, items, err := e.together(ctx, edit, at, places)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			for _, it := range items {
				built.Kept = append(built.Kept, it.id)
				built.Statements = append(built.Statements, dedented(it))
			}
		}
		for _, c := range one {
			if !slices.Contains(changes[at.o], c) { // two tests of one block share its hooks
				changes[at.o] = append(changes[at.o], c)
			}
		}
	}
	for o, list := range changes {
		text := apply(o.text, lineEnds(o.text, separated(o.text, list)))
		if edit.Switched && isTypeScript(o.file) {
			text = unchecked(text)
		}
		if err := e.parser.keeps(ctx, o.file, o.text, text); err != nil {
			return nil, err
		}
		path := e.p.launch.inCheckout(o.file)
		built.Files[path], built.Before[path], edited[o.file] = text, o.text, text
	}
	built.Overlay = e.p.addOverlay(edited)
	return built, nil
}

// together are the changes at one of several tests. Hooks of several blocks of a file become one in the
// block around all of them, if the statements can stand there.
func (e *editor) together(ctx context.Context, edit repair.Edit, at *found, all []*found) ([]change, []*item, error) {
	if slices.Contains([]patch.Location{patch.VictimSetup, patch.PolluterTeardown, patch.PolluterClassTeardown}, edit.Location) {
		around := &found{o: at.o, test: at.test, blocks: at.blocks}
		for _, other := range all {
			if other.o == at.o {
				around.blocks = shared(around.blocks, other.blocks)
			}
		}
		if out, items, err := e.changes(ctx, edit, around); err == nil {
			return out, items, nil
		}
	}
	return e.changes(ctx, edit, at)
}

// shared are the blocks, outermost first, that hold two tests.
func shared(a, b []*block) []*block {
	n := 0
	for n < min(len(a), len(b)) && a[n].BodyStart == b[n].BodyStart {
		n++
	}
	return a[:n]
}

// unchecked switches the checks of types off in a file with several statements that have switches. One
// of them that does not fit its types would keep the others from running. Jest reads options in the
// comment at the beginning of the file, so that stays first.
func unchecked(text string) string {
	at := len(leading.FindString(text))
	return text[:at] + "// @ts-nocheck\n" + text[at:]
}

// leading is a file's first comment, or the line that names its interpreter.
var leading = regexp.MustCompile(`^(#!.*\n)?(\s*/\*[\s\S]*?\*/[^\S\n]*\n)?`)

// lineEnds gives the new text the file's own line ends.
func lineEnds(text string, list []change) []change {
	if !strings.Contains(text, "\r\n") {
		return list
	}
	var out []change
	for _, c := range list {
		c.text = strings.ReplaceAll(strings.ReplaceAll(c.text, "\r\n", "\n"), "\n", "\r\n")
		out = append(out, c)
	}
	return out
}

// changes are what an edit changes at one test, and the statements that it puts there.
func (e *editor) changes(ctx context.Context, edit repair.Edit, at *found) ([]change, []*item, error) {
	if edit.Location == patch.VictimSetupStart {
		return nil, nil, &repair.UnfitError{Reason: "statements are not put before a beforeEach"}
	}
	if edit.Location == patch.PolluterClassTeardown {
		if at = at.once(); at == nil {
			return nil, nil, &repair.UnfitError{Reason: "no block around the test sets anything up once for all its tests"}
		}
	}
	items, err := e.items(ctx, edit, at)
	if err != nil {
		return nil, nil, err
	}
	if edit.Made != nil && len(edit.Made.Fields) > 0 {
		if edit.Location != patch.PolluterTeardown {
			return nil, nil, &repair.UnfitError{Reason: "what a test replaces is kept before it"}
		}
		out, err := e.keeping(edit, at, items)
		if err != nil {
			return nil, nil, err
		}
		imports := append(e.missing(at, items, "beforeEach"), e.missing(at, nil, "afterEach")...)
		return append(at.o.importing(imports), out...), items, checkImports(imports)
	}
	b, err := newBody(at.o, items, edit)
	if err != nil {
		return nil, nil, err
	}
	if at.test.Fn == nil && (edit.Location == patch.VictimStart || edit.Location == patch.PolluterEnd) {
		return nil, nil, &repair.UnfitError{Reason: "the test's function is not written in the test itself"}
	}
	if at.test.Failing && edit.Location == patch.VictimStart {
		return nil, nil, &repair.UnfitError{Reason: "the test passes if it throws, and a statement at its start could throw"}
	}
	var out []change
	hook := ""
	switch edit.Location {
	case patch.VictimStart:
		out, err = b.into(at.o, at.test.Fn, false)
	case patch.PolluterEnd:
		out, err = b.into(at.o, at.test.Fn, true)
	case patch.VictimSetup:
		hook = "beforeEach"
	case patch.PolluterTeardown:
		hook = "afterEach"
	case patch.PolluterClassTeardown:
		hook = "afterAll"
	case patch.VictimBlockSetup:
		out, err = b.beforeAll(at.o, at.innermost())
	default:
		err = &repair.UnfitError{Reason: "a Jest test has no place " + string(edit.Location)}
	}
	if hook != "" {
		out, err = b.hook(at.o, at.innermost(), hook)
	}
	if err != nil {
		return nil, nil, err
	}
	// Imports come first: a new hook may stand where they begin.
	imports := e.missing(at, items, hook)
	return append(at.o.importing(imports), out...), items, checkImports(imports)
}

// items are the statements of an edit.
func (e *editor) items(ctx context.Context, edit repair.Edit, at *found) ([]*item, error) {
	if edit.Made == nil {
		l, err := e.list(ctx, edit.Helper)
		if err != nil {
			return nil, err
		}
		items, err := l.chosen(edit.Keep, at, edit.Complete)
		if err != nil || edit.Switched {
			return items, err
		}
		return withoutUnused(items), nil
	}
	seen := visible(at.o, at.blocks)
	for _, f := range edit.Made.Fields {
		name, _, _ := strings.Cut(f, " = ")
		seen[name] = true
	}
	for _, n := range at.o.Globals {
		seen[n] = true // a setup file made it
	}
	var out []*item
	var culprits []string
	var reason string
	for k, id := range edit.Made.IDs() {
		if !slices.Contains(edit.Keep, id) {
			continue
		}
		text := at.o.styled(edit.Made.Statements[k])
		parsed, err := e.parser.snippet(ctx, at.o.file, text)
		if _, ok := errors.AsType[*repair.UnfitError](err); err != nil && !ok {
			return nil, err
		}
		if n := len(parsed); err != nil || n != 1 && (n != 2 || !resetAndForget.MatchString(text)) {
			culprits, reason = append(culprits, id), cmp.Or(reason, "a statement is none, or several")
			continue
		}
		it := &item{id: id, role: "body", text: text, imports: edit.Made.Imports}
		for _, s := range parsed {
			it.Uses, it.Assigns, it.Await = append(it.Uses, s.Uses...), append(it.Assigns, s.Assigns...), it.Await || s.Await
		}
		if slices.ContainsFunc(it.Uses, func(n string) bool { return !seen[n] && !ambient[n] && !e.isGlobal(n) && !it.canImport(n) }) ||
			e.misled(at, it) {
			culprits, reason = append(culprits, id), cmp.Or(reason, "the place does not know the names that the statements use")
			continue
		}
		out = append(out, it)
	}
	if len(culprits) > 0 {
		return nil, &repair.UnfitError{Reason: reason, Culprits: culprits}
	}
	return out, nil
}

// isGlobal reports whether a name was seen to be a global of the project's tests.
func (e *editor) isGlobal(name string) bool {
	_, known := e.globals.Load(name)
	return known
}

// ambient are the names that every test knows, as far as statements of ours use them.
var ambient = map[string]bool{
	"jest": true, "require": true, "process": true, "globalThis": true, "global": true, "window": true, "document": true,
	"localStorage": true, "sessionStorage": true, "navigator": true, "undefined": true,
}

// missing are the names that a file has to import for the items, and for the hook around them,
// where it imports Jest's own.
func (e *editor) missing(at *found, items []*item, hook string) []added {
	seen, declared := visible(at.o, at.blocks), map[string]bool{}
	for _, it := range items {
		for _, n := range it.Declares {
			declared[n] = true
		}
	}
	var out []added
	add := func(n added) {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	own := slices.ContainsFunc(at.o.Imports, func(i importing) bool { return i.From == "@jest/globals" && i.Last > 0 })
	if own && hook != "" && !seen[hook] {
		add(added{local: hook, imported: hook, from: "@jest/globals", esm: true})
	}
	for _, it := range items {
		if own && slices.Contains(it.Uses, "jest") && !seen["jest"] {
			add(added{local: "jest", imported: "jest", from: "@jest/globals", esm: true})
		}
		for _, n := range imported(it, at.o, seen, declared) {
			add(n)
		}
		for _, i := range it.imports {
			if slices.Contains(it.Uses, i.Local()) && !seen[i.Local()] {
				add(e.importOf(at.o, i))
			}
		}
	}
	return out
}

// Location implements project.Editor.
func (e *editor) Location(ctx context.Context, t suite.TestID) (*state.Source, error) {
	f, err := e.find(ctx, t)
	if err != nil {
		return nil, nil // made while the file runs
	}
	return &state.Source{File: e.p.launch.inCheckout(jestid.File(t)), Line: f.o.line(f.test.Start), EndLine: f.o.line(f.test.End)}, nil
}

// ProcessWriters implements project.Editor.
func (e *editor) ProcessWriters(ctx context.Context) (suite.Order, error) {
	var out suite.Order
	for _, file := range e.p.files {
		o, err := e.outline(ctx, file)
		if err != nil {
			if ctx.Err() != nil {
				return out, ctx.Err()
			}
			continue // a file that cannot be parsed has no tests either
		}
		if !processState.MatchString(o.text) {
			continue
		}
		for _, t := range e.p.suite.Order() {
			if jestid.File(t) != file {
				continue
			}
			if f := o.find(t); processState.MatchString(o.text[f.test.Start:f.test.End]) {
				out = append(out, t)
			}
		}
	}
	return out, nil
}

// Resets implements project.Editor.
func (e *editor) Resets(ctx context.Context, q project.ResetQuery) (*project.Resets, error) {
	out := &project.Resets{}
	if !q.Reset || len(q.Cause.Cases) == 0 {
		return out, nil
	}
	r := &resets{e: e, seen: map[string]bool{}, locals: map[string]string{}}
	victim := q.Cause.Cases[0].Test
	found, ferr := e.find(ctx, victim)
	if ferr == nil && !q.Cause.Brittle() {
		r.anew = found.anew()
		r.allMocks(found)
	}
	for _, t := range stateOf(q) {
		if err := r.ofState(ctx, t, q); err != nil {
			return out, fmt.Errorf("statements that may restore what was seen to differ, in the file of %s: %w", t, err)
		}
	}
	for _, t := range append(suite.Order{victim}, q.Cause.Polluter...) {
		if err := r.of(ctx, t, q.Cause.Brittle()); err != nil {
			return out, fmt.Errorf("statements that may reset what %s uses: %w", t, err)
		}
	}
	if ferr == nil {
		r.mocks(found)
	}
	r.common()
	if n := len(q.Cause.Polluter); n > 0 && !q.Cause.Brittle() {
		r.before(e.makeEach(ctx, victim, q.Cause.Polluter[n-1]))
	}
	out.Made = append(fewOfEach(r.made), r.last...)
	if ferr == nil {
		out.Made = e.usualFirst(ctx, found, out.Made, q.Fields)
	}
	return out, nil
}
