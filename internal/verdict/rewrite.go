package verdict

// Standing is where a review comment of an earlier push stands now, by what
// GitHub says of it.
type Standing struct {
	Path      string
	Line      int // 0: it is outdated, or not on a line
	StartLine int // 0: on one line
}

// Rewrite gives the bodies that bring the review comments of an earlier push
// up to date, in their order, and keep them suggestions. It reports false if
// they do not all stand on the very lines that are to be replaced now: then the
// first of them gets Plain, and the further ones have to go.
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
