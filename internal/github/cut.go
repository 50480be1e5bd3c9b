package github

import (
	"strings"
	"unicode/utf8"
)

// cutShort is the end of a text that was cut.
const cutShort = "\n\n_cut short_"

// Cut shortens a plain text to a number of bytes, at the end of a character. A long text gets a note
// about it.
func Cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	end := ""
	if most > 10*len(cutShort) {
		end = cutShort
	}
	n := most - len(end)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return strings.TrimRight(s[:n], " ") + end
}

// CutMarkdown shortens Markdown to a number of bytes, which is more than a few lines. It cuts at
// the end of a line that is in no block of code. Elsewhere, text that was quoted in a code span or
// a block would become links, mentions and images, and half a suggestion could be committed.
func CutMarkdown(s string, most int) string {
	if len(s) <= most {
		return s
	}
	room := most - len(cutShort)
	end, at, open := 0, 0, ""
	for line := range strings.Lines(s) {
		if at += len(line); at > room {
			break
		}
		switch f, rest := fence(line); {
		case open != "" && strings.HasPrefix(f, open) && rest == "":
			open = ""
		case open == "" && !strings.Contains(rest, "`"): // else it is a code span
			open = f
		}
		if open == "" {
			end = at
		}
	}
	return strings.TrimRight(s[:end], "\n") + cutShort
}

// fence returns the backticks or tildes at the beginning of a line that can begin or end a block of
// code, and the text behind them.
func fence(line string) (of, rest string) {
	line = strings.TrimSpace(line)
	for _, c := range []string{"`", "~"} {
		if rest := strings.TrimLeft(line, c); len(line)-len(rest) >= 3 {
			return line[:len(line)-len(rest)], rest
		}
	}
	return "", ""
}
