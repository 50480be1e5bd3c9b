package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// parse parses a text. It refuses anchors, aliases, merge keys, tags, second documents, large texts
// and deep nesting. A nil node without a problem means that the file has no settings.
func (d *decoder) parse(text []byte) *yaml.Node {
	if size := max(d.size, int64(len(text))); size > MaxBytes {
		d.add(1, 1, "", fmt.Sprintf("the file has %d bytes, and %d is the most", size, MaxBytes),
			"Shorten it; patterns with * can replace long lists.")
		return nil
	}
	if at := invalidUTF8(text); at >= 0 {
		line, column := position(text, at)
		d.add(line, column, "", "the file is not UTF-8 here", "Save it as UTF-8.")
		return nil
	}
	if at := oddBreak(text); at >= 0 {
		line, column := position(text, at)
		d.add(line, column, "", "YAML ends a line here, and editors do not",
			"End lines with a line feed; the character here is a lone carriage return, U+0085, U+2028 or U+2029.")
		return nil
	}
	doc, err := document(text)
	if err != nil {
		d.syntax(text, err)
		return nil
	}
	if doc == nil || len(doc.Content) == 0 || isNull(doc.Content[0]) {
		return nil
	}
	if before := len(d.problems); !d.plain(doc.Content[0], 1) || len(d.problems) > before {
		return nil
	}
	return doc.Content[0]
}

var errSecondDocument = errors.New("second document")

// document reads the only document; nil: none. It turns panics of the parser into errors, since the
// input is untrusted.
func document(text []byte) (doc *yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			doc, err = nil, fmt.Errorf("yaml: %v", r)
		}
	}()
	dec, err := yaml.NewLoader(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	var first, second yaml.Node
	switch err := dec.Load(&first); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, err
	}
	switch err := dec.Load(&second); {
	case errors.Is(err, io.EOF):
		return &first, nil
	case err != nil:
		return nil, err
	}
	return &second, errSecondDocument
}

// syntax turns the parser's error into a problem.
func (d *decoder) syntax(text []byte, err error) {
	if errors.Is(err, errSecondDocument) {
		d.add(secondDocument(text), 1, "", "a second YAML document begins here", "Keep one document: remove the line ---.")
		return
	}
	var e *yaml.LoadError
	if !errors.As(err, &e) {
		d.add(1, 1, "", "this is not YAML", "Begin with one setting, such as enabled: true, and add the others one by one.")
		return
	}
	line, column := e.Mark.Line, e.Mark.Column
	if last := bytes.Count(text, []byte("\n")) + 1; line > last {
		line, column = last, 1
	}
	d.add(line, column, "", "this is not YAML: "+tidy(e.Message), syntaxHint(e))
}

func syntaxHint(e *yaml.LoadError) string {
	begun := fmt.Sprintf("line %d, column %d", e.ContextMark.Line, e.ContextMark.Column)
	switch {
	case strings.Contains(e.Message, "anchor") || strings.Contains(e.Message, "alphabetic"):
		return "Put a text that begins with * or & in quotes."
	case strings.Contains(e.Message, "tab "):
		return "YAML is indented with spaces: replace the tab."
	case strings.Contains(e.ContextMsg, "flow"):
		return "Close the bracket of " + begun + "."
	case strings.Contains(e.ContextMsg, "quoted"):
		return "Close the quote of " + begun + "."
	}
	return "Check indentation, colons and quotes here and in the line above."
}

// tidy shortens a message of the parser to one line.
func tidy(s string) string {
	s = strings.Join(strings.Fields(strings.Map(printable, s)), " ")
	if r := []rune(s); len(r) > 120 {
		s = string(r[:120]) + "…"
	}
	return s
}

func printable(r rune) rune {
	if unicode.IsPrint(r) {
		return r
	}
	return ' '
}

// secondDocument is the line where the second document begins.
func secondDocument(text []byte) int {
	seen := false
	for i, l := range strings.Split(string(text), "\n") {
		l = strings.TrimRight(l, "\r")
		if seen && (l == "---" || strings.HasPrefix(l, "--- ")) {
			return i + 1
		}
		seen = seen || (l != "" && !strings.HasPrefix(l, "#") && !strings.HasPrefix(l, "---") && !strings.HasPrefix(l, "%"))
	}
	return 1
}

// plain refuses YAML that a settings file does not need. false means that the nesting is too deep.
func (d *decoder) plain(n *yaml.Node, depth int) bool {
	switch {
	case depth > maxDepth:
		d.add(n.Line, n.Column, "", "this is nested too deeply", "No setting has more than three levels of keys.")
		return false
	case n.Kind == yaml.AliasNode:
		d.add(n.Line, n.Column, "", fmt.Sprintf("*%s is an alias, and aliases are not read", n.Value),
			"Write the value itself, or put it in quotes if the * belongs to it.")
	case n.Anchor != "":
		d.add(n.Line, n.Column, "", fmt.Sprintf("&%s is an anchor, and anchors are not read", n.Anchor),
			"Remove it, or put the text in quotes if the & belongs to it.")
	case n.Style&yaml.TaggedStyle != 0:
		d.add(n.Line, n.Column, "", fmt.Sprintf("%s is a tag, and tags are not read", n.Tag),
			"Remove it, or put the text in quotes if the ! belongs to it.")
	}
	if n.Kind == yaml.AliasNode {
		return true
	}
	for _, c := range n.Content {
		if !d.plain(c, depth+1) || d.full() {
			return false
		}
	}
	return true
}

func isNull(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" && n.Style&yaml.TaggedStyle == 0
}

// invalidUTF8 is the position of the first invalid UTF-8; -1: none.
func invalidUTF8(text []byte) int {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// oddBreak is the position where YAML ends a line and editors do not; -1: none. After it, the line
// numbers of a problem would be wrong.
func oddBreak(text []byte) int {
	at := bytes.IndexAny(text, "\u0085\u2028\u2029")
	for i, c := range text {
		if at >= 0 && i >= at {
			break
		}
		if c == '\r' && (i+1 == len(text) || text[i+1] != '\n') {
			return i
		}
	}
	return at
}

func position(text []byte, at int) (line, column int) {
	before := text[:at]
	start := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[start:]) + 1
}
