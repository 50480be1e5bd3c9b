package job

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/odfix/odfix/internal/suite"
)

// Combined is one patch made of several patches, proved as a whole.
type Combined struct {
	Files     []string       `json:"files"`               // paths relative to the checkout, with '/'
	Diff      string         `json:"diff"`                // unified; git apply accepts it in the checkout
	DiffBytes []byte         `json:"diffBytes,omitempty"` // as in Patch
	Fixes     []suite.TestID `json:"cures"`
	LeftOut   []string       `json:"leftOut,omitempty"` // why a test's best patch is not part of it, one sentence each
	Proof     Proof          `json:"proof"`
}

// Alternative is one line of the test runner's configuration that does what patches do. It is proved
// as they are. odfix only names it: no command and no part of the App writes it.
type Alternative struct {
	Setting string         `json:"setting"` // one of Settings
	Fixes   []suite.TestID `json:"cures"`   // failing tests for which it is proved
	Proof   Proof          `json:"proof"`
}

// Settings are all lines of configuration that odfix names, the mildest first. They are Jest's.
var Settings = []string{"clearMocks: true", "restoreMocks: true", "resetMocks: true"}

// Includes reports whether a setting does all that another one does: resetMocks clears the calls of
// mocks as clearMocks does. restoreMocks clears none with Jest 24 to 30: it only gives back what
// spies have replaced.
func Includes(setting, other string) bool {
	return setting == "resetMocks: true" && other == "clearMocks: true"
}

// SettingFor returns the setting that is proved to fix all of these tests; "" if there is none.
func (r *Report) SettingFor(tests []TestReport) string {
	a := r.Alternative
	if a == nil || !a.Proof.Proved || !slices.Contains(Settings, a.Setting) || len(tests) == 0 ||
		slices.ContainsFunc(tests, func(t TestReport) bool { return !slices.Contains(a.Fixes, t.Test) }) {
		return ""
	}
	return a.Setting
}

// SetDiff sets the diff. JSON cannot contain bytes that are not UTF-8. So the diff of a source in
// another encoding is stored in DiffBytes, and a readable form in Diff.
func (p *Patch) SetDiff(diff string) { p.Diff, p.DiffBytes = readable(diff) }

// SetDiff is like that of Patch.
func (c *Combined) SetDiff(diff string) { c.Diff, c.DiffBytes = readable(diff) }

// RawDiff returns the diff byte for byte, as it is applied and written to files.
func (p *Patch) RawDiff() string { return raw(p.Diff, p.DiffBytes) }

// RawDiff is like that of Patch.
func (c *Combined) RawDiff() string { return raw(c.Diff, c.DiffBytes) }

func readable(diff string) (string, []byte) {
	if utf8.ValidString(diff) {
		return diff, nil
	}
	return strings.ToValidUTF8(diff, "\uFFFD"), []byte(diff)
}

func raw(diff string, exact []byte) string {
	if len(exact) > 0 {
		return string(exact)
	}
	return diff
}

// Best returns the patch to show for a test. It is the first patch that is proved for the test,
// even if another test's report contains it; else the first patch in the test's own report; else
// nil.
func (r *Report) Best(t suite.TestID) *Patch {
	var own *Patch
	for i := range r.Tests {
		mine := r.Tests[i].Test == t
		for k := range r.Tests[i].Patches {
			p := &r.Tests[i].Patches[k]
			if p.Proof.Proved && slices.Contains(p.Fixes, t) {
				return p
			}
			if mine && own == nil {
				own = p
			}
		}
	}
	return own
}

// Proved returns Best if it is proved for the test, else nil.
func (r *Report) Proved(t suite.TestID) *Patch {
	if p := r.Best(t); p != nil && p.Proof.Proved && slices.Contains(p.Fixes, t) {
		return p
	}
	return nil
}

// Second returns the first other patch that is proved for all tests that p fixes; nil: there is none.
func (r *Report) Second(p *Patch) *Patch {
	by := map[suite.TestID]*Patch{} // the last patch that was seen to fix one of p's tests
	for _, t := range p.Fixes {
		by[t] = nil
	}
	for i := range r.Tests {
		for k := range r.Tests[i].Patches {
			q := &r.Tests[i].Patches[k]
			if !q.Proof.Proved || q.RawDiff() == p.RawDiff() {
				continue
			}
			fixed := 0
			for _, t := range q.Fixes {
				if last, is := by[t]; is && last != q {
					by[t] = q
					fixed++
				}
			}
			if fixed == len(by) {
				return q
			}
		}
	}
	return nil
}

// Repaired are the tests for which some patch of the report is proved.
func (r *Report) Repaired() map[suite.TestID]bool {
	out := map[suite.TestID]bool{}
	for _, t := range r.Tests {
		for _, p := range t.Patches {
			for _, f := range p.Fixes {
				out[f] = out[f] || p.Proof.Proved
			}
		}
	}
	return out
}

// Chosen returns the patches that are the best and proved for some test, without repetitions, in
// the report's order.
func (r *Report) Chosen() []*Patch {
	var out []*Patch
	for _, t := range r.Tests {
		p := r.Proved(t.Test)
		same := func(q *Patch) bool { return q.RawDiff() == p.RawDiff() }
		if p != nil && !slices.ContainsFunc(out, same) {
			out = append(out, p)
		}
	}
	return out
}
