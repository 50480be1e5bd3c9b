package verdict

// Standing is the present position of a review comment of an earlier push, according to GitHub.
type Standing struct {
	Path      string
	Line      int // 0: it is outdated, or not on a line
	StartLine int // 0: on one line
}

// Rewrite returns the new bodies of the review comments of an earlier push, in their order, so that
// they stay suggestions. It returns false if some of them are not on exactly the lines that the
// change replaces now. Then the first of them gets Plain, and the others are removed.
func (c Comment) Rewrite(old []Standing) ([]string, bool) {
	if len(c.Inline) == 0 || len(old) != len(c.Inline) {
		return nil, false
	}
	bodies := map[Standing]string{}
	for _, k := range c.Inline {
		bodies[Standing{k.Path, k.Line, k.StartLine}] = k.Body
	}
	var out []string
	for _, at := range old {
		body, ok := bodies[at]
		if !ok {
			return nil, false
		}
		delete(bodies, at) // each suggestion once
		out = append(out, body)
	}
	return out, true
}
