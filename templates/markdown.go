package templates

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
	"text/template"
	"unicode/utf8"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/shell"
	"github.com/odfix/odfix/internal/suggest"
	"github.com/odfix/odfix/internal/suite"
)

// What is shown of a foreign text within a sentence, in characters.
const maxSpan = 200

// markdown are the functions of the templates that make Markdown. Whatever is
// foreign goes through one of them: code, names, prose or fenced.
var markdown = template.FuncMap{
	"code":    Code,
	"names":   nameList,
	"prose":   Prose,
	"told":    told,
	"about":   about,
	"fenced":  fenced,
	"excerpt": excerpt,
	"count":   count,
	"plural":  plural,
	"help":    help,
	"quote":   shell.Quote,
	"inc":     func(i int) int { return i + 1 },
}

// parsed are the Markdown templates, read once: a plan renders many.
var parsed = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("md").Funcs(markdown).ParseFS(files, "*.md.tmpl"))
})

// md renders one of the Markdown templates.
func md(name string, data any) string {
	var b strings.Builder
	if err := parsed().ExecuteTemplate(&b, name, data); err != nil {
		panic(err) // as in render
	}
	return squeeze(b.String())
}

// squeeze takes out blank lines that follow blank lines, as templates leave
// them behind. Inside a block every line counts.
func squeeze(text string) string {
	var b strings.Builder
	fence, blank := "", true
	for l := range strings.Lines(strings.TrimRight(text, "\n")) {
		line := strings.TrimRight(l, "\n")
		ticks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case fence != "" && line == fence:
			fence = ""
		case fence == "" && len(ticks) >= 3 && !strings.Contains(line[len(ticks):], "`"):
			fence = ticks
		case fence == "" && line == "" && blank:
			continue
		}
		blank = fence == "" && line == ""
		b.WriteString(line + "\n")
	}
	return b.String()
}

// Code is a foreign text as a code span: on one line, of bounded length, and
// nothing in it means anything to Markdown, HTML or GitHub.
func Code(s string) string {
	s = strings.TrimSpace(Harmless(s, false))
	if s == "" {
		return "(empty)"
	}
	if utf8.RuneCountInString(s) > maxSpan {
		s = string([]rune(s)[:maxSpan-1]) + "…"
	}
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}

// nameList is "`a`, `b` and 3 more tests". A single name more than most is a name, too.
func nameList(names []string, most int, what string) string {
	var out []string
	if len(names) == most+1 {
		most++
	}
	for _, n := range names[:min(len(names), most)] {
		out = append(out, Code(n))
	}
	if more := len(names) - most; more > 0 {
		out = append(out, count(more, "more "+what))
	}
	if len(out) < 2 {
		return strings.Join(out, "")
	}
	return strings.Join(out[:len(out)-1], ", ") + " and " + out[len(out)-1]
}

// Prose is a sentence of ours that may hold foreign words. Words of letters
// and small numbers stay; everything else becomes a code span, so that there
// is nothing left to link, mention or format.
func Prose(s string) string {
	var out, odd []string
	flush := func() {
		if len(odd) > 0 {
			out = append(out, Code(strings.Join(odd, " ")))
		}
		odd = nil
	}
	for _, w := range strings.Fields(Harmless(s, false)) {
		lead, core, tail := peel(w)
		if !ordinary(core) {
			if lead != "" && strings.Trim(lead, "(") == "" && tail != "" {
				flush()
				out = append(out, lead+Code(core)+tail)
				continue
			}
			odd = append(odd, lead+core)
			if tail == "" {
				continue
			}
			flush()
			out[len(out)-1] += tail
			continue
		}
		flush()
		out = append(out, w)
	}
	flush()
	text := strings.Join(out, " ")
	if utf8.RuneCountInString(text) > 10*maxSpan {
		return Code(s)
	}
	return text
}

// about are the names of the tests that the result for a test speaks of.
func about(all job.Names, t job.TestReport) job.Names {
	out := job.Names{}
	orders := slices.Concat([]suite.Order{{t.Test}, t.MinimalOrder}, t.Polluters, t.StateSetters)
	for _, c := range t.Cleaners {
		orders = append(orders, c.Cleaner)
	}
	for _, id := range slices.Concat(orders...) {
		if name, ok := all[id]; ok {
			out[id] = name
		}
	}
	return out
}

// told returns a sentence that may contain short names of tests. They may contain blanks.
func told(n job.Names, s string) string {
	if len(s) > 10*maxSpan {
		return Prose(s)
	}
	var short []string
	for id := range n {
		if name := n.Short(id); strings.Contains(name, " ") && strings.Contains(s, name) {
			short = append(short, name)
		}
	}
	slices.SortFunc(short, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(b, a)) })
	return toldOf(short, s)
}

// toldOf is told for short names, the longest first.
func toldOf(short []string, s string) string {
	i := slices.IndexFunc(short, func(name string) bool { return strings.Contains(s, name) })
	if i < 0 {
		return Prose(s)
	}
	longest := short[i]
	before, after, _ := strings.Cut(s, longest)
	text := Code(Harmless(longest, false))
	if b := toldOf(short[i:], before); b != "" {
		text = b + " " + text
	}
	rest := strings.TrimLeft(after, ",;:.!?)")
	text += after[:len(after)-len(rest)]
	if a := toldOf(short[i:], rest); a != "" {
		text += " " + a
	}
	return text
}

// peel takes the punctuation off a word.
func peel(w string) (lead, core, tail string) {
	core = strings.TrimLeft(w, "(\"'")
	lead = w[:len(w)-len(core)]
	bare := strings.TrimRight(core, ",;:.!?)\"'")
	return lead, bare, core[len(bare):]
}

// measured is a number with a fraction, such as a time.
var measured = regexp.MustCompile(`^[0-9]{1,6}\.[0-9]{1,3}(ms|s)?$`)

// commit is a word that could name a commit, or a part of one that could.
var commit = regexp.MustCompile(`(?:^|[-'])[0-9a-fA-F]{7,40}(?:$|[-'])`)

// ordinary words are letters, joined by hyphens or an apostrophe, or numbers. None could name a commit.
func ordinary(w string) bool {
	if measured.MatchString(w) {
		return true
	}
	if commit.MatchString(w) {
		return false
	}
	digits := w != "" && len(w) <= 6
	for i, r := range w {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		inner := (r == '-' || r == '\'') && i > 0 && i < len(w)-1
		digits = digits && r >= '0' && r <= '9'
		if !letter && !inner && !digits {
			return false
		}
	}
	return w != ""
}

// fenced is foreign text of several lines as a block of Markdown.
func fenced(info, text string) string {
	return suggest.Block(info, Harmless(text, true))
}

// maxBlock is how many bytes of a stack trace or of a compiler's output are shown.
const maxBlock = 8000

// excerpt is the beginning of a text of many lines.
func excerpt(text string) string {
	text = strings.Join(shorten(strings.Split(strings.TrimRight(text, "\n"), "\n"), maxDetail), "\n")
	if len(text) > maxBlock {
		text = strings.ToValidUTF8(text[:maxBlock], "") + "…"
	}
	return text
}
