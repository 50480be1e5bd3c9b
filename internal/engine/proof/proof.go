// Package proof chooses the orders with which patches are proved, and proves the patches of an
// earlier report again.
//
// The orders are the same for the patch of one cause, for several patches together, and for a
// setting of the test runner. Verification takes nothing in a report as evidence: what it says of
// its tests and patches is the claim to prove.
package proof

import (
	"regexp"
	"slices"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// Of converts the checks of a proof to the report's type.
func Of(checks []repair.Check, proved bool) job.Proof {
	p := job.Proof{Proved: proved}
	for _, c := range checks {
		p.Checks = append(p.Checks, job.Check{Name: c.Name, OK: c.OK, Repeats: c.Repeats, Detail: c.Detail})
	}
	return p
}

// Why returns a sentence on the advantages of the candidate, which was made for this cause.
func Why(c *repair.Candidate, cause repair.Cause, n suite.Nouns) string {
	left := slices.ContainsFunc(cause.Cases, func(cs repair.Case) bool { return !slices.Contains(c.Fixes, cs.Test) })
	why := job.Why{Location: c.Edit.Location, Brittle: cause.Brittle(), Places: 1 + len(c.Edit.Also), Apart: len(c.Edit.Except) > 0,
		All: len(cause.Cases) > 1 && !left, Others: len(c.Fixes) > len(cause.Cases)}
	if m := c.Edit.Made; m != nil {
		why.Pioneer, why.Context, why.Reflects = len(m.Annotate) > 0 && !m.RenewsContext(), m.RenewsContext(), m.Reflects
	}
	return why.Sentence(n)
}

// reflects is what statements that reflect contain.
var reflects = regexp.MustCompile(`etAccessible|getDeclaredField|java\.lang\.reflect|privateLookupIn|sun\.misc\.Unsafe|VarHandle`)

// Kind is the kind of a patch with these statements; nil: it has those of a helper. A report does
// not say whether they reflect, so the text counts, too.
func Kind(made *patch.Made) string {
	switch {
	case made == nil:
		return job.FromHelper
	case made.Reflects, slices.ContainsFunc(slices.Concat(made.Fields, made.Statements), reflects.MatchString):
		return job.FromReflection
	}
	return job.FromReset
}
