package state

import (
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// Ways returns the names of all fields through which v may depend on one of the causes. First come
// fields that a cause changed and v read, then fields that one may have changed, then state that one
// changed and any code can read unobserved. Why returns only those of the greatest strength.
func (r *Relation) Ways(causes suite.Order, v suite.TestID) []string {
	from, j := r.numbers(causes), r.Tests.Index(v)
	if j < 0 {
		return nil
	}
	var out []string
	for _, s := range []Strength{Changed, Written, Ambient} {
		for _, l := range r.links(s) {
			if l.leads(from, j) && !slices.Contains(out, l.field.Name) {
				out = append(out, l.field.Name)
			}
		}
	}
	return out
}
