package templates

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// The width of a command's help: that of the terminal, between these bounds.
const (
	leastHelp = 60
	usualHelp = 80 // where nobody knows the width
	mostHelp  = 100
)

// helpRow is a line of a table: a name, two blanks or more, and what it means.
var helpRow = regexp.MustCompile(`^ *\S+(?: \S+)*  +\S`)

// CommandHelp wraps the help of a command. Lines of one paragraph, and of one row of a table, are joined
// before. Other indented lines are commands to copy, and stay as they are. Width is the terminal's
// number of columns, or 0.
func CommandHelp(text string, width int) string {
	if width == 0 {
		width = usualHelp
	}
	width = max(leastHelp, min(width, mostHelp))
	var out strings.Builder
	begun, column := "", 0 // the paragraph or row so far, and the column of its text
	flush := func() {
		if begun != "" {
			lead := begun[:column]
			out.WriteString(lead + wrap(begun[column:], width-utf8.RuneCountInString(lead), strings.Repeat(" ", column)) + "\n")
		}
		begun = ""
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \n")
		indent := len(line) - len(strings.TrimLeft(line, " "))
		switch at := helpRow.FindStringIndex(line); {
		case at != nil:
			flush()
			_, size := utf8.DecodeLastRuneInString(line[:at[1]])
			begun, column = line, at[1]-size
		case line == "":
			flush()
			out.WriteString("\n")
		case begun != "" && indent == column:
			begun += " " + line[indent:]
		case indent == 0:
			flush()
			begun, column = line, 0
		default:
			flush()
			out.WriteString(line + "\n")
		}
	}
	flush()
	return out.String()
}
