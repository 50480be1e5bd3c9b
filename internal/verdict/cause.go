package verdict

import (
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// cause is a group of order-dependent tests with one cause. It gets one comment.
type cause struct {
	tests   []job.TestReport
	rest    []suite.TestID // of the same cause, not fixed by the patches
	patches []*job.Patch   // proved, and allowed to be suggested
	diff    string         // all of them as one
	none    string         // why there is none, where the report does not say so itself
	by      string         // identifies the polluter or state-setter; "" where that is not known
}

// causes are the report's order-dependent tests in groups. One group has tests that one patch
// fixes, or tests with the same polluter or state-setter whose patches apply together.
func (b *builder) causes() []cause {
	var out []cause
	for _, t := range b.in.Report.Tests {
		if !t.Verdict.OrderDependent() {
			continue
		}
		p, none := b.choose(t.Test)
		maker := by(t)
		if b.joined(out, t, maker, p) {
			continue
		}
		c := cause{tests: []job.TestReport{t}, none: none, by: maker}
		if p != nil {
			c.patches, c.diff = []*job.Patch{p}, p.RawDiff()
		}
		out = append(out, c)
	}
	for _, c := range out { // the first is shown for all of them, so that it must have a minimal order
		i := slices.IndexFunc(c.tests, func(t job.TestReport) bool { return len(t.MinimalOrder) > 0 })
		if i > 0 {
			shown := c.tests[i]
			copy(c.tests[1:i+1], c.tests)
			c.tests[0] = shown
		}
	}
	return out
}

// joined adds a test to the cause that it belongs to, if there is one.
func (b *builder) joined(all []cause, t job.TestReport, maker string, p *job.Patch) bool {
	for i := range all {
		if p != nil && slices.ContainsFunc(all[i].patches, func(q *job.Patch) bool { return q.RawDiff() == p.RawDiff() }) {
			all[i].tests = append(all[i].tests, t)
			return true
		}
	}
	for i := range all {
		c := &all[i]
		if c.tests[0].Verdict != t.Verdict || maker == "" || c.by != maker {
			continue
		}
		switch {
		case p == nil && len(c.patches) == 0:
			c.tests = append(c.tests, t)
		case p == nil:
			c.rest = append(c.rest, t.Test)
		case len(c.patches) == 0: // only the new test is fixed
			for _, r := range c.tests {
				c.rest = append(c.rest, r.Test)
			}
			c.tests, c.patches, c.diff, c.none = []job.TestReport{t}, []*job.Patch{p}, p.RawDiff(), ""
		default:
			both, ok := b.together(c.diff, p.RawDiff())
			if !ok {
				continue // they contradict each other: each gets a comment of its own
			}
			c.tests, c.patches, c.diff = append(c.tests, t), append(c.patches, p), both
		}
		return true
	}
	return false
}

// together returns two patches for the same texts as one patch.
func (b *builder) together(one, other string) (string, bool) {
	tree := patch.Tree{Read: b.in.tested}
	if tree.Add(one) != nil || tree.Add(other) != nil {
		return "", false
	}
	return tree.Diff(), true
}

// by returns a key for the polluter or state-setter of a test.
func by(t job.TestReport) string {
	if len(t.Polluters) > 0 {
		return "p " + t.Polluters[0].Key()
	}
	if len(t.StateSetters) > 0 {
		return "s " + t.StateSetters[0].Key()
	}
	return ""
}

// choose returns the first proved patch for a test that may be suggested. Otherwise it says why
// there is none.
func (b *builder) choose(t suite.TestID) (*job.Patch, string) {
	none := ""
	for _, own := range []bool{true, false} {
		for i := range b.in.Report.Tests {
			r := &b.in.Report.Tests[i]
			if (r.Test == t) != own {
				continue
			}
			for k := range r.Patches {
				p := &r.Patches[k]
				if !p.Proof.Proved || !slices.Contains(p.Fixes, t) {
					continue
				}
				if none = b.refused(p); none == "" {
					return p, ""
				}
			}
		}
	}
	return nil, none
}

// refused says why a proved patch must not be suggested. It checks the patch itself, not what the
// report says about it, because the report comes from a process that ran untrusted code.
func (b *builder) refused(p *job.Patch) string {
	kind := config.Technique(p.Kind)
	if slices.Contains(config.Techniques, kind) && !slices.Contains(b.in.Config.Techniques, kind) {
		return "a change is proved, but of the kind " + p.Kind + ", which the configuration does not want"
	}
	list, err := patch.Sections(p.RawDiff())
	if err != nil {
		return "a change is proved, but its patch does more than change, make and remove text files"
	}
	for _, s := range list {
		if !b.in.Config.MayPatch(s.Path) {
			return "a change is proved, but it touches " + s.Path + ", which the configuration says is never to be patched"
		}
		if strings.HasPrefix(s.Path, ".") || strings.Contains(s.Path, "/.") {
			return "a change is claimed that touches " + s.Path + ", and that is no test code"
		}
	}
	return ""
}

// paths returns the files that a patch names; none if it cannot be read.
func paths(diff string) []string {
	list, err := patch.Sections(diff)
	if err != nil {
		return nil
	}
	var out []string
	for _, s := range list {
		out = append(out, s.Path)
	}
	return out
}

// marker returns the marker of the cause.
func (b *builder) marker(c cause) Marker {
	var victims, makers []string
	for _, t := range c.tests {
		victims = append(victims, string(t.Test))
	}
	for _, t := range c.rest {
		victims = append(victims, string(t))
	}
	for _, g := range [][]suite.Order{c.tests[0].Polluters, c.tests[0].StateSetters} {
		if len(g) > 0 {
			for _, t := range g[0] {
				makers = append(makers, string(t))
			}
		}
	}
	return newMarker(c.tests[0].Verdict, makers, victims).named(b.in.Report.Names)
}
