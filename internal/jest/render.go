package jest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/repair"
)

// change replaces a part of a text.
type change struct {
	start, end int
	text       string
}

// apply makes the changes. Changes at the same position keep their order.
func apply(text string, changes []change) string {
	slices.SortStableFunc(changes, func(a, b change) int { return a.start - b.start })
	var b strings.Builder
	done := 0
	for _, c := range changes {
		if c.start < done {
			continue // the same edit twice
		}
		b.WriteString(text[done:c.start] + c.text)
		done = c.end
	}
	return b.String() + text[done:]
}

// joins reports whether a text at the beginning of a line continues the statement before it, if that has
// no semicolon.
func joins(text string) bool {
	return text != "" && strings.ContainsRune("([`/+-", rune(text[0])) && !comment.MatchString(text)
}

var comment = regexp.MustCompile(`^/[/*]`)

// separated ends added lines with a semicolon where the text after them would continue them.
func separated(text string, changes []change) []change {
	var out []change
	for _, c := range changes {
		own := strings.TrimRight(c.text, " \t\n")
		if strings.Contains(c.text, "\n") && !strings.HasSuffix(own, ";") && joins(between.ReplaceAllString(text[c.end:], "")) {
			c.text = own + ";" + c.text[len(own):]
		}
		out = append(out, c)
	}
	return out
}

// between is what may stand between two statements.
var between = regexp.MustCompile(`^(\s|//.*|/\*(?s:.*?)\*/)*`)

// body is the text of items. Each statement begins a new line.
type body struct {
	items []*item
	texts []string // without indentation
	raw   []bool   // whether the lines of the text keep their indentation
	await bool
}

// isOn is the function that says whether a switch is on.
func isOn(o *outline) string {
	if isTypeScript(o.file) {
		return "(globalThis as any)[Symbol.for('odfix.on')]"
	}
	return "globalThis[Symbol.for('odfix.on')]"
}

// switchOf is the condition of a statement that runs only where its switch is on.
func switchOf(o *outline, k int) string { return fmt.Sprintf("if (%s(%d))", isOn(o), k) }

func isTypeScript(file string) bool {
	return strings.HasSuffix(file, "ts") || strings.HasSuffix(file, "tsx")
}

// newBody renders the items of an edit for a file. Switches are numbered as in edit.Keep. If several
// statements that no test contains are on, one that throws does not keep the others from running.
func newBody(o *outline, items []*item, edit repair.Edit) (*body, error) {
	b := &body{items: items}
	for _, it := range items {
		text, raw := dedented(it), it.Lines
		b.await = b.await || it.Await
		if k := slices.Index(edit.Keep, it.id); edit.Switched && k >= 0 {
			switch it.Type {
			case "FunctionDeclaration", "ClassDeclaration", "TSEnumDeclaration":
				return nil, &repair.UnfitError{Reason: "a declaration cannot be switched off", Culprits: []string{it.id}}
			case "VariableDeclaration":
				for _, word := range []string{"const ", "let "} {
					if rest, ok := strings.CutPrefix(text, word); ok {
						text = "var " + rest
					}
				}
			}
			if edit.Made != nil {
				text = "try { " + text + " } catch (odfixThrew) { if (!" + isOn(o) + ".several()) throw odfixThrew; }"
			}
			text = switchOf(o, k) + " { " + text + " }"
		}
		if !o.semicolons() && joins(text) {
			text = ";" + text
		}
		b.texts, b.raw = append(b.texts, text), append(b.raw, raw)
	}
	return b, nil
}

// at is the text with this indentation. It does not end with a line end.
func (b *body) at(indent string) string {
	var lines []string
	for i, t := range b.texts {
		lines = append(lines, indented(t, indent, b.raw[i]))
	}
	return strings.Join(lines, "\n")
}

// declares are the names that the items declare in the scope in which they stand.
func (b *body) declares() []string {
	var out []string
	for _, it := range b.items {
		out = append(out, it.Declares...)
	}
	return out
}

// into puts the body into a function, at its start or its end.
func (b *body) into(o *outline, f *function, atEnd bool) ([]change, error) {
	switch {
	case f.Generator:
		return nil, &repair.UnfitError{Reason: "a generator function cannot hold the statements"}
	case b.await && !f.Async && f.Parameters > 0:
		return nil, &repair.UnfitError{Reason: "the statements wait for a promise, and the function takes a callback"}
	}
	var out []change
	if b.await && !f.Async {
		out = append(out, change{f.Start, f.Start, "async "})
	}
	text := b
	if slices.ContainsFunc(b.declares(), func(n string) bool { return slices.Contains(f.Declares, n) || slices.Contains(f.Params, n) }) {
		text = b.wrapped(o)
	}
	base, unit := o.indent(f.Start), o.unit()
	if !f.Block {
		return append(out, o.fromExpression(f, text, base, unit, atEnd)), nil
	}
	if n := len(f.Statements); atEnd && n > 0 && f.Statements[n-1].Type == "ReturnStatement" {
		return nil, &repair.UnfitError{Reason: "the function ends with a return statement"}
	}
	inside := base + unit
	if len(f.Statements) > 0 && o.beginsLine(f.Statements[0].Start) {
		inside = o.indent(f.Statements[0].Start)
	}
	return append(out, o.insert(f.BodyStart, f.BodyEnd, text, base, inside, atEnd)), nil
}

// insert puts a body at the start or the end of a block in braces.
func (o *outline) insert(start, end int, b *body, base, inside string, atEnd bool) change {
	within := o.text[start:end]
	switch {
	case strings.TrimSpace(within) == "":
		return change{start, end, "\n" + b.at(inside) + "\n" + base}
	case !strings.Contains(within, "\n") && slices.ContainsFunc(b.texts, func(t string) bool { return strings.Contains(t, "\n") }):
		own := inside + strings.TrimSpace(within) // in lines of their own, since a line may end with a comment
		lines := []string{b.at(inside), own}
		if atEnd {
			slices.Reverse(lines)
		}
		return change{start, end, "\n" + strings.Join(lines, "\n") + "\n" + base}
	case !strings.Contains(within, "\n"): // all in one line
		var flat []string
		for _, t := range b.texts {
			flat = append(flat, ended(strings.ReplaceAll(t, "\n", " ")))
		}
		text := " " + strings.Join(flat, " ")
		if !atEnd {
			return change{start, start, text}
		}
		own := strings.TrimRight(within, " ")
		if at := start + len(own); ended(own) != own {
			return change{at, at, ";" + text}
		}
		return change{start + len(own), start + len(own), text}
	case atEnd:
		at := start + len(strings.TrimRight(within, " \t\r\n"))
		if strings.Contains(o.text[strings.LastIndexByte(o.text[:at], '\n')+1:at], "//") { // a comment may end the line
			at = start + strings.LastIndexByte(within, '\n')
		}
		return change{at, at, "\n" + b.at(inside)}
	}
	return change{start, start, "\n" + b.at(inside)}
}

// ended is a statement with a semicolon, if it needs one before another statement on its line.
func ended(statement string) string {
	if strings.HasSuffix(statement, ";") || strings.HasSuffix(statement, "}") {
		return statement
	}
	return statement + ";"
}

// fromExpression turns a function whose body is an expression into one with braces, and adds b.
func (o *outline) fromExpression(f *function, b *body, base, unit string, atEnd bool) change {
	expression := o.text[f.BodyStart:f.BodyEnd]
	if strings.HasPrefix(expression, "({") && strings.HasSuffix(expression, ")") {
		expression = "(" + strings.TrimSuffix(strings.TrimPrefix(expression, "("), ")") + ")"
	}
	end := ""
	if o.semicolons() {
		end = ";"
	}
	own := base + unit + "return " + expression + end
	text := "{\n" + b.at(base+unit) + "\n" + own + "\n" + base + "}"
	if atEnd {
		wait := ""
		if b.await || f.Async {
			wait = "await "
		}
		text = "{\n" + base + unit + wait + expression + end + "\n" + b.at(base+unit) + "\n" + base + "}"
	}
	return change{f.BodyStart, f.BodyEnd, text}
}

// wrapped is the body in braces of its own.
func (b *body) wrapped(o *outline) *body {
	return &body{items: nil, texts: []string{"{\n" + b.at(o.unit()) + "\n}"}, raw: []bool{slices.Contains(b.raw, true)}, await: b.await}
}

// hook puts the body into the block's first hook of that name that can hold it. If there is
// none, it makes a new hook.
func (b *body) hook(o *outline, at *block, name string) ([]change, error) {
	for _, h := range at.Hooks {
		if h.Name == name && h.Fn != nil && !h.Fn.Generator && h.Fn.Parameters == 0 {
			return b.into(o, h.Fn, name == "afterEach" || name == "afterAll" || b.follows(h.Fn))
		}
	}
	base, unit := o.indent(at.Start), o.unit()
	inside := ""
	if at.Kind != "file" {
		inside = base + unit
	}
	if len(at.Children) > 0 && o.beginsLine(at.Children[0].Lead) {
		inside = o.indent(at.Children[0].Lead)
	}
	text := b.newHook(o, inside, name)
	if n := len(at.Hooks); n > 0 && o.beginsLine(at.Hooks[n-1].Start) {
		last := at.Hooks[n-1]
		return []change{{last.End, last.End, "\n\n" + text}}, nil
	}
	if len(at.Children) > 0 && o.beginsLine(at.Children[0].Lead) {
		first := at.Children[0].Lead
		begin := strings.LastIndexByte(o.text[:first], '\n') + 1
		return []change{{begin, begin, text + "\n\n"}}, nil
	}
	return []change{{at.BodyStart, at.BodyStart, "\n" + text + "\n"}}, nil
}

// newHook is a hook with the body, and with this indentation.
func (b *body) newHook(o *outline, indent, name string) string {
	async, end := "", ""
	if b.await {
		async = "async "
	}
	if o.semicolons() {
		end = ";"
	}
	return indent + name + "(" + async + "() => {\n" + b.at(indent+o.unit()) + "\n" + indent + "})" + end
}

// beforeAll puts the body before all else in the block's first beforeAll that can hold it. A block
// without one is better served by beforeEach.
func (b *body) beforeAll(o *outline, at *block) ([]change, error) {
	for _, h := range at.Hooks {
		if h.Name == "beforeAll" && h.Fn != nil && h.Fn.Parameters == 0 {
			return b.into(o, h.Fn, false)
		}
	}
	return nil, &repair.UnfitError{Reason: "nothing is set up once for all tests of the block"}
}

// follows reports whether the body uses what the function assigns.
func (b *body) follows(f *function) bool {
	for _, s := range f.Statements {
		for _, it := range b.items {
			if slices.ContainsFunc(s.Assigns, func(n string) bool { return slices.Contains(it.Uses, n) }) {
				return true
			}
		}
	}
	return false
}
