// Package shell writes words of commands that a person pastes into a POSIX
// shell. Every command that odfix prints or puts into a report is quoted here,
// so that all rooms agree on what is plain.
package shell

import "strings"

// plain are the characters that mean nothing to a shell wherever they stand in a word.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%"

// Quote makes one word of s. What holds a NUL is no word of any command; the
// NUL is left out.
func Quote(s string) string {
	s = strings.ReplaceAll(s, "\x00", "")
	if s != "" && strings.Trim(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Line is a command of these words.
func Line(words ...string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = Quote(w)
	}
	return strings.Join(quoted, " ")
}
