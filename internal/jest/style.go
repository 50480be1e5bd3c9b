package jest

import "strings"

// semicolons reports whether statements of the file end with one.
func (o *outline) semicolons() bool {
	with, without := 0, 0
	for line := range strings.Lines(o.text) {
		switch line = strings.TrimRight(line, " \t\r\n"); {
		case strings.HasSuffix(line, ";"):
			with++
		case strings.HasSuffix(line, ")"):
			without++
		}
	}
	return with >= without
}

// quote is the quotation mark that the file uses most.
func (o *outline) quote() string {
	if strings.Count(o.text, `"`) > strings.Count(o.text, "'") {
		return `"`
	}
	return "'"
}

// quoted is a literal with the file's quotation marks.
func (o *outline) quoted(literal string) string {
	text, ok := strings.CutPrefix(literal, `"`)
	text, whole := strings.CutSuffix(text, `"`)
	if q := o.quote(); ok && whole && !strings.Contains(text, q) {
		return q + text + q
	}
	return literal
}

// unit is one step of the file's indentation.
func (o *outline) unit() string {
	for line := range strings.Lines(o.text) {
		rest := strings.TrimLeft(line, " \t")
		if n := len(line) - len(rest); n > 0 && strings.TrimSpace(rest) != "" && !strings.HasPrefix(rest, "*") {
			if line[0] == '\t' {
				return "\t"
			}
			return strings.Repeat(" ", min(n, 8))
		}
	}
	return "  "
}

// indent is the white space at the beginning of the line of a position.
func (o *outline) indent(at int) string {
	begin := strings.LastIndexByte(o.text[:at], '\n') + 1
	line := o.text[begin:]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// beginsLine reports whether only white space stands before a position in its line.
func (o *outline) beginsLine(at int) bool {
	begin := strings.LastIndexByte(o.text[:at], '\n') + 1
	return strings.TrimSpace(o.text[begin:at]) == ""
}

// dedented is an item's text without the indentation of its first line.
func dedented(it *item) string {
	if it.from == nil || it.Lines {
		return it.text
	}
	own := it.from.indent(it.Start)
	lines := strings.Split(strings.ReplaceAll(it.text, "\r\n", "\n"), "\n")
	for i := 1; i < len(lines); i++ {
		lines[i] = strings.TrimPrefix(lines[i], own)
	}
	return strings.Join(lines, "\n")
}

// indented puts white space before every line of a text.
func indented(text, by string, raw bool) string {
	if raw {
		return by + text
	}
	lines := strings.Split(text, "\n")
	for i := range lines {
		if lines[i] != "" {
			lines[i] = by + lines[i]
		}
	}
	return strings.Join(lines, "\n")
}

// styled is a statement of ours in the style of the file.
func (o *outline) styled(text string) string {
	if q := o.quote(); q != "'" && !strings.Contains(text, q) {
		text = strings.ReplaceAll(text, "'", q)
	}
	switch {
	case !o.semicolons():
		return strings.ReplaceAll(text, ";\n", "\n")
	case !strings.HasSuffix(text, "}"):
		text += ";"
	}
	return text
}
