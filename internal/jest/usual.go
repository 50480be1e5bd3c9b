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

// usualFirst puts the statements first that the hooks of other test files have, those of most files before the
// others: a maintainer would write the same here. Only calls of what has the same meaning in both files count.
// Resets of mocks only come first where the state is one of mocks.
func (e *editor) usualFirst(ctx context.Context, o *outline, made []patch.Made, fields []string) []patch.Made {
	mocks := len(fields) == 0 || slices.ContainsFunc(fields, func(f string) bool { return ofMocks.MatchString(f) })
	begin := slices.IndexFunc(made, func(m patch.Made) bool { return m.Switchable() })
	if begin < 0 {
		return made
	}
	files := map[string]int{} // in how many other files a statement stands, by its text
	for _, file := range e.p.files {
		text, err := e.p.source(file)
		if err != nil || file == o.file || !slices.ContainsFunc(made[begin:], func(m patch.Made) bool { return m.Switchable() && strings.Contains(text, bare(m)) }) {
			continue
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
		if i >= begin && m.Switchable() && files[bare(m)] > 0 && (mocks || !strings.HasPrefix(bare(m), "jest.")) {
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

// bare is the call that a proposal makes; it stands in sources with or without await and semicolon.
func bare(m patch.Made) string { return bareCall(m.Statements[len(m.Statements)-1]) }

func bareCall(statement string) string {
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(statement), "await "), ";")
}

// hooked are the calls in the hooks of a file.
func (o *outline) hooked() map[string]bool {
	out := map[string]bool{}
	var walk func(b *block)
	walk = func(b *block) {
		for _, h := range b.Hooks {
			if h.Fn == nil {
				continue
			}
			for _, s := range h.Fn.Statements {
				if s.Type == "ExpressionStatement" && s.Start <= s.End && s.End <= len(o.text) {
					out[bareCall(o.text[s.Start:s.End])] = true
				}
			}
		}
		for _, c := range b.Children {
			walk(c)
		}
	}
	walk(o.Root)
	return out
}

// firstName is the name with which a statement begins.
var firstName = regexp.MustCompile(`^[\w$]+`)

// meaning is what the first name of a statement stands for: a module and a name in it, or a global. What the
// file declares itself has a meaning of its own.
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
