package suite

import "slices"

// Verdict is what a diagnosis concludes about one failing test.
type Verdict string

// The verdicts, as reports write them. The definitions of victim, brittle and
// state-setter follow Shi et al., ESEC/FSE 2019, section 2.
const (
	Victim        Verdict = "victim"         // passes alone, fails after a polluter
	Brittle       Verdict = "brittle"        // fails alone, passes after a state-setter
	VictimBrittle Verdict = "victim-brittle" // brittle, and fails again with a polluter after the state-setter
	FlakyOther    Verdict = "flaky"          // has both outcomes in one and the same order
	Genuine       Verdict = "genuine"        // fails alone and in every order tried
	Regression    Verdict = "regression"     // looks like a victim or brittle test, but passes in the same order with the code before the change
	NotReproduced Verdict = "not-reproduced" // passed in every order tried
	Undecided     Verdict = "unresolved"     // crashed, hung, or no time was left
)

// OrderDependent reports whether the test's outcome depends on the order of the tests.
func (v Verdict) OrderDependent() bool {
	return v == Victim || v == Brittle || v == VictimBrittle
}

// Provenance says how far an observed order can be trusted.
type Provenance string

// The provenances, best first.
const (
	Exact    Provenance = "exact"    // every test, in the order in which it ran
	Partial  Provenance = "partial"  // groups in order; tests of a group in the group's own order
	Inferred Provenance = "inferred" // assumed from partial knowledge
)

// AtBest returns the weaker of two provenances.
func (p Provenance) AtBest(q Provenance) Provenance {
	rank := []Provenance{Exact, Partial, Inferred}
	return rank[max(slices.Index(rank, p), slices.Index(rank, q), 0)]
}

// Seen is an order that ran here or elsewhere, and where it comes from.
type Seen struct {
	Source     string     `json:"source"`
	Provenance Provenance `json:"provenance"`
	Order      Order      `json:"order"`
}

// Cleaner is a sequence of tests that makes the victim pass when it runs between Polluter and the
// victim.
type Cleaner struct {
	Polluter Order `json:"polluter"`
	Cleaner  Order `json:"cleaner"`
}

// Answer is one order and the outcome of its last test.
type Answer struct {
	Order   Order   `json:"order"`
	Outcome Outcome `json:"outcome"`
	// Repeats is how many fresh processes gave this outcome, without exception. If the outcome is
	// Flaky, it is how many processes ran the order.
	Repeats int    `json:"repeats"`
	Why     string `json:"why,omitempty"`
}
