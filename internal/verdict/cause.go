package verdict

import (
	"cmp"
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
	other   *job.Patch     // the next best patch that is proved for all of the tests
	none    string         // why there is none, where the report does not say so itself

	tree    *patch.Tree // of several patches
	touched []string    // the files of its patches
}

// The limits of a plan. A report can hold more, and then its check says less.
const (
	maxTests   = 1000     // order-dependent tests that get into a cause
	maxJoined  = 20       // patches of one cause
	maxTwins   = 4        // causes with the same polluter that a test is compared with
	maxJoining = 64 << 20 // bytes of texts and differences, for all attempts to join patches
	maxTouched = 60       // files whose texts are read
)

// grouping puts tests into causes. Its work is linear in the size of the report.
type grouping struct {
	b       *builder
	all     []*cause
	byDiff  map[string]*cause
	byMaker map[string][]*cause
	joining int // bytes, of maxJoining
}

// causes are the report's order-dependent tests in groups. One group has tests that one patch
// fixes, or tests with the same polluter or state-setter whose patches apply together.
func (b *builder) causes() ([]cause, error) {
	g := grouping{b: b, byDiff: map[string]*cause{}, byMaker: map[string][]*cause{}}
	chosen, n := b.choices(), 0
	for _, t := range b.in.Report.Tests {
		if err := b.ctx.Err(); err != nil {
			return nil, err
		}
		if !t.Verdict.OrderDependent() {
			continue
		}
		if n++; n > maxTests {
			break
		}
		c := chosen[t.Test]
		g.add(t, c.first(), c.none)
	}
	var out []cause
	for _, c := range b.apart(g.all, chosen) {
		if c.tree != nil {
			c.diff, c.tree = c.tree.Diff(), nil
		}
		// The first is shown for all of them, so that it must have a minimal order.
		i := slices.IndexFunc(c.tests, func(t job.TestReport) bool { return len(t.MinimalOrder) > 0 })
		if i > 0 {
			shown := c.tests[i]
			copy(c.tests[1:i+1], c.tests)
			c.tests[0] = shown
		}
		c.other = b.next(c)
		out = append(out, *c)
	}
	return out, nil
}

// apart gives each patch a cause of its own where several are not all of the report's combined patch:
// a part of it has not been proved.
func (b *builder) apart(all []*cause, chosen map[suite.TestID]choice) (out []*cause) {
	for _, c := range all {
		if len(c.patches) < 2 || len(c.patches) == len(b.combined) {
			out = append(out, c)
			continue
		}
		for i, p := range c.patches {
			one := &cause{patches: []*job.Patch{p}, diff: p.RawDiff(), touched: paths(p.RawDiff())}
			if i == 0 {
				one.rest = c.rest
			}
			for _, t := range c.tests {
				if first := chosen[t.Test].first(); first != nil && first.RawDiff() == one.diff {
					one.tests = append(one.tests, t)
				}
			}
			out = append(out, one)
		}
	}
	return out
}

// add puts a test into the cause that it belongs to, or into a new one.
func (g *grouping) add(t job.TestReport, p *job.Patch, none string) {
	if p != nil {
		if c := g.byDiff[p.RawDiff()]; c != nil {
			c.tests = append(c.tests, t)
			return
		}
	}
	var touched []string
	if p != nil {
		touched = paths(p.RawDiff())
	}
	maker := by(t)
	key := string(t.Verdict) + " " + maker
	for _, c := range g.byMaker[key] {
		if g.joined(c, t, p, touched) {
			return
		}
	}
	c := &cause{tests: []job.TestReport{t}, none: none}
	if p != nil {
		c.patches, c.diff, c.touched = []*job.Patch{p}, p.RawDiff(), touched
		g.byDiff[c.diff] = c
	}
	g.all = append(g.all, c)
	if maker != "" && len(g.byMaker[key]) < maxTwins {
		g.byMaker[key] = append(g.byMaker[key], c)
	}
}

// joined adds a test to a cause with the same polluter or state-setter, if their patches apply
// together.
func (g *grouping) joined(c *cause, t job.TestReport, p *job.Patch, touched []string) bool {
	switch {
	case p == nil && len(c.patches) == 0:
		c.tests = append(c.tests, t)
	case p == nil:
		c.rest = append(c.rest, t.Test)
	case len(c.patches) == 0: // only the new test is fixed
		for _, r := range c.tests {
			c.rest = append(c.rest, r.Test)
		}
		c.tests, c.patches, c.diff, c.touched, c.none = []job.TestReport{t}, []*job.Patch{p}, p.RawDiff(), touched, ""
		g.byDiff[c.diff] = c
	case len(c.patches) == maxJoined || !g.b.together(p) || !g.b.together(c.patches...) || !g.affordable(c, p, touched) ||
		!c.together(g.b.in.tested, p):
		return false // they contradict each other, or are not proved together: each gets a comment of its own
	default:
		c.tests, c.patches = append(c.tests, t), append(c.patches, p)
		g.byDiff[p.RawDiff()] = c
	}
	return true
}

// together reports whether these patches are part of the report's combined patch, and that is proved.
func (b *builder) together(patches ...*job.Patch) bool {
	c := b.in.Report.Combined
	if c == nil || !c.Proof.Proved {
		return false
	}
	if b.combined == nil {
		b.combined = b.parts(c)
	}
	return !slices.ContainsFunc(patches, func(p *job.Patch) bool { return !b.combined[p.RawDiff()] })
}

// parts are the diffs of the patches of which the combined one is made. Its own list of what it
// leaves out is a text of the runner, so they are put together again; there are none if that gives
// another patch.
func (b *builder) parts(c *job.Combined) map[string]bool {
	out, fixed := map[string]bool{}, map[suite.TestID]bool{}
	for _, t := range c.Fixes {
		fixed[t] = true
	}
	tree, size := patch.Tree{Read: b.in.tested, Proves: true}, 0
	for _, p := range b.in.Report.Chosen() {
		if slices.ContainsFunc(p.Fixes, func(t suite.TestID) bool { return !fixed[t] }) {
			continue
		}
		size += 3 * len(p.RawDiff())
		for _, path := range paths(p.RawDiff()) {
			if text, err := b.in.tested(path); err == nil {
				size += 3 * cost(text)
			}
		}
		if size > maxJoining || b.ctx.Err() != nil || tree.Add(p.RawDiff()) != nil {
			return map[string]bool{}
		}
		out[p.RawDiff()] = true
	}
	if len(out) < 2 || tree.Diff() != c.RawDiff() {
		return map[string]bool{}
	}
	return out
}

// provedTogether says of several patches what is proved of all of them, as a part of a sentence.
func (b *builder) provedTogether(patches []*job.Patch) string {
	if !b.together(patches...) || len(patches) < len(b.combined) {
		return ""
	}
	return "all of them together"
}

// affordable reports whether it is within maxJoining to join a patch of these files with those of a
// cause, and counts it: the patched texts, and the lines of their difference, before and after.
func (g *grouping) affordable(c *cause, p *job.Patch, touched []string) bool {
	if c.tree == nil {
		touched = slices.Concat(touched, c.touched)
	}
	size := len(c.diff) + len(p.RawDiff())
	for _, path := range touched {
		if text, err := g.b.in.tested(path); err == nil {
			size += 3 * cost(text)
		}
	}
	if g.joining+size > maxJoining {
		return false
	}
	g.joining += size
	return true
}

// together adds a patch for the same texts to the patches of the cause, if it applies with them.
func (c *cause) together(read func(string) (string, error), p *job.Patch) bool {
	tree := c.tree
	if tree == nil {
		tree = &patch.Tree{Read: read}
		if tree.Add(c.diff) != nil {
			return false
		}
	}
	if tree.Add(p.RawDiff()) != nil {
		return false
	}
	c.tree = tree
	return true
}

// by returns a key for the polluter and state-setter of a test.
func by(t job.TestReport) string {
	var out string
	if len(t.Polluters) > 0 {
		out = "p " + t.Polluters[0].Key()
	}
	if t.Verdict != suite.Victim && len(t.StateSetters) > 0 {
		out += "s " + t.StateSetters[0].Key()
	}
	return out
}

// choice is what a report has for a test: the first proved patch that may be suggested, in the
// test's own result and in those of others.
type choice struct {
	own, other *job.Patch
	none       string // why there is none
}

func (c choice) first() *job.Patch { return cmp.Or(c.own, c.other) }

// choices reads the patches of the report once.
func (b *builder) choices() map[suite.TestID]choice {
	out := map[suite.TestID]choice{}
	type form struct{ kind, diff string }
	refused := map[form]string{}
	for i := range b.in.Report.Tests {
		r := &b.in.Report.Tests[i]
		for k := range r.Patches {
			p := &r.Patches[k]
			if !p.Proof.Proved {
				continue
			}
			f := form{p.Kind, p.RawDiff()}
			why, known := refused[f]
			if !known {
				why = b.refused(p)
				refused[f] = why
			}
			for _, t := range p.Fixes {
				c := out[t]
				switch own := r.Test == t; {
				case why != "":
					c.none = why
				case own && c.own == nil:
					c.own = p
				case !own && c.other == nil:
					c.other = p
				}
				out[t] = c
			}
		}
	}
	for t, c := range out {
		if c.first() != nil {
			c.none = ""
			out[t] = c
		}
	}
	return out
}

// next returns the next best patch that is proved for all tests of a cause with one patch; nil: there
// is none. It is a second patch of the cause, or that of another cause which fixes the same tests.
func (b *builder) next(c *cause) *job.Patch {
	if len(c.patches) != 1 || len(c.rest) > 0 {
		return nil
	}
	for _, t := range c.tests {
		for i := range t.Patches {
			p := &t.Patches[i]
			fixes := !slices.ContainsFunc(c.tests, func(x job.TestReport) bool { return !slices.Contains(p.Fixes, x.Test) })
			if p.Proof.Proved && fixes && p.RawDiff() != c.diff && b.refused(p) == "" {
				return p
			}
		}
	}
	return nil
}

// refused says why a proved patch must not be suggested. It checks the patch itself, not what the
// report says about it, because the report comes from a process that ran untrusted code.
func (b *builder) refused(p *job.Patch) string {
	kind := config.Technique(p.Kind)
	if slices.Contains(config.Techniques, kind) && !slices.Contains(b.in.Config.Techniques, kind) {
		return b.changeIs() + ", but of the kind " + p.Kind + ", which the configuration does not want"
	}
	if place := b.in.Config.Repair.Place; place != config.AnyPlace && place != "" && string(place) != string(p.Location.Place()) {
		return b.changeIs() + ", but its place is " + string(p.Location) + ", and the configuration wants " + string(place)
	}
	list, err := patch.Sections(p.RawDiff())
	if err != nil {
		return b.changeIs() + ", but its patch does more than change, make and remove text files"
	}
	for _, s := range list {
		if b.ctx.Err() != nil {
			return "the time is over"
		}
		if !b.mayPatch(s.Path) {
			return b.changeIs() + ", but it touches " + s.Path + ", which the configuration says is never to be patched"
		}
		if strings.HasPrefix(s.Path, ".") || strings.Contains(s.Path, "/.") {
			return "a change is claimed that touches " + s.Path + ", and that is no test code"
		}
	}
	return ""
}

// changeIs begins the sentence about a change that is not suggested.
func (b *builder) changeIs() string {
	if b.in.Claimed {
		return "there is a change"
	}
	return "a change is proved"
}

func (b *builder) mayPatch(path string) bool {
	may, known := b.may[path]
	if !known {
		may = b.in.Config.MayPatch(path)
		if b.may == nil {
			b.may = map[string]bool{}
		}
		b.may[path] = may
	}
	return may
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
	return newMarker(c.tests[0].Verdict, makers, victims)
}
