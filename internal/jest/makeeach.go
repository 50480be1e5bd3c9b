package jest

// Patches that make for each test what a block of the file makes once for all of them: const app = createApp()
// becomes a variable that a beforeEach sets.

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// maxMade is how many variables are proposed one by one.
const maxMade = 6

// makeEach proposes that variables which both tests use are made for each test: each of them with those that are
// made of it, and then all of them. The innermost blocks come first. Names are those of all these variables.
func (e *editor) makeEach(ctx context.Context, victim, polluter suite.TestID) (out []patch.Made, names []string) {
	v, err := e.find(ctx, victim)
	if err != nil {
		return nil, nil
	}
	p, err := e.find(ctx, polluter)
	if err != nil || p.o != v.o {
		return nil, nil
	}
	used, too, o := v.reachable(), p.reachable(), v.o
	what := state.Hooks + v.o.file
	var all []*variable
	for _, b := range slices.Backward(shared(v.blocks, p.blocks)) {
		for i := range b.Variables {
			if one := &b.Variables[i]; used[one.Name] && too[one.Name] && !slices.Contains(all, one) {
				with := o.madeOf(one)
				if len(with) > 0 && len(out) < maxMade {
					out = append(out, patch.Made{Unshare: o.declarations(with), Resets: what})
				}
				all = suite.AppendNew(all, with...)
			}
		}
	}
	if len(out) > 1 {
		out = append(out, patch.Made{Unshare: o.declarations(all), Resets: what})
	}
	for _, one := range all {
		names = append(names, one.Name)
	}
	return out, names
}

// before adds proposals that make variables again before the first statement that changes a part of one of them, or
// keeps a copy of it: making it again restores all of it. Methods that reset it come first.
func (r *resets) before(made []patch.Made, names []string) {
	at := slices.IndexFunc(r.made, func(m patch.Made) bool {
		return slices.ContainsFunc(names, func(n string) bool {
			return len(m.Fields) == 1 && strings.HasSuffix(m.Fields[0], " = [..."+n+"]") || len(m.Statements) == 1 && changesPart(m.Statements[0], n)
		})
	})
	if at < 0 {
		at = len(r.made)
	}
	r.made = slices.Insert(r.made, at, made...)
}

// changesPart reports whether a statement sets, deletes or shortens a part of what a variable holds. An array that
// becomes empty has no other parts.
func changesPart(statement, name string) bool {
	rest, deletes := strings.CutPrefix(statement, "delete ")
	part, of := strings.CutPrefix(rest, name)
	path, _, assigns := strings.Cut(part, " = ")
	return of && (deletes || assigns) && !strings.Contains(path, "(") && part != ".length = 0" &&
		(strings.HasPrefix(part, ".") || strings.HasPrefix(part, "["))
}

// reachable are the names that a test uses, or its hooks, or what they use of what the blocks around them declare.
func (f *found) reachable() map[string]bool {
	out := map[string]bool{}
	var add func(names []string)
	add = func(names []string) {
		for _, n := range names {
			if out[n] {
				continue
			}
			out[n] = true
			for _, b := range f.blocks {
				for _, s := range b.Fields {
					if slices.Contains(s.Declares, n) {
						add(s.Uses)
					}
				}
			}
		}
	}
	fns := []*function{f.test.Fn}
	for _, b := range f.blocks {
		for _, h := range b.Hooks {
			fns = append(fns, h.Fn)
		}
	}
	for _, fn := range fns {
		if fn != nil {
			for _, s := range fn.Statements {
				add(s.Uses)
			}
		}
	}
	return out
}

// declarations are the places of variables in a patch.
func (o *outline) declarations(of []*variable) []string {
	var out []string
	for _, v := range of {
		out = append(out, fmt.Sprintf("%s:%d%s", o.file, o.line(v.Start), patch.BlockVariable))
	}
	return out
}

// madeOf is a variable, and those that are made of it when the file is loaded; nil if other code needs one of them
// then, or if one cannot be made for each test.
func (o *outline) madeOf(v *variable) []*variable {
	out := []*variable{v}
	for i := 0; i < len(out); i++ {
		if !o.again(out[i]) {
			return nil
		}
		for _, use := range o.early(out[i].Name) {
			maker := o.Root.variable(func(w *variable) bool { return w.InitStart <= use && use < w.InitEnd })
			if maker == nil {
				return nil
			}
			out = suite.AppendNew(out, maker)
		}
	}
	slices.SortFunc(out, func(a, b *variable) int { return a.Start - b.Start })
	return out
}

// early are the places where code needs a variable before the first beforeEach: when the file is loaded, and in
// what runs once for all tests.
func (o *outline) early(name string) []int {
	var out []int
	for _, u := range o.Early {
		if u.Name == name {
			out = append(out, u.At)
		}
	}
	if h := o.Root.hook(func(h *hook) bool { return eachTime[h.Name] != "" && h.Fn.usesAny([]string{name}) }); h != nil {
		out = append(out, h.Start)
	}
	return out
}

// again reports whether a variable can be made for each test: it is declared in lines of its own, and by an
// expression that makes something which is not meant to be made once. A mock is reset instead.
func (o *outline) again(v *variable) bool {
	makes := slices.Contains([]string{"CallExpression", "NewExpression", "ObjectExpression", "ArrayExpression"}, v.Type)
	once := strings.Contains(v.Init, "(") && lasting.MatchString(v.Init)
	rest, _, _ := strings.Cut(o.text[min(v.End, len(o.text)):], "\n")
	root, _, _ := strings.Cut(v.Class, ".")
	return makes && v.Single && v.Again && v.InitEnd > 0 && identifier.MatchString(v.Name) && !once && !makesMock.MatchString(v.Class) &&
		root != "jest" && root != "require" && o.beginsLine(v.Start) && (strings.TrimSpace(rest) == "" || comment.MatchString(strings.TrimSpace(rest))) &&
		(!isTypeScript(o.file) || o.typed(v) != "")
}

// typed is the type of a variable, with the colon; "" in JavaScript, or if it has no name in the file.
func (o *outline) typed(v *variable) string {
	switch {
	case v.Typed != "":
		return v.Typed
	case !isTypeScript(o.file):
		return ""
	case v.Type == "NewExpression" && v.Made != "":
		return ": " + v.Made
	case v.Type == "CallExpression" && accessPath.MatchString(v.Made):
		return ": ReturnType<typeof " + v.Made + ">"
	}
	return ""
}

// variable finds a variable of the block, or of one in it.
func (b *block) variable(is func(*variable) bool) *variable {
	for i := range b.Variables {
		if is(&b.Variables[i]) {
			return &b.Variables[i]
		}
	}
	for _, c := range b.Children {
		if v := c.variable(is); v != nil {
			return v
		}
	}
	return nil
}

// variableAt finds the variable of FILE:LINE.declaration.
func (e *editor) variableAt(ctx context.Context, place string) (*outline, *variable, error) {
	unfit := &repair.UnfitError{Reason: "no variable is declared there that can be made for each test: " + place}
	at, _ := strings.CutSuffix(place, patch.BlockVariable)
	file, line, ok := cutLast(at)
	if !ok || !e.p.IsTestSource(e.p.launch.inCheckout(file)) {
		return nil, nil, unfit
	}
	o, err := e.outline(ctx, file)
	if err != nil {
		return nil, nil, err
	}
	v := o.Root.variable(func(v *variable) bool { return fmt.Sprint(o.line(v.Start)) == line })
	if v == nil || !o.again(v) {
		return nil, nil, unfit
	}
	return o, v, nil
}

// makingEach are the changes that make variables of a file for each test, and the statements that do so.
func (o *outline) makingEach(of []*variable) (out []change, statements []string, err error) {
	for _, v := range of {
		for _, use := range o.early(v.Name) {
			if !slices.ContainsFunc(of, func(w *variable) bool { return w.InitStart <= use && use < w.InitEnd }) {
				return nil, nil, &repair.UnfitError{Reason: v.Name + " is needed before the first test begins"}
			}
		}
	}
	end := ""
	if o.semicolons() {
		end = ";"
	}
	hooks := map[*block]*body{}
	for _, v := range of {
		text := v.Name + " = " + dedented(&item{text: o.text[v.InitStart:v.InitEnd], from: o, statement: statement{Start: v.Start}}) + end
		out = append(out, change{v.Start, v.End, "let " + v.Name + o.typed(v) + end})
		at := o.Root.holding(v)
		if hooks[at] == nil {
			hooks[at] = &body{}
		}
		hooks[at].texts, hooks[at].raw = append(hooks[at].texts, text), append(hooks[at].raw, false)
		statements = append(statements, text)
	}
	for at, b := range hooks {
		some, err := b.hook(o, at, "beforeEach")
		if err != nil {
			return nil, nil, err
		}
		out = append(out, some...)
	}
	return out, statements, nil
}

// holding is the block that declares a variable.
func (b *block) holding(v *variable) *block {
	for _, c := range b.Children {
		if c.variable(func(w *variable) bool { return w == v }) != nil {
			return c.holding(v)
		}
	}
	return b
}
