package patch

import (
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Merge combines two changes of one text. It returns false if they contradict each other. Import
// lines of both changes are always accepted. If both insert something else at one point, it could
// be the same twice: Merge joins that only if the caller proves the result.
func Merge(base, a, b string, proves bool) (string, bool) {
	x, y := udiff.Lines(base, a), udiff.Lines(base, b)
	for i := range x {
		for k := range y {
			p, q := &x[i], &y[k]
			if p.Start != q.Start || p.New == q.New && p.End == q.End || imports(*p) && imports(*q) {
				continue
			}
			text, ok := joined(p.New, q.New)
			if !proves || !ok || p.Start != p.End || q.Start != q.End {
				return "", false
			}
			p.New, q.New = text, text
		}
	}
	both, ok := udiff.Merge(x, y)
	if !ok {
		return "", false
	}
	out, err := udiff.Apply(base, both)
	return out, err == nil
}

// joined returns two insertions at one point as one. Lines with which both begin or end are there
// once: two methods of one name become one method with the statements of both. It returns false if
// the braces would not match.
func joined(a, b string) (string, bool) {
	x, y := slices.Collect(strings.Lines(a)), slices.Collect(strings.Lines(b))
	begin, end := 0, 0
	for begin < min(len(x), len(y)) && x[begin] == y[begin] {
		begin++
	}
	for end < min(len(x), len(y))-begin && x[len(x)-1-end] == y[len(y)-1-end] {
		end++
	}
	one, other := strings.Join(x[begin:len(x)-end], ""), strings.Join(y[begin:len(y)-end], "")
	if balanced(one) && balanced(other) {
		return strings.Join(x[:begin], "") + one + other + strings.Join(x[len(x)-end:], ""), true
	}
	return a + b, balanced(a) && balanced(b)
}

func balanced(text string) bool { return strings.Count(text, "{") == strings.Count(text, "}") }

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
