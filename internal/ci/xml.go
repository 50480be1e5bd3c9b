package ci

import (
	"bufio"
	"errors"
	"io"
	"strconv"
	"strings"
)

// tagReader reads the tags of an XML document in constant memory, and drops everything between
// them. Reports are often not well-formed. They have illegal control characters, or end early
// because the JVM died. They may have hundreds of megabytes of output. A general parser refuses
// such a file or holds it in memory. tagReader expands only XML's five entities and character
// references.
type tagReader struct{ br *bufio.Reader }

// tag is a start tag, an end tag (closing) or both (empty).
type tag struct {
	name           string
	attrs          map[string]string
	closing, empty bool
}

const (
	maxTagName   = 256
	maxAttrValue = 16 << 10
	maxAttrs     = 64
)

var errDoctype = errors.New("it has a DOCTYPE, which no test report has")

// next returns the next tag. It returns io.EOF at the end of the document.
func (t *tagReader) next() (tag, error) {
	for {
		if err := t.discardTo('<'); err != nil {
			return tag{}, err
		}
		head, _ := t.br.Peek(8)
		switch {
		case strings.HasPrefix(string(head), "!--"):
			if err := t.discardPast("-->"); err != nil {
				return tag{}, err
			}
		case strings.HasPrefix(string(head), "![CDATA["):
			if err := t.discardPast("]]>"); err != nil {
				return tag{}, err
			}
		case strings.HasPrefix(string(head), "!"):
			return tag{}, errDoctype
		case strings.HasPrefix(string(head), "?"):
			if err := t.discardPast("?>"); err != nil {
				return tag{}, err
			}
		case len(head) > 0 && (head[0] == '/' || isNameStart(head[0])):
			return t.tag()
		} // else a stray '<' in text
	}
}

func isNameStart(c byte) bool {
	return c == '_' || c == ':' || c >= 0x80 || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func (t *tagReader) discardTo(end byte) error {
	for {
		_, err := t.br.ReadSlice(end)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

func (t *tagReader) discardPast(end string) error {
	matched := 0
	for matched < len(end) {
		c, err := t.br.ReadByte()
		if err != nil {
			return err
		}
		switch {
		case c == end[matched]:
			matched++
		case matched == 2 && end[0] == end[1] && c == end[1]: // "--->", "]]]>"
		case c == end[0]:
			matched = 1
		default:
			matched = 0
		}
	}
	return nil
}

// tag reads from after '<' to after '>'.
func (t *tagReader) tag() (tag, error) {
	var out tag
	name, c, err := t.word()
	if err == nil && name == "" && c == '/' {
		out.closing = true
		name, c, err = t.word()
	}
	out.name = name
	for err == nil {
		switch {
		case c == '>':
			return out, nil
		case c == '/':
			out.empty = true
			c, err = t.br.ReadByte()
		default:
			out.empty = false
			c, err = t.attr(&out)
		}
	}
	return out, err
}

// attr reads ` name="value"` if it comes next, and returns the byte after it.
func (t *tagReader) attr(out *tag) (byte, error) {
	name, c, err := t.word()
	if err != nil || c != '=' {
		return c, err
	}
	quote, err := t.br.ReadByte()
	if err != nil || (quote != '"' && quote != '\'') {
		return quote, err
	}
	value, err := t.value(quote)
	if err != nil {
		return 0, err
	}
	if len(out.attrs) < maxAttrs {
		if out.attrs == nil {
			out.attrs = map[string]string{}
		}
		out.attrs[name] = value
	}
	return t.br.ReadByte()
}

// word reads a name, and returns the byte that ended it. The caller's loop skips blanks before the
// name.
func (t *tagReader) word() (string, byte, error) {
	var b []byte
	for {
		c, err := t.br.ReadByte()
		if err != nil || strings.IndexByte(" \t\r\n/>=\"'", c) >= 0 {
			return string(b), c, err
		}
		if len(b) < maxTagName {
			b = append(b, c)
		}
	}
}

func (t *tagReader) value(quote byte) (string, error) {
	var b []byte
	for {
		c, err := t.br.ReadByte()
		if err != nil {
			return "", err
		}
		if c == quote {
			return validUTF8([]byte(unescape(string(b)))), nil
		}
		if len(b) < maxAttrValue {
			b = append(b, c)
		}
	}
}

var entities = map[string]string{"lt": "<", "gt": ">", "amp": "&", "quot": `"`, "apos": "'"}

// unescape resolves XML's own entities and character references. It keeps other entities.
func unescape(s string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, "&")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		name, after, found := strings.Cut(rest[:min(len(rest), 12)], ";")
		text, known := entities[name]
		if n, ok := charRef(name); ok {
			text, known = string(n), true
		}
		if !found || !known {
			b.WriteByte('&')
			s = rest
			continue
		}
		b.WriteString(text)
		s = rest[len(rest[:min(len(rest), 12)])-len(after):]
	}
}

func charRef(name string) (rune, bool) {
	digits, ok := strings.CutPrefix(name, "#")
	base := 10
	if hex, isHex := strings.CutPrefix(digits, "x"); isHex {
		digits, base = hex, 16
	}
	n, err := strconv.ParseUint(digits, base, 21)
	return rune(n), ok && err == nil
}

// tagsOf reads tags until the document ends. cut means that it ended inside a tag, or that its root
// was not closed.
func tagsOf(r io.Reader, each func(t tag, depth int) error) (cut bool, err error) {
	tr := &tagReader{br: bufio.NewReaderSize(r, sniffBytes)}
	depth := 0
	for {
		t, err := tr.next()
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return depth != 0 || t.name != "", nil
		}
		if err != nil {
			return false, err
		}
		if t.closing {
			depth--
		}
		if err := each(t, depth); err != nil {
			return false, err
		}
		if !t.closing && !t.empty {
			depth++
		}
	}
}
