package state

import (
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// Ways returns the names of all fields through which v may depend on p. First come fields that p
// changed and v read, then fields that p may have changed, then state that p changed and any code
// can read unobserved. Why returns only those of the greatest strength.
func (r *Relation) Ways(p, v suite.TestID) []string {
	i, j := r.Tests.Index(p), r.Tests.Index(v)
	if i < 0 || j < 0 {
		return nil
	}
	var out []string
	for _, s := range []Strength{Changed, Written, Ambient} {
		for _, l := range r.links(s) {
			if l.from.has(i) && l.row(i).has(j) && !slices.Contains(out, l.field.Name) {
				out = append(out, l.field.Name)
			}
		}
	}
	return out
}
