package shell

import "strings"

// Split takes a line apart into its words, if Line could have written it. It reports false for any
// other line.
func Split(line string) ([]string, bool) {
	var words []string
	for rest := line; ; {
		word, after, ok := first(rest)
		if !ok {
			return nil, false
		}
		words = append(words, word)
		if after == "" {
			break
		}
		rest = after[1:] // the blank
	}
	return words, Line(words...) == line
}

// first is the first word of a line.
func first(s string) (word, rest string, ok bool) {
	var b strings.Builder
	for s != "" && s[0] != ' ' {
		switch {
		case s[0] == '\'':
			quoted, after, closed := strings.Cut(s[1:], "'")
			if !closed {
				return "", "", false
			}
			b.WriteString(quoted)
			s = after
		case strings.HasPrefix(s, `\'`):
			b.WriteByte('\'')
			s = s[2:]
		case strings.IndexByte(plain, s[0]) >= 0:
			b.WriteByte(s[0])
			s = s[1:]
		default:
			return "", "", false
		}
	}
	return b.String(), s, true
}
