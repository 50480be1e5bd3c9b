package patch

import (
	"fmt"
	"strings"
)

// escapes are the bytes that git writes with a letter (quote.c of git).
const (
	escaped = "\a\b\t\n\v\f\r\"\\"
	letters = `abtnvfr"\`
)

// quote writes a path as git does with its default core.quotePath: unchanged if it is plain ASCII,
// otherwise in double quotes with C escapes.
func quote(path string) string {
	var b strings.Builder
	for i := range len(path) {
		c := path[i]
		switch at := strings.IndexByte(escaped, c); {
		case at >= 0:
			b.WriteByte('\\')
			b.WriteByte(letters[at])
		case c < 0x20 || c >= 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	if b.String() == path {
		return path
	}
	return `"` + b.String() + `"`
}

// unquote reads a quoted path at the start of s and returns the rest. A plain name ends at a tab or
// at the end of the line.
func unquote(s string) (path, rest string, err error) {
	if !strings.HasPrefix(s, `"`) {
		path, rest, _ = strings.Cut(s, "\t")
		return path, rest, nil
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; c {
		case '"':
			return b.String(), s[i+1:], nil
		case '\\':
			used, c, ok := unescape(s[i+1:])
			if !ok {
				return "", "", fmt.Errorf("unknown escape in %s", s)
			}
			b.WriteByte(c)
			i += used
		default:
			b.WriteByte(c)
		}
	}
	return "", "", fmt.Errorf("closing quote missing in %s", s)
}

// unescape reads the part after a backslash. It returns its length in bytes and its meaning.
func unescape(s string) (used int, c byte, ok bool) {
	if s == "" {
		return 0, 0, false
	}
	if at := strings.IndexByte(letters, s[0]); at >= 0 {
		return 1, escaped[at], true
	}
	if len(s) < 3 || s[0] > '3' {
		return 0, 0, false
	}
	for _, d := range []byte(s[:3]) {
		if d < '0' || d > '7' {
			return 0, 0, false
		}
		c = c<<3 | (d - '0')
	}
	return 3, c, true
}
