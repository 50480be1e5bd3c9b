package patch

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Merge combines two changes of one text. It returns false if they contradict each other, or if
// both insert something at one point and it could be the same twice. Import lines of both changes
// are always accepted.
func Merge(base, a, b string) (string, bool) {
	x, y := udiff.Lines(base, a), udiff.Lines(base, b)
	for _, p := range x {
		for _, q := range y {
			if p.Start == q.Start && p.New != q.New && !(imports(p) && imports(q)) {
				return "", false
			}
		}
	}
	both, ok := udiff.Merge(x, y)
	if !ok {
		return "", false
	}
	out, err := udiff.Apply(base, both)
	return out, err == nil
}

// imports reports whether an edit inserts import lines only.
func imports(e udiff.Edit) bool {
	if e.Start != e.End {
		return false
	}
	for l := range strings.Lines(e.New) {
		if text := strings.TrimSpace(l); text != "" && !strings.HasPrefix(text, "import ") {
			return false
		}
	}
	return true
}
