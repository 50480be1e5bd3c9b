package jest

// Patches that make for each test what a block of the file makes once for all of them: const app = createApp()
// becomes a variable that a beforeEach sets.

import (
	"context"
	"fmt"
	"regexp"
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
				with := e.madeOf(o, one)
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
func (e *editor) madeOf(o *outline, v *variable) []*variable {
	out := []*variable{v}
	for i := 0; i < len(out); i++ {
		if !e.again(o, out[i]) {
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
func (e *editor) again(o *outline, v *variable) bool {
	makes := slices.Contains([]string{"CallExpression", "NewExpression", "ObjectExpression", "ArrayExpression"}, v.Type)
	kind := slices.Contains([]string{"const", "let", "var"}, v.Kind)
	once := strings.Contains(v.Init, "(") && (lasting.MatchString(v.Init) || resource.MatchString(v.Init))
	rest, _, _ := strings.Cut(o.text[v.End:], "\n")
	root, _, _ := strings.Cut(v.Class, ".")
	return makes && kind && v.Single && v.Again && v.InitEnd > 0 && identifier.MatchString(v.Name) && !once && !makesMock.MatchString(v.Class) &&
		root != "jest" && root != "require" && o.beginsLine(v.Start) && (strings.TrimSpace(rest) == "" || comment.MatchString(strings.TrimSpace(rest))) &&
		(!isTypeScript(o.file) || e.typed(o, v) != "")
}

// resource is an expression that takes something which does not go by itself: a process, a timer, a connection.
var resource = regexp.MustCompile(`(?i)(connect|listen|spawn|fork|exec|interval|timeout|mkdtemp|symbol|createcontext)\w*\(|(Client|Pool|Worker|Socket|Server|Browser|Database|DataSource|Sequelize|Redis)\(`)

// typed is the type of a variable, with the colon; "" in JavaScript, or if it has no type that the file can name.
func (e *editor) typed(o *outline, v *variable) string {
	switch {
	case v.Typed != "" || !isTypeScript(o.file):
		return v.Typed
	case v.Type == "NewExpression" && strings.Contains(v.Made, "<"):
		return ": " + v.Made
	case v.Type == "NewExpression" && e.declares(o, v.Made, "class NAME"):
		return ": " + v.Made
	case v.Type == "NewExpression" && accessPath.MatchString(v.Made):
		return ": InstanceType<typeof " + v.Made + ">"
	case v.Type == "CallExpression" && e.declares(o, v.Made, `function\s+NAME\s*\(|const NAME = (?:async )?\(`):
		return ": ReturnType<typeof " + v.Made + ">"
	}
	return ""
}

// declares reports whether the file, or the module of the project from which it imports the name, has a declaration of
// this form, without type parameters.
func (e *editor) declares(o *outline, name, form string) bool {
	text := o.text
	for _, i := range o.Imports {
		for _, n := range i.Names {
			if n.Local == name {
				if !i.ESM || !identifier.MatchString(n.Imported) {
					return false
				}
				_, text = e.module(o.file, i.From)
				name = n.Imported
			}
		}
	}
	if !identifier.MatchString(name) {
		return false
	}
	declaration, err := regexp.Compile(`\b(?:` + strings.ReplaceAll(form, "NAME", regexp.QuoteMeta(name)) + `)\s*(<)?`)
	m := []string(nil)
	if err == nil {
		m = declaration.FindStringSubmatch(text)
	}
	return m != nil && m[1] == ""
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
	if v == nil || !e.again(o, v) {
		return nil, nil, unfit
	}
	return o, v, nil
}

// makingEach are the changes of the declarations of variables that are made for each test, those of the hooks that make
// them, and the statements that do so.
func (e *editor) makingEach(o *outline, of []*variable) (declared, hooks []change, statements []string, err error) {
	for _, v := range of {
		for _, use := range o.early(v.Name) {
			if !slices.ContainsFunc(of, func(w *variable) bool { return w.InitStart <= use && use < w.InitEnd }) {
				return nil, nil, nil, &repair.UnfitError{Reason: v.Name + " is needed before the first test begins"}
			}
		}
	}
	end := ""
	if o.semicolons() {
		end = ";"
	}
	type setting struct {
		body
		at   *block
		last *variable
	}
	var all []*setting
	for _, v := range of {
		text := v.Name + " = " + dedented(&item{text: o.text[v.InitStart:v.InitEnd], from: o, statement: statement{Start: v.Start}}) + end
		declared = append(declared, change{v.Start, v.End, "let " + v.Name + e.typed(o, v) + end})
		statements = append(statements, text)
		at := o.Root.holding(v)
		i := slices.IndexFunc(all, func(s *setting) bool { return s.at == at })
		if i < 0 {
			i, all = len(all), append(all, &setting{at: at})
		}
		s := all[i]
		s.texts, s.raw, s.last = append(s.texts, text), append(s.raw, false), v
		s.items = append(s.items, &item{statement: statement{Assigns: []string{v.Name}}})
	}
	for _, s := range all {
		some, err := o.setting(&s.body, s.at, s.last)
		if err != nil {
			return nil, nil, nil, err
		}
		hooks = append(hooks, some...)
	}
	return declared, hooks, statements, nil
}

// setting puts the statements that make variables into the block's first beforeEach, or into a new one before it if
// that takes a callback, or has variables of these names. Without one, they get a new hook after the last declaration.
func (o *outline) setting(b *body, at *block, last *variable) ([]change, error) {
	first := slices.IndexFunc(at.Hooks, func(h *hook) bool { return h.Name == "beforeEach" })
	if first < 0 {
		out, err := b.hook(o, at, "beforeEach")
		if err != nil || len(out) != 1 || out[0].start >= last.End {
			return out, err
		}
		line := last.End + len(before(o.text[last.End:], "\n"))
		return []change{{line, line, "\n\n" + b.newHook(o, o.indent(last.Start), "beforeEach")}}, nil
	}
	h := at.Hooks[first]
	own := h.Fn != nil && slices.ContainsFunc(b.items, func(it *item) bool { return slices.Contains(h.Fn.Declares, it.Assigns[0]) })
	if h.Fn != nil && !h.Fn.Generator && h.Fn.Parameters == 0 && !own {
		return b.into(o, h.Fn, false)
	}
	if !o.beginsLine(h.Start) {
		return nil, &repair.UnfitError{Reason: "no hook can stand before the one that is there"}
	}
	return []change{{h.Start, h.Start, strings.TrimLeft(b.newHook(o, o.indent(h.Start), "beforeEach"), " \t") + "\n\n" + o.indent(h.Start)}}, nil
}

// before is the text before the first separator, or all of it.
func before(text, separator string) string {
	head, _, _ := strings.Cut(text, separator)
	return head
}

// holding is the block that declares a variable.
func (b *block) holding(v *variable) *block {
	for _, c := range b.Children {
		if c.variable(func(w *variable) bool { return w.Start == v.Start }) != nil {
			return c.holding(v)
		}
	}
	return b
}
