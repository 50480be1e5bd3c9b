package suggest

import (
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/patch"
)

// Shown is a run of lines of a file as a pull request shows them on its right
// side: the added lines and the context of one hunk. GitHub takes comments on
// these lines and on no others, and a comment on several within one hunk only.
type Shown struct {
	First int      // 1-based number of the first line
	Lines []string // without their ends
}

// ReadShown reads the listed patch of one file as GitHub lists it: hunks only, which
// may be cut short. What cannot be read is not shown; a patch that is missing
// shows nothing.
func ReadShown(listed string) []Shown {
	var out []Shown
	for _, l := range strings.Split(listed, "\n") {
		if strings.HasPrefix(l, "@@ ") {
			head, _, _ := strings.Cut(l[len("@@ "):], " @@")
			_, after, _ := strings.Cut(head, " +")
			first, _, err := patch.Range(after)
			if err != nil {
				return out
			}
			out = append(out, Shown{First: first})
			continue
		}
		if len(out) == 0 || l == "" {
			continue
		}
		if h := &out[len(out)-1]; l[0] == ' ' || l[0] == '+' {
			h.Lines = append(h.Lines, l[1:])
		}
	}
	return slices.DeleteFunc(out, func(s Shown) bool { return len(s.Lines) == 0 || s.First < 1 })
}

// holds reports whether lines first to last (1-based, both included) are shown,
// and as the text has them. A patch that shows other lines belongs to another
// commit than the text.
func (s Shown) holds(text []string, first, last int) bool {
	if first < s.First || last >= s.First+len(s.Lines) || first > last || last > len(text) {
		return false
	}
	for i := first; i <= last; i++ {
		if bare(s.Lines[i-s.First]) != bare(text[i-1]) {
			return false
		}
	}
	return true
}

// bare is a line without its end. Transport may turn \r\n into \n.
func bare(line string) string {
	return strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
}
