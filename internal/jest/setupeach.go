package jest

// Patches that set up for each test what a block of the file sets up once for all of them.

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// eachTime are the hooks that run once for all tests of a block, and those that do the same for each test.
var eachTime = map[string]string{"beforeAll": "beforeEach", "afterAll": "afterEach"}

// lasting are names of calls that are meant to be made once: they take long, or need a port or a table that is
// free.
var lasting = regexp.MustCompile(`\b(listen|launch|connect|createServer|migrate|container|start|open)\w*\b`)

// setUpEach proposes that what the blocks around a test set up once is set up for each test, the innermost
// block first. Where an afterAll uses what a beforeAll has assigned, both change.
func (e *editor) setUpEach(ctx context.Context, t suite.TestID, what string) []patch.Made {
	f, err := e.find(ctx, t)
	if err != nil {
		return nil
	}
	var out []patch.Made
	for _, b := range slices.Backward(f.blocks) {
		made := patch.Made{Resets: what}
		for _, h := range b.Hooks {
			if h.Name != "beforeAll" || lasting.MatchString(f.o.text[h.Start:h.End]) {
				continue
			}
			lines := []string{fmt.Sprint(f.o.line(h.Start))}
			for _, end := range b.Hooks {
				if end.Name == "afterAll" && end.Fn.usesAny(h.Fn.assigns()) {
					lines = append(lines, fmt.Sprint(f.o.line(end.Start)))
				}
			}
			made.Unshare = append(made.Unshare, f.o.file+":"+strings.Join(lines, ",")+patch.BlockSetUp)
		}
		if len(made.Unshare) > 0 {
			out = append(out, made)
		}
	}
	return out
}

// assigns are the names that a hook assigns.
func (f *function) assigns() (names []string) {
	if f != nil {
		for _, s := range f.Statements {
			names = append(names, s.Assigns...)
		}
	}
	return names
}

// usesAny reports whether a hook uses one of the names.
func (f *function) usesAny(names []string) bool {
	return f != nil && slices.ContainsFunc(f.Statements, func(s statement) bool {
		return slices.ContainsFunc(s.Uses, func(n string) bool { return slices.Contains(names, n) })
	})
}

// line is the line of a position, from 1.
func (o *outline) line(at int) int { return 1 + strings.Count(o.text[:at], "\n") }

// settingUpEach changes the hooks and declarations of the edit, which may come from a report that nobody vouches
// for.
func (e *editor) settingUpEach(ctx context.Context, edit repair.Edit) (*repair.Built, error) {
	m := edit.Made
	if edit.Location != patch.Declaration || len(m.Statements)+len(m.Fields)+len(m.Annotate)+len(m.Await) > 0 {
		return nil, &repair.UnfitError{Reason: "a patch that changes hooks or declarations cannot also add statements"}
	}
	built := &repair.Built{Files: map[string]string{}, Before: map[string]string{}}
	changes, outlines, made := map[string][]change{}, map[string]*outline{}, map[string][]*variable{}
	for i, id := range m.IDs() {
		if !slices.Contains(edit.Keep, id) {
			continue
		}
		if strings.HasSuffix(m.Unshare[i], patch.BlockVariable) {
			o, v, err := e.variableAt(ctx, m.Unshare[i])
			if err != nil {
				return nil, err
			}
			built.Kept, outlines[o.file], made[o.file] = append(built.Kept, id), o, append(made[o.file], v)
			continue
		}
		o, list, err := e.hooksAt(ctx, m.Unshare[i])
		if err != nil {
			return nil, err
		}
		built.Kept, outlines[o.file] = append(built.Kept, id), o
		for _, c := range list {
			line, _, _ := strings.Cut(o.text[c.end:], "\n")
			changes[o.file] = append(changes[o.file], c)
			built.Statements = append(built.Statements, strings.TrimSpace(c.text+line))
		}
	}
	hooks, named := map[string][]change{}, map[string][]string{} // new statements, and the names of hooks, by file
	for file, list := range changes {
		for _, c := range list {
			named[file] = append(named[file], c.text)
		}
	}
	for file, of := range made {
		declared, more, statements, err := e.makingEach(outlines[file], of)
		if err != nil {
			return nil, err
		}
		changes[file], hooks[file], named[file] = append(changes[file], declared...), more, append(named[file], "beforeEach")
		built.Statements = append(built.Statements, statements...)
	}
	edited := map[string]string{}
	for file, list := range changes {
		o := outlines[file]
		var imports []added
		for _, name := range named[file] {
			imports = suite.AppendNew(imports, e.missing(&found{o: o, blocks: []*block{o.Root}}, nil, name)...)
		}
		before := apply(o.text, lineEnds(o.text, slices.Clone(list)))
		text := apply(o.text, lineEnds(o.text, separated(o.text, slices.Concat(o.importing(imports), list, hooks[file]))))
		if err := e.parser.keeps(ctx, file, before, text); err != nil {
			return nil, err
		}
		path := e.p.launch.inCheckout(file)
		built.Files[path], built.Before[path], edited[file] = text, o.text, text
	}
	if len(edited) == 0 {
		return nil, &repair.UnfitError{Reason: "no hook and no declaration is left that is changed"}
	}
	built.Overlay = e.p.addOverlay(edited)
	return built, nil
}

// hooksAt finds the hooks of FILE:LINE,LINE.beforeAll, and returns the changes of their names.
func (e *editor) hooksAt(ctx context.Context, place string) (*outline, []change, error) {
	unfit := &repair.UnfitError{Reason: "there is no such hook: " + place}
	at, isSetUp := strings.CutSuffix(place, patch.BlockSetUp)
	file, lines, ok := cutLast(at)
	if !ok || !isSetUp || !e.p.IsTestSource(e.p.launch.inCheckout(file)) {
		return nil, nil, unfit
	}
	o, err := e.outline(ctx, file)
	if err != nil {
		return nil, nil, err
	}
	var out []change
	for line := range strings.SplitSeq(lines, ",") {
		h := o.Root.hook(func(h *hook) bool { return eachTime[h.Name] != "" && fmt.Sprint(o.line(h.Start)) == line })
		if h == nil || !strings.HasPrefix(o.text[h.Start:], h.Name) {
			return nil, nil, unfit
		}
		out = append(out, change{h.Start, h.Start + len(h.Name), eachTime[h.Name]})
	}
	return o, out, nil
}

// hook finds a hook of the block, or of one in it.
func (b *block) hook(is func(*hook) bool) *hook {
	if i := slices.IndexFunc(b.Hooks, is); i >= 0 {
		return b.Hooks[i]
	}
	var inner *hook
	for _, c := range b.Children {
		inner = cmp.Or(inner, c.hook(is))
	}
	return inner
}
