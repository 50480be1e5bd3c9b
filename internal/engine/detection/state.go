package detection

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/budget"
	"github.com/odfix/odfix/internal/detect"
	"github.com/odfix/odfix/internal/engine/session"
	"github.com/odfix/odfix/internal/order"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// observed is the kind under which the ledger stores the relation.
const observed = "relation"

// observes says whether a plan is better for knowing which tests write what others read. If each
// class has a process of its own, orders of a class take less time than observing it.
func (d *detection) observes(plan detect.Plan) bool {
	return plan.Technique == detect.Auto && !d.p.About.Isolated || plan.Technique == order.TechniqueReach ||
		plan.Technique == order.TechniqueTarget && plan.Pairs == nil
}

// relationPart is the part of the time left, one in so many, that observing all tests may take.
// Orders find order-dependent tests without it, too.
const relationPart = 3

// observe runs the tests once to see what they do with static state. If it takes too long, it returns what
// the first tests do. If it is not possible, it returns nil, and the search continues without this
// knowledge.
func (d *detection) observe(ctx context.Context) *detect.State {
	if d.state = d.recalled(ctx); d.state == nil {
		limited, cancel := context.WithTimeout(ctx, budget.Share(ctx, relationPart))
		defer cancel()
		within := time.Duration(0)
		if end, ends := limited.Deadline(); ends {
			within = time.Until(end) / 10 * 9 // the rest is for starting and stopping the process
		}
		r, err := d.p.Relation(limited, d.s, within)
		if err != nil {
			if limited.Err() != nil && ctx.Err() == nil {
				err = errors.New("it takes more than a third of the time; --budget gives more")
			}
			d.s.Log.Warn("observing static state", zap.Error(err))
			d.note("What the tests do with %s could not be observed, so that orders are not guided by it: %v",
				d.p.Groups.Nouns().State, err)
			return nil
		}
		d.state = r
		at := slices.IndexFunc(r.Notes, func(n string) bool { return strings.HasPrefix(n, session.NotInTime) })
		if at < 0 {
			d.keepRelation(ctx)
		} else { // with --resume, all tests are observed, if the time suffices then
			d.note("%s", r.Notes[at])
			d.inPart = true
		}
	}
	return &detect.State{
		Tiers:        []order.Pairs{d.state.Tier(state.Changed), d.state.Tier(state.Written)},
		Flows:        d.state.Flows(state.Written),
		MaybeBrittle: d.state.MaybeBrittle(),
	}
}

// before returns the observed run as a run of the suite's own order; nil if not every test was
// observed in one process.
func (d *detection) before() *detect.Observed {
	if d.state == nil || len(d.state.Notes) > 0 {
		return nil
	}
	tests := d.tests.Order()
	can := map[suite.TestID]bool{}
	for _, t := range tests {
		can[t] = true
	}
	seen := slices.DeleteFunc(slices.Clone(d.state.Tests), func(t suite.TestID) bool { return !can[t] }) // disabled tests are observed, too
	if !slices.Equal(seen, tests) {
		return nil
	}
	return &detect.Observed{Failed: d.state.Failed(), Later: d.out.Technique == string(detect.Auto)}
}

// recalled returns the relation that an interrupted run observed.
func (d *detection) recalled(ctx context.Context) *state.Relation {
	var text []byte
	if d.ledger == nil || !d.opts.Resume {
		return nil
	}
	ok, err := d.ledger.Kept(ctx, observed, "", &text)
	if !ok || err != nil {
		return nil
	}
	r, err := state.Parse(text, d.p.Groups)
	if err != nil {
		d.s.Log.Warn("reading the relation", zap.Error(err))
		return nil
	}
	return r
}

func (d *detection) keepRelation(ctx context.Context) {
	text, err := d.state.File()
	if err == nil && d.ledger != nil {
		err = d.ledger.Keep(ctx, observed, "", text)
	}
	if err != nil {
		d.s.Log.Warn("keeping the relation", zap.Error(err))
	}
}

// locations returns the fields that a polluter was seen to change and that the test reads.
func (d *detection) locations(t suite.TestID, causes []suite.Order) []string {
	if d.state == nil {
		return nil
	}
	var out []string
	for i, o := range causes {
		if len(o) != 1 {
			return nil
		}
		strength, names := d.state.Why(o[:1], t)
		if strength != state.Changed {
			return nil
		}
		if i == 0 {
			out = names
			continue
		}
		out = shared(out, names)
	}
	return out
}

func shared(a, b []string) []string {
	var out []string
	for _, x := range a {
		for _, y := range b {
			if x == y {
				out = append(out, x)
			}
		}
	}
	return out
}
