package patch

import (
	"fmt"
	"strconv"
	"strings"
)

// Render writes sections as one patch, in the form of Unified. Whatever else was in the text that they
// were read from is not in it.
func Render(list ...Section) string {
	var b strings.Builder
	for _, s := range list {
		b.WriteString("diff --git " + quote("a/"+s.Path) + " " + quote("b/"+s.Path) + "\n")
		from, to, hunks := side("a/"+s.Path), side("b/"+s.Path), s.File.Hunks
		switch s.Kind {
		case Makes:
			b.WriteString("new file mode 100644\n")
			from, hunks = devNull, []Hunk{{After: Lines(s.Made)}}
		case Removes:
			b.WriteString("deleted file mode 100644\n")
			to = devNull
		}
		b.WriteString("--- " + from + "\n+++ " + to + "\n")
		moved := 0
		for _, h := range hunks {
			h.render(&b, moved)
			moved += len(h.After) - len(h.Before)
		}
	}
	return b.String()
}

// render writes a hunk. moved is by how many lines the hunks before it make the file longer.
func (h Hunk) render(b *strings.Builder, moved int) {
	fmt.Fprintf(b, "@@ -%s +%s @@\n", extent(h.Line, len(h.Before)), extent(h.lineAfter(moved), len(h.After)))
	kinds := h.kinds
	if kinds == nil {
		kinds = []byte(strings.Repeat("-", len(h.Before)) + strings.Repeat("+", len(h.After)))
	}
	before, added := h.Before, h.After
	for _, kind := range kinds {
		var line string
		if kind != '+' {
			line, before = before[0], before[1:]
		}
		if kind != '-' {
			line, added = added[0], added[1:]
		}
		b.WriteByte(kind)
		b.WriteString(line)
		if unended(line) {
			b.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// extent is the first line and the number of lines of one side of a hunk.
func extent(first, lines int) string {
	if lines == 1 {
		return strconv.Itoa(first)
	}
	return fmt.Sprintf("%d,%d", first, lines)
}
