package jest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// eachTime are the hooks that run once for all tests of a block, and those that do the same for each test.
var eachTime = map[string]string{"beforeAll": "beforeEach", "afterAll": "afterEach"}

// setUpEach proposes that what the blocks around a test set up once is set up for each test, the innermost
// block first; and that what they end once is ended after each test, too.
func (e *editor) setUpEach(ctx context.Context, t suite.TestID, what string) []patch.Made {
	f, err := e.find(ctx, t)
	if err != nil {
		return nil
	}
	var out []patch.Made
	for _, b := range slices.Backward(f.blocks) {
		setUp, all := patch.Made{Resets: what}, patch.Made{Resets: what}
		for _, h := range b.Hooks {
			at := fmt.Sprintf("%s:%d.%s", f.o.file, f.o.line(h.Start), h.Name)
			switch h.Name {
			case "beforeAll":
				setUp.Unshare = append(setUp.Unshare, at)
				all.Unshare = append(all.Unshare, at)
			case "afterAll":
				all.Unshare = append(all.Unshare, at)
			}
		}
		if len(setUp.Unshare) == 0 {
			continue
		}
		if out = append(out, setUp); len(all.Unshare) > len(setUp.Unshare) {
			out = append(out, all)
		}
	}
	return out
}

// line is the line of a position, from 1.
func (o *outline) line(at int) int { return 1 + strings.Count(o.text[:at], "\n") }

// settingUpEach changes the hooks of the edit, which may come from a report that nobody vouches for.
func (e *editor) settingUpEach(ctx context.Context, edit repair.Edit) (*repair.Built, error) {
	m := edit.Made
	if edit.Location != patch.Declaration || len(m.Statements)+len(m.Fields)+len(m.Annotate)+len(m.Await) > 0 {
		return nil, &repair.UnfitError{Reason: "a hook is changed where it is, and with nothing else"}
	}
	built := &repair.Built{Files: map[string]string{}, Before: map[string]string{}}
	changes, outlines := map[string][]change{}, map[string]*outline{}
	for i, id := range m.IDs() {
		if !slices.Contains(edit.Keep, id) {
			continue
		}
		o, c, err := e.hookAt(ctx, m.Unshare[i])
		if err != nil {
			return nil, err
		}
		changes[o.file], outlines[o.file] = append(changes[o.file], c), o
		line, _, _ := strings.Cut(o.text[c.end:], "\n")
		built.Kept, built.Statements = append(built.Kept, id), append(built.Statements, strings.TrimSpace(c.text+line))
	}
	edited := map[string]string{}
	for file, list := range changes {
		o := outlines[file]
		var imports []added
		for _, c := range list {
			for _, n := range e.missing(&found{o: o, blocks: []*block{o.Root}}, nil, c.text) {
				if !slices.Contains(imports, n) {
					imports = append(imports, n)
				}
			}
		}
		text := apply(o.text, lineEnds(o.text, append(o.importing(imports), list...)))
		if err := e.parser.keeps(ctx, file, text, text); err != nil { // whether it is a program
			return nil, err
		}
		path := e.p.launch.inCheckout(file)
		built.Files[path], built.Before[path], edited[file] = text, o.text, text
	}
	if len(edited) == 0 {
		return nil, &repair.UnfitError{Reason: "no hook is left that is changed"}
	}
	built.Overlay = e.p.addOverlay(edited)
	return built, nil
}

// hookAt finds a hook by FILE:LINE.NAME, and returns the change of its name.
func (e *editor) hookAt(ctx context.Context, place string) (*outline, change, error) {
	unfit := &repair.UnfitError{Reason: "there is no hook " + place}
	i := strings.LastIndexByte(place, '.')
	name := place[i+1:]
	file, line, ok := cutLast(place[:max(i, 0)])
	if !ok || eachTime[name] == "" || !e.p.IsTestSource(e.p.launch.inCheckout(file)) {
		return nil, change{}, unfit
	}
	o, err := e.outline(ctx, file)
	if err != nil {
		return nil, change{}, err
	}
	h := o.Root.hook(func(h *hook) bool { return h.Name == name && fmt.Sprint(o.line(h.Start)) == line })
	if h == nil || !strings.HasPrefix(o.text[h.Start:], name) {
		return nil, change{}, unfit
	}
	return o, change{h.Start, h.Start + len(name), eachTime[name]}, nil
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
