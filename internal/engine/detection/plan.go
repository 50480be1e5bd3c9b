package detection

import (
	"cmp"
	"context"
	"fmt"

	"github.com/odfix/odfix/internal/detect"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/order"
	"github.com/odfix/odfix/internal/suite"
)

// plan returns the orders to run.
func (d *detection) plan(ctx context.Context) (detect.Plan, error) {
	plan := detect.Plan{Technique: order.Technique(d.opts.Technique), Seed: d.opts.Seed}
	plan.Technique = cmp.Or(plan.Technique, detect.Auto)
	if len(d.opts.Pairs) > 0 {
		held, foreign := order.Held(d.tests, d.opts.Pairs)
		if len(held) == 0 {
			return plan, &job.Error{Code: "bad-pairs",
				Message: fmt.Sprintf("no pair of --pairs is of two tests of the module; its first is %s and %s",
					foreign[0][0], foreign[0][1]),
				Hint: "`odfix orders --technique original` prints the ids of the module's tests. Disabled tests run in no order."}
		}
		if len(foreign) > 0 {
			d.note("%d of the %d pairs of --pairs are left out: the module does not hold both tests of them, or "+
				"one is disabled; the first is %s and %s.", len(foreign), len(d.opts.Pairs), foreign[0][0], foreign[0][1])
		}
		plan.Pairs = order.Relation(held)
	}
	if d.opts.ChangedSince != "" {
		touched, notes, err := d.p.Touched(ctx, d.opts.ChangedSince, d.tests.Order())
		if err != nil {
			return plan, err
		}
		d.r.Notes = append(d.r.Notes, notes...)
		plan.Pairs, d.out.Changed = order.Touching(d.tests, touched...), touched
		plan.Technique = order.TechniqueTarget
		d.nothing = len(touched) == 0
		return plan, nil
	}
	if d.observes(plan) {
		plan.State = d.observe(ctx)
		d.s.Say(job.Event{Message: "running tests in several orders"})
	}
	if (plan.State == nil || d.inPart) && (plan.Technique == order.TechniqueReach || plan.Technique == order.TechniqueTarget && plan.Pairs == nil) {
		return plan, &job.Error{Code: "bad-technique",
			Message: "what the tests do with " + d.p.Groups.Nouns().State + " could not be observed, so that there are no pairs to cover",
			Hint:    "Give pairs with --technique target-pairs --pairs, or ask for another --technique."}
	}
	return plan, nil
}

// coverage is what decides which pairs of tests orders can cover.
type coverage struct {
	guided   bool // the given pairs were observed
	isolated bool // tests of two classes never run in one process
	kept     bool // some classes keep the order of their tests
}

// guarantees describes the kinds of coverage in words.
func guarantees(kinds []order.Kind, c coverage, n suite.Nouns) []string {
	words := map[order.Kind]string{
		order.Groups:   "every " + n.Group + " runs directly after every other " + n.Group,
		order.Siblings: "every test runs directly after every other test of its " + n.Group,
		order.Across:   "every test runs directly after every test of another " + n.Group,
		order.Within:   "every test runs directly after every other test of its " + n.Group + ", however deep it is nested",
		order.Given:    "the tests of every requested pair run directly after each other",
		order.First:    "every test runs as the first of an order",
	}
	if c.guided {
		words[order.Given] = "every test runs directly after every other that was seen to change, or to write, " + n.State + " it reads"
	}
	if c.kept {
		for _, k := range []order.Kind{order.Siblings, order.Within, order.Given} {
			words[k] += ", except in " + n.Groups + " that keep their order"
		}
	}
	var out []string
	for _, k := range kinds {
		if c.isolated && (k == order.Groups || k == order.Across) {
			continue
		}
		out = append(out, words[k])
	}
	return out
}
