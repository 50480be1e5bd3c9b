package repair

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// world is a project of tests that set, clear and need variables. Helpers are lists of such
// statements. It implements Editor, Runner and Builder.
type world struct {
	tests   map[suite.TestID]func(state map[string]bool) bool // false: fails
	scripts map[string][]Statement                            // by helper key
	effects map[string]func(state map[string]bool) error      // by statement id
	unfit   func(Edit) string                                 // reason, or ""
	culprit func(Edit) []string                               // statements that do not compile
	unknown func(Edit) bool                                   // it takes too long to find out

	once  map[string]bool                             // classes that set something up once for their tests
	setUp map[string]func(state map[string]bool) bool // by class: its own setup before each test

	harms   func(e Edit, id suite.TestID) bool // a test that fails with an edit in the polluter; may be nil
	between func(state map[string]bool)        // what threads do between two tests; may be nil

	late    bool // a run that outlasts its context is abandoned
	running sync.WaitGroup

	mu     sync.Mutex
	edits  map[string]Edit // by overlay
	runs   int
	builds int
}

func (w *world) Script(_ context.Context, helper suite.Order, _ suite.TestID) ([]Statement, error) {
	return w.scripts[helper.Key()], nil
}

func (w *world) Build(_ context.Context, e Edit) (*Built, error) {
	if e.Location == patch.PolluterClassTeardown && !w.once[junitid.Class(e.At)] {
		return nil, &UnfitError{Reason: "the class sets nothing up once"}
	}
	if e.Location == patch.VictimSetupStart && w.setUp[junitid.Class(e.At)] == nil {
		return nil, &UnfitError{Reason: "the class has no setup of its own"}
	}
	if w.unfit != nil {
		if why := w.unfit(e); why != "" {
			return nil, &UnfitError{Reason: why}
		}
	}
	if w.unknown != nil && w.unknown(e) {
		return nil, &UnfitError{Reason: "it took too long", Unknown: true}
	}
	if w.culprit != nil {
		if bad := w.culprit(e); len(bad) > 0 {
			return nil, &UnfitError{Reason: "it does not compile", Culprits: bad}
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.builds++
	overlay := fmt.Sprintf("overlay-%d", w.builds)
	if w.edits == nil {
		w.edits = map[string]Edit{}
	}
	w.edits[overlay] = e
	return &Built{
		Files:      map[string]string{junitid.Class(e.At) + ".java": overlay},
		Before:     map[string]string{junitid.Class(e.At) + ".java": ""},
		Statements: slices.Clone(e.Keep),
		Kept:       slices.Clone(e.Keep),
		Overlay:    overlay,
	}, nil
}

func (w *world) Parallel() int { return 2 }

func (w *world) Serial() bool { return true }

func (w *world) Series(ctx context.Context, o suite.Order, overlay string, next func(*suite.Run) (string, bool)) error {
	w.mu.Lock()
	w.runs++
	w.mu.Unlock()
	state := map[string]bool{}
	for switches, more := next(nil); more; {
		run, err := w.timed(ctx, func() *suite.Run {
			return w.in(state, o, Trial{Price: suite.Batched, Overlay: overlay, Switches: switches})
		})
		if err != nil {
			return err
		}
		switches, more = next(run)
	}
	return nil
}

func (w *world) Run(ctx context.Context, o suite.Order, t Trial) (*suite.Run, error) {
	w.mu.Lock()
	w.runs++
	w.mu.Unlock()
	return w.timed(ctx, func() *suite.Run { return w.in(map[string]bool{}, o, t) })
}

// timed returns the run, or the context's error if the world respects the context.
func (w *world) timed(ctx context.Context, run func() *suite.Run) (*suite.Run, error) {
	if !w.late {
		return run(), nil
	}
	done := make(chan *suite.Run, 1)
	w.running.Go(func() { done <- run() })
	select {
	case run := <-done:
		return run, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// in runs the order in a process with this state.
func (w *world) in(state map[string]bool, o suite.Order, t Trial) *suite.Run {
	w.mu.Lock()
	edit, patched := w.edits[t.Overlay]
	w.mu.Unlock()
	run := &suite.Run{Order: o, Price: t.Price}
	for i, id := range o {
		res := suite.Result{Test: id, Position: i, Outcome: suite.Pass}
		ok := true
		early, before, after := false, false, false
		own := edit
		for _, at := range edit.spots() {
			early = early || edit.Location == patch.VictimSetupStart && junitid.Class(at) == junitid.Class(id)
			before = before || edit.Location == patch.VictimStart && at == id || edit.Location == patch.VictimSetup &&
				junitid.Class(at) == junitid.Class(id) || edit.Location == patch.VictimBlockSetup && junitid.Class(at) == junitid.Class(id) &&
				(i == 0 || junitid.Class(o[i-1]) != junitid.Class(id))
			if at == id || inHook(edit.Location) && junitid.Class(at) == junitid.Class(id) {
				own.Keep = edit.KeepAt(at)
			}
			after = after || edit.Location == patch.PolluterEnd && at == id || edit.Location == patch.PolluterTeardown &&
				junitid.Class(at) == junitid.Class(id) || edit.Location == patch.PolluterClassTeardown &&
				junitid.Class(at) == junitid.Class(id) && (i == len(o)-1 || junitid.Class(o[i+1]) != junitid.Class(id))
		}
		if edit.Location == patch.Declaration && junitid.Class(edit.At) == junitid.Class(id) {
			for i, field := range edit.Made.Unshare {
				state[field] = state[field] && !slices.Contains(edit.Keep, fmt.Sprintf("0.%d", i))
			}
		}
		if i > 0 && w.between != nil {
			w.between(state)
		}
		if patched && early {
			ok = w.perform(edit, t.Switches, state)
		}
		if setUp := w.setUp[junitid.Class(id)]; setUp != nil {
			ok = ok && setUp(state)
		}
		if patched && before {
			ok = w.perform(own, t.Switches, state) && ok
		}
		ok = ok && w.tests[id](state)
		if patched && after {
			ok = w.perform(own, t.Switches, state) && ok
		}
		if edit.Location == patch.PolluterBody { // a place is the state that the test there changes without waiting
			for i, place := range edit.Made.Await {
				place = strings.TrimSuffix(place, ":end")
				state[place] = state[place] && !slices.Contains(edit.Keep, fmt.Sprintf("0.%d", i))
			}
			ok = ok && (w.harms == nil || !w.harms(edit, id))
		}
		if edit.Location == patch.Declaration && junitid.Class(edit.At) == junitid.Class(id) &&
			len(edit.Made.Annotate) > 0 && len(edit.Keep) > 0 {
			state[edit.Made.Resets] = false
		}
		if !ok {
			res.Outcome = suite.Fail
		}
		run.Results = append(run.Results, res)
	}
	return run
}

// perform runs the statements whose switches are on. A statement with an error fails the test, except
// one that no helper contains while several switches are on.
func (w *world) perform(e Edit, switches string, state map[string]bool) bool {
	for i, id := range e.Keep {
		if f := w.effects[id]; e.Made != nil && f == nil {
			id = e.Made.Statements[slices.Index(e.Made.IDs(), id)]
		}
		if i < len(switches) && switches[i] == '0' {
			continue
		}
		if f := w.effects[id]; f != nil && f(state) != nil && (e.Made == nil || strings.Count(switches, "1") == 1 || !e.Switched) {
			return false
		}
	}
	return true
}

// build is the Builder of the world. The files' text names the overlay.
type build struct{ w *world }

func (b build) Build(_ context.Context, files map[string]string) (Site, error) {
	for _, text := range files {
		return site{b.w, text}, nil
	}
	return site{b.w, ""}, nil
}

type site struct {
	w       *world
	overlay string
}

func (s site) Run(ctx context.Context, o suite.Order) (*suite.Run, error) {
	return s.w.Run(ctx, o, Trial{Price: suite.Fresh, Overlay: s.overlay})
}
func (s site) Alone() Site   { return s }
func (s site) Parallel() int { return 2 }
func (s site) Close() error  { return nil }

// registry is a world of one polluted registry: a polluter, victims in two classes, and a cleaner
// whose third statement of five resets it.
func registry() *world {
	set := func(k string, v bool) func(map[string]bool) bool {
		return func(s map[string]bool) bool { s[k] = v; return true }
	}
	clean := func(s map[string]bool) bool { return !s["dirty"] }
	w := &world{
		tests: map[suite.TestID]func(map[string]bool) bool{
			"P#pollute": set("dirty", true),
			"V#one":     clean,
			"V#two":     clean,
			"W#three":   clean,
			"C#clean":   set("dirty", false),
			"N#neutral": func(map[string]bool) bool { return true },
		},
		effects: map[string]func(map[string]bool) error{
			"reset": func(s map[string]bool) error {
				if !s["opened"] {
					return fmt.Errorf("not open")
				}
				s["dirty"] = false
				return nil
			},
			"open":   func(s map[string]bool) error { s["opened"] = true; return nil },
			"assert": func(s map[string]bool) error { return nil },
		},
		scripts: map[string][]Statement{},
	}
	w.scripts[suite.Order{"C#clean"}.Key()] = []Statement{
		{ID: "noise1", Role: "setup"},
		{ID: "open", Role: "setup"},
		{ID: "block", Role: "body", Inner: []Statement{
			{ID: "noise2", Role: "body"}, {ID: "reset", Role: "body", Requires: []string{"open"}},
		}, Requires: []string{"open"}},
		{ID: "assert", Role: "body", Assertion: true},
		{ID: "noise3", Role: "teardown"},
	}
	w.effects["block"] = w.effects["reset"]
	return w
}

func registryCause() Cause {
	p := suite.Order{"P#pollute"}
	c := Cause{Polluter: p, Helpers: []suite.Order{{"C#clean"}}}
	for _, v := range []suite.TestID{"V#one", "V#two", "W#three"} {
		c.Cases = append(c.Cases, Case{Test: v, Failing: []suite.Order{suite.Join(p, suite.Order{v})}})
	}
	return c
}

func labels(c *Candidate) string {
	return string(c.Edit.Location) + " " + strings.Join(c.Edit.Keep, ",")
}
