package job

// Unpatched is the reason why an order-dependent test has no proved patch.
type Unpatched string

// The reasons.
const (
	NoTimeForCause  Unpatched = "time-cause"       // the time ended before the cause was confirmed
	NoTimeForSearch Unpatched = "time-search"      // … before all statements were tried
	NoTimeForProof  Unpatched = "time-proof"       // … while a patch was being proved
	ProofFailed     Unpatched = "proof-failed"     // a patch was found, and fails in other orders
	ProofBuild      Unpatched = "proof-build"      // … and the project's own build refuses it
	ProofWorse      Unpatched = "proof-worse"      // … and other tests get worse, or a setup or teardown
	ProofCheck      Unpatched = "proof-check"      // … and another check does not hold
	CauseUnknown    Unpatched = "cause-unknown"    // no test was found that changes the state
	StateUnknown    Unpatched = "state-unknown"    // no test restores the state, and the state is not known
	NothingRestores Unpatched = "nothing-restores" // the state is known, and no code that a test can call restores it
	// a static initialiser keeps what it found, and no code that a test can call runs it again
	ClassInitialiser Unpatched = "class-initialiser"
	HelperUnusable   Unpatched = "helper-unusable" // a test restores the state, and its statements do not do so elsewhere
	NoSources        Unpatched = "no-sources"      // the sources of the tests cannot be edited
)

// AllUnpatched lists the reasons.
var AllUnpatched = []Unpatched{NoTimeForCause, NoTimeForSearch, NoTimeForProof, ProofFailed, ProofBuild, ProofWorse, ProofCheck,
	CauseUnknown, StateUnknown, NothingRestores, ClassInitialiser, HelperUnusable, NoSources}

// ExplainMissing gives each order-dependent test without a proved patch a reason, if patches were
// searched for. stopped means that the job ended early. A test with a proved patch gets none.
func (r *Report) ExplainMissing(stopped bool) {
	for i := range r.Tests {
		t := &r.Tests[i]
		switch {
		case !t.Verdict.OrderDependent() || !r.SearchedPatches() || r.Proved(t.Test) != nil:
			t.Unpatched = ""
		case t.Unpatched != "":
		case stopped && len(t.Polluters)+len(t.StateSetters) == 0:
			t.Unpatched = NoTimeForCause
		case stopped:
			t.Unpatched = NoTimeForSearch
		case len(t.Polluters)+len(t.StateSetters) == 0:
			t.Unpatched = CauseUnknown
		case len(t.State) > 0:
			t.Unpatched = NothingRestores
		default:
			t.Unpatched = StateUnknown
		}
	}
}
