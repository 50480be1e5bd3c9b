package patch

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// File is the part of a patch that changes one file.
type File struct {
	Path  string
	Hunks []Hunk
}

// Hunk replaces some lines by others. Lines include their line ends.
type Hunk struct {
	Line   int // 1-based, where Before starts in the text before; without lines before, the line after which After is inserted
	Before []string
	After  []string

	kinds []byte // of the lines as they were read, ' ', '-' or '+'; nil: not read
}

// Parse reads a patch as Unified or git writes it. It accepts only changes of existing text files,
// and otherwise returns an error.
func Parse(diff string) ([]File, error) {
	p := parser{lines: Lines(diff)}
	for p.at < len(p.lines) {
		if err := p.header(); err != nil {
			return nil, fmt.Errorf("the patch's line %d: %w", min(p.at+1, len(p.lines)), err)
		}
	}
	if len(p.files) == 0 {
		return nil, fmt.Errorf("the patch changes no file")
	}
	for _, f := range p.files {
		if len(f.Hunks) == 0 {
			return nil, fmt.Errorf("the patch names %s and changes nothing in it", f.Path)
		}
	}
	return p.files, nil
}

type parser struct {
	lines []string
	at    int
	files []File
}

// refused are extended headers of git for changes other than changed lines.
var refused = []string{
	"new file", "deleted file", "rename ", "copy ", "old mode", "new mode", "Binary files", "GIT binary",
}

// header reads one line outside of hunks. If a hunk starts there, it reads the hunk.
func (p *parser) header() error {
	line := strings.TrimRight(p.lines[p.at], "\r\n")
	for _, r := range refused {
		if strings.HasPrefix(line, r) {
			return fmt.Errorf("%q is not supported: only changes of existing text files are", line)
		}
	}
	switch {
	case strings.HasPrefix(line, "--- "):
		return p.names(line)
	case strings.HasPrefix(line, "@@ "):
		if len(p.files) == 0 {
			return fmt.Errorf("a hunk before any file name")
		}
		return p.hunk(line)
	}
	p.at++ // "diff --git", "index", or text around the patch
	return nil
}

func (p *parser) names(from string) error {
	if p.at+1 >= len(p.lines) || !strings.HasPrefix(p.lines[p.at+1], "+++ ") {
		return fmt.Errorf("%q is not followed by a +++ line", from)
	}
	before, _, err := unquote(strings.TrimPrefix(from, "--- "))
	if err != nil {
		return err
	}
	p.at++
	after, _, err := unquote(strings.TrimRight(p.lines[p.at][len("+++ "):], "\r\n"))
	if err != nil {
		return err
	}
	a, fine := strings.CutPrefix(before, "a/")
	b, fine2 := strings.CutPrefix(after, "b/")
	if !fine || !fine2 || a != b {
		return fmt.Errorf("expected a/NAME and b/NAME of one file, found %q and %q", before, after)
	}
	if !Local(a) {
		return fmt.Errorf("%q is not a path inside the checkout", a)
	}
	p.at++
	p.files = append(p.files, File{Path: a})
	return nil
}

// Local reports whether a path in a patch stays inside the folder to which the patch is applied.
func Local(p string) bool {
	return p != "" && p != "." && !path.IsAbs(p) && path.Clean(p) == p && p != ".." &&
		!strings.HasPrefix(p, "../") && !strings.ContainsAny(p, "\\\x00") &&
		p != ".git" && !strings.HasPrefix(p, ".git/") && !strings.Contains(p, "/.git/")
}

func (p *parser) hunk(head string) error {
	start, before, after, err := ranges(head)
	if err != nil {
		return err
	}
	h := Hunk{Line: start}
	for p.at++; len(h.Before) < before || len(h.After) < after; p.at++ {
		if p.at >= len(p.lines) {
			return fmt.Errorf("the patch ends inside a hunk")
		}
		if err := p.body(&h); err != nil {
			return err
		}
	}
	p.noNewline(&h)
	if len(h.Before) != before || len(h.After) != after {
		return fmt.Errorf("a hunk holds other numbers of lines than its header %q says", head)
	}
	if !slices.ContainsFunc(h.kinds, func(kind byte) bool { return kind != ' ' }) {
		return fmt.Errorf("a hunk that changes nothing") // git takes no such patch
	}
	f := &p.files[len(p.files)-1]
	f.Hunks = append(f.Hunks, h)
	return nil
}

// body reads one line of a hunk.
func (p *parser) body(h *Hunk) error {
	line := p.lines[p.at]
	text, kind := line[1:], line[0]
	if text == "" && strings.IndexByte(" -+", kind) >= 0 {
		return fmt.Errorf("the patch ends inside a hunk")
	}
	if kind != '\\' {
		h.kinds = append(h.kinds, kind)
	}
	switch kind {
	case ' ':
		h.Before, h.After = append(h.Before, text), append(h.After, text)
	case '-':
		h.Before = append(h.Before, text)
	case '+':
		h.After = append(h.After, text)
	case '\\':
		if !p.noNewline(h) {
			return fmt.Errorf("unexpected %q", line)
		}
		p.at-- // noNewline is past this line, and the caller will be, too
	default:
		return fmt.Errorf("expected a line of a hunk, found %q", line)
	}
	return nil
}

// noNewline removes the newline of the line before a "\ No newline" marker, if there is a marker
// here.
func (p *parser) noNewline(h *Hunk) bool {
	if p.at == 0 || p.at >= len(p.lines) || p.lines[p.at][0] != '\\' {
		return false
	}
	kind := p.lines[p.at-1][0]
	if kind == '\\' {
		return false
	}
	if kind != '+' && len(h.Before) > 0 {
		cut(h.Before)
	}
	if kind != '-' && len(h.After) > 0 {
		cut(h.After)
	}
	p.at++
	return true
}

func cut(lines []string) {
	last := &lines[len(lines)-1]
	*last = strings.TrimSuffix(*last, "\n")
}

// hunkHeader is how git begins a hunk. What follows is for people.
var hunkHeader = regexp.MustCompile(`^@@ -([0-9]+(?:,[0-9]+)?) \+([0-9]+(?:,[0-9]+)?) @@`)

// ranges reads "@@ -start,count +start,count @@".
func ranges(head string) (start, before, after int, err error) {
	f := hunkHeader.FindStringSubmatch(head)
	if f == nil {
		return 0, 0, 0, fmt.Errorf("expected @@ -start,count +start,count @@, found %q", head)
	}
	start, before, err = Range(f[1])
	if err == nil {
		_, after, err = Range(f[2])
	}
	if err == nil && (before+after == 0 || before > 0 && start == 0) {
		err = fmt.Errorf("a hunk without lines, or before the first line: %q", head)
	}
	return start, before, after, err
}

// Range reads "start,count", or "start" alone for one line, from the header of a hunk.
func Range(s string) (start, count int, err error) {
	from, n, has := strings.Cut(s, ",")
	if !has {
		n = "1"
	}
	a, err := strconv.ParseUint(from, 10, 31)
	if err != nil {
		return 0, 0, fmt.Errorf("%q is no line number", from)
	}
	c, err := strconv.ParseUint(n, 10, 31)
	if err != nil {
		return 0, 0, fmt.Errorf("%q is no number of lines", n)
	}
	return int(a), int(c), nil
}

// Lines splits a text after every newline; the last line may have none.
func Lines(text string) []string {
	return slices.Collect(strings.Lines(text))
}
