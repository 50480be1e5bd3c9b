package state

import (
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// Ways are the names of all places by which v may depend on p: what p was seen to leave changed and
// v to read, then what p may have changed unseen, then what p changed and anybody can read unseen.
// Why says the strongest of them only.
func (r *Relation) Ways(p, v suite.TestID) []string {
	i, j := r.Tests.Index(p), r.Tests.Index(v)
	if i < 0 || j < 0 {
		return nil
	}
	var out []string
	for _, s := range []Strength{Changed, Written, Ambient} {
		for _, l := range r.links(s) {
			if l.from.has(i) && l.row(i).has(j) && !slices.Contains(out, l.place.Name) {
				out = append(out, l.place.Name)
			}
		}
	}
	return out
}
