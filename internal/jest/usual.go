package jest

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/patch"
)

// maxUsual is how many proposals come first because the hooks of other files have them.
const maxUsual = 3

// maxUsualFiles is how many test files are read for them, those of the nearest folders first.
const maxUsualFiles = 40

// usualFirst puts the statements first that the hooks of other test files have, those of most files
// before the others: a maintainer would write the same here. Only calls of what has the same
// meaning in both files count. Resets of mocks only come first where the state is one of mocks, and
// what a hook around the failing test calls already never does.
func (e *editor) usualFirst(ctx context.Context, f *found, made []patch.Made, fields []string) []patch.Made {
	o := f.o
	mocks := slices.ContainsFunc(fields, func(f string) bool { return ofMocks.MatchString(f) })
	own := f.hooked()
	wanted := func(m patch.Made) bool {
		return m.Switchable() && !own[bare(m)] && (mocks || !strings.HasPrefix(bare(m), "jest."))
	}
	begin := slices.IndexFunc(made, func(m patch.Made) bool { return m.Switchable() })
	if begin < 0 {
		return made
	}
	files, read := map[string]int{}, 0 // in how many other files a statement stands, by its text
	for _, file := range nearest(e.p.files, o.file) {
		text, err := e.p.source(file)
		if err != nil || !slices.ContainsFunc(made[begin:], func(m patch.Made) bool { return wanted(m) && strings.Contains(text, bare(m)) }) {
			continue
		}
		if read++; read > maxUsualFiles {
			break
		}
		other, err := e.outline(ctx, file)
		if err != nil {
			continue // a file that cannot be parsed shows nothing
		}
		for statement := range other.hooked() {
			if o.meaning(e, statement) == other.meaning(e, statement) {
				files[statement]++
			}
		}
	}
	var usual []int
	for i, m := range made {
		if i >= begin && wanted(m) && files[bare(m)] > 0 {
			usual = append(usual, i)
		}
	}
	slices.SortStableFunc(usual, func(a, b int) int { return files[bare(made[b])] - files[bare(made[a])] })
	usual = usual[:min(len(usual), maxUsual)]
	out := slices.Clone(made[:begin])
	for _, i := range usual {
		out = append(out, made[i])
	}
	for i, m := range made[begin:] {
		if !slices.Contains(usual, begin+i) {
			out = append(out, m)
		}
	}
	return out
}

// ofMocks are the kinds of state that Jest's own functions restore.
var ofMocks = regexp.MustCompile(`^(mock|mocked|spy|core) `)

// bare is the call that a proposal makes, without await and semicolon.
func bare(m patch.Made) string { return bareCall(m.Statements[len(m.Statements)-1]) }

func bareCall(statement string) string {
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(statement), "await "), ";")
}

// nearest are the other files, those with the longest common folder first.
func nearest(files []string, to string) []string {
	common := func(file string) (n int) {
		a, b := strings.Split(file, "/"), strings.Split(to, "/")
		for n < min(len(a), len(b)) && a[n] == b[n] {
			n++
		}
		return n
	}
	out := slices.DeleteFunc(slices.Clone(files), func(f string) bool { return f == to })
	slices.SortStableFunc(out, func(a, b string) int { return common(b) - common(a) })
	return out
}

// hooked are the calls in the hooks of a file.
func (o *outline) hooked() map[string]bool {
	out := map[string]bool{}
	var walk func(b *block)
	walk = func(b *block) {
		o.hookedBy(b, out)
		for _, c := range b.Children {
			walk(c)
		}
	}
	walk(o.Root)
	return out
}

// hooked are the calls in the hooks around a test.
func (f *found) hooked() map[string]bool {
	out := map[string]bool{}
	for _, b := range f.blocks {
		f.o.hookedBy(b, out)
	}
	return out
}

// hookedBy adds the calls in the hooks of a block.
func (o *outline) hookedBy(b *block, to map[string]bool) {
	for _, h := range b.Hooks {
		if h.Fn == nil {
			continue
		}
		for _, s := range h.Fn.Statements {
			if text := o.source(s); s.Type == "ExpressionStatement" && text != "" {
				to[bareCall(text)] = true
			}
		}
	}
}

// firstName is the name with which a statement begins.
var firstName = regexp.MustCompile(`^[\w$]+`)

// meaning is what the first name of a statement stands for: a module and a name in it, or a global.
// What the file declares itself has a meaning of its own.
func (o *outline) meaning(e *editor, statement string) string {
	root := firstName.FindString(statement)
	for _, i := range o.Imports {
		for _, n := range i.Names {
			if n.Local != root {
				continue
			}
			from, _ := e.module(o.file, i.From)
			if from == "" {
				from = i.From
			}
			return from + " " + n.Imported
		}
	}
	if slices.Contains(o.Root.Declares, root) || !slices.Contains(o.Globals, root) && !ambient[root] {
		return o.file + " " + root
	}
	return "global " + root
}
