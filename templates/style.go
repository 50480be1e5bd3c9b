package templates

import (
	"fmt"
	"slices"
	"strings"
	"text/template"
	"unicode/utf8"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/shell"
)

// functions are what the templates may call besides the built-in ones.
func functions(o Options) template.FuncMap {
	p := paint(o.Color)
	return template.FuncMap{
		"bold": p.with("1"), "dim": p.with("2"), "red": p.with("31"), "green": p.with("32"), "yellow": p.with("33"),
		"label":  func(s string) string { return p.with("2")(fmt.Sprintf("  %-14s", s)) },
		"diff":   func(lines []string) string { return p.diff(lines) },
		"mark":   func(ok bool) string { return p.mark(ok) },
		"wrap":   func(s string) string { return wrap(s, o.width()-4, "  ") },
		"flush":  func(s string) string { return wrap(s, o.width(), "") },
		"under":  func(s string) string { return "    " + wrap(s, o.width()-4, "    ") },
		"hang":   func(s string) string { return wrap(s, o.width()-margin, strings.Repeat(" ", margin)) },
		"checks": func(cs []job.Check) string { return p.checks(cs, o.width()-margin) },
		"cut":    func(s string) string { return cut(s, o.width()-margin) },
		"both":   func(s string) string { return fit(halves(s, maxFailure*(o.width()-margin)), o.width()-margin) },
		"fit":    func(s string) string { return fit(s, o.width()-margin) },
		"step":   func(s step) string { return p.step(s, o.width()-margin) },
		"indent": indent,
		"quote":  shell.Quote,
		"detail": func(s string) string {
			return indent(strings.Join(shorten(strings.Split(strings.TrimRight(s, "\n"), "\n"), maxDetail), "\n"))
		},
	}
}

// margin is the width of the labels' column.
const margin = 16

// paint says whether escape sequences may be used.
type paint bool

func (p paint) with(code string) func(string) string {
	return func(s string) string {
		if !p || s == "" {
			return s
		}
		return "\x1b[" + code + "m" + s + "\x1b[0m"
	}
}

func (p paint) mark(ok bool) string {
	if ok {
		return p.with("32")("✓")
	}
	return p.with("31")("✗")
}

// checks puts claims that hold in one paragraph: there are many, and
// nobody has to do anything about them.
func (p paint) checks(cs []job.Check, width int) string {
	var words []string
	for _, c := range cs {
		claim := c.Name
		if c.Repeats > 1 {
			claim += fmt.Sprintf(" %d×", c.Repeats)
		}
		if c.Detail != "" {
			claim += " (" + c.Detail + ")"
		}
		words = append(words, "✓\x00"+claim) // the mark stays with its first word
	}
	text := wrap(strings.Join(words, " "), width, strings.Repeat(" ", margin))
	return strings.ReplaceAll(text, "✓\x00", p.mark(true)+" ")
}

// diff colours the lines of a unified diff as git does.
func (p paint) diff(lines []string) string {
	var b strings.Builder
	for _, l := range lines {
		code := ""
		switch {
		case strings.HasPrefix(l, "--- "), strings.HasPrefix(l, "+++ "), strings.HasPrefix(l, "diff "):
			code = "1"
		case strings.HasPrefix(l, "@@"):
			code = "36"
		case strings.HasPrefix(l, "+"):
			code = "32"
		case strings.HasPrefix(l, "-"):
			code = "31"
		}
		if code != "" {
			l = p.with(code)(l)
		}
		b.WriteString("    " + l + "\n")
	}
	return b.String()
}

// wrap breaks a sentence at spaces; lines after the first begin with the prefix.
func wrap(s string, width int, prefix string) string {
	var b strings.Builder
	at := 0
	for i, word := range strings.Fields(s) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case at+1+n > width:
			b.WriteString("\n" + prefix)
			at = 0
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += n
	}
	return b.String()
}

// fit wraps a text that is longer than a line. A shorter one stays as it is, blanks included.
func fit(s string, width int) string {
	if utf8.RuneCountInString(s) <= width {
		return s
	}
	return wrap(s, width, strings.Repeat(" ", margin))
}

// step is a test of an order with its role, which has a line of its own where there is no room.
func (p paint) step(s step, width int) string {
	name := utf8.RuneCountInString(s.Test)
	switch {
	case s.Role == "":
		return s.Test
	case name+2+utf8.RuneCountInString(s.Role) <= width || 2*name > 3*width: // such a name takes lines enough
		return s.Test + "  " + p.with("33")(s.Role)
	}
	return strings.TrimRight(s.Test, " ") + "\n" + strings.Repeat(" ", margin+2) + p.with("33")(s.Role)
}

// maxFailure is how many lines the message of a failure has at most.
const maxFailure = 3

// halves shortens a message. One that says what was expected and what was found keeps the beginning
// of both.
func halves(s string, width int) string {
	s, _, _ = strings.Cut(s, "\n")
	at := strings.Index(s, "but was")
	if utf8.RuneCountInString(s) <= width || at < 0 {
		return cut(s, width)
	}
	found := cut(s[at:], max(width/2, width-1-utf8.RuneCountInString(s[:at])))
	return cut(strings.TrimRight(s[:at], " "), width-1-utf8.RuneCountInString(found)) + " " + found
}

// cut is the first line, shortened to a width.
func cut(s string, width int) string {
	s, _, _ = strings.Cut(s, "\n")
	if utf8.RuneCountInString(s) <= width {
		return s
	}
	return string([]rune(s)[:width-1]) + "…"
}

// maxDetail is how many lines of a compiler or a log are shown.
const maxDetail = 40

// shorten leaves out the middle of too many lines: what broke stands first,
// and what came of it last.
func shorten(lines []string, most int) []string {
	if len(lines) <= most {
		return lines
	}
	head, tail := most*3/4, most-most*3/4-1
	dots := fmt.Sprintf("… %d lines left out …", len(lines)-head-tail)
	return slices.Concat(lines[:head], []string{dots}, lines[len(lines)-tail:])
}

// indent moves each line to the right.
func indent(s string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n    ")
}
