//go:build ignore

// Command detect_model runs `odfix detect`'s default technique on models of real suites. It starts
// no test process.
//
//	go run docs/benchmarks/detect_model.go [-seeds 7] [-parallel 1] [-limit 60] [-unseen | -brittle | -kept] RELATION.json [KNOWN.tsv OWNER/NAME MODULE]
//
// RELATION.json comes from `odfix orders DIR --observe --relation RELATION.json`. It lists the
// tests of a suite, and which of them read and write which static state. The model decides from it
// how each test behaves:
//
//   - With KNOWN.tsv (columns project, module, kind, test, polluter): a victim shares state with
//     its polluters. It fails if the last test that replaced this state is one of these polluters.
//   - Without KNOWN.tsv, the seed makes at most six causes of up to twelve victims each, and at
//     most one cause of up to four brittle tests.
//   - With -unseen, the seed makes at most four victims of state that was not observed
//     (files, say).
//   - With -brittle, it makes at most six causes of up to four brittle tests each.
//   - With -kept, it makes at most two causes. A class keeps the value it reads first. In about
//     half of the classes, all readers are victims.
//
// The seed also decides which writers replace a state (one in two), and which classes of readers
// restore it without being observed (one in eight). The output is the path, the number of tests,
// and four medians over the seeds. Each median is a number of executions: until half, and until
// nine tenths, of the order-dependent tests had both passed and failed; and until half, and until
// nine tenths, of them were confirmed. A test that was not found counts as the limit.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/odfix/odfix/internal/detect"
	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/order"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// groups are the classes that the ids name.
var groups = suite.NewGroups(nil, junitid.Syntax{})

// limit is how many executions of the whole suite a search may take.
var limit = flag.Int("limit", 60, "stop after this many executions of the whole suite")

func main() {
	seeds := flag.Uint64("seeds", 7, "how many seeds")
	parallel := flag.Int("parallel", 1, "parallel processes")
	unseen := flag.Bool("unseen", false, "victims of state that was not observed")
	brittle := flag.Bool("brittle", false, "brittle tests only")
	kept := flag.Bool("kept", false, "victims in classes that keep what they read first")
	flag.Parse()
	text, err := os.ReadFile(flag.Arg(0))
	if err != nil {
		log.Fatal(err)
	}
	r, err := state.Parse(text, groups)
	if err != nil {
		log.Fatal(err)
	}
	results := make([][]int, 4)
	for seed := range *seeds {
		m := newModel(r, seed, *parallel)
		switch {
		case flag.NArg() > 3:
			m.known(flag.Arg(1), flag.Arg(2), flag.Arg(3))
		case *unseen:
			m.unseen()
		case *brittle:
			m.brittle()
		case *kept:
			m.kept()
		default:
			m.seeded()
		}
		if len(m.of) == 0 {
			continue
		}
		row := m.search(seed)
		for i, n := range row {
			results[i] = append(results[i], n)
		}
	}
	fmt.Print(flag.Arg(0), "\t", len(r.Tests), " tests")
	for _, column := range results {
		if slices.Sort(column); len(column) > 0 {
			fmt.Print("\t", column[len(column)/2])
		}
	}
	fmt.Println()
}

// cause is one shared value that makes tests order-dependent. Polluters set it so that victims
// fail. State-setters set it so that brittle tests pass.
type cause struct {
	leaves   map[suite.TestID]bool // polluters or state-setters
	replaces map[suite.TestID]bool // tests that set it to a harmless value
	brittle  bool
	reads    map[suite.TestID]bool // tests whose class keeps the value that it read first; nil: no class does
}

type model struct {
	r        *state.Relation
	tree     *suite.Suite
	rng      *rand.Rand
	parallel int
	causes   []*cause
	of       map[suite.TestID]*cause // by order-dependent test
	mu       sync.Mutex
	ran      int
	stop     atomic.Bool
}

func newModel(r *state.Relation, seed uint64, parallel int) *model {
	m := &model{r: r, rng: rand.New(rand.NewPCG(seed, 0x6d6f64)), parallel: parallel, of: map[suite.TestID]*cause{}}
	root := &suite.Node{Name: "suite"}
	for _, group := range junitid.Split(r.Tests) {
		n := &suite.Node{Name: junitid.Launched(group[0])}
		for _, t := range group {
			n.Children = append(n.Children, &suite.Node{Name: junitid.Method(t), Test: t})
		}
		root.Children = append(root.Children, n)
	}
	m.tree = &suite.Suite{Root: root}
	return m
}

// flows returns the observed flows from writers to readers.
func (m *model) flows() []order.Flow { return slices.Collect(m.r.Flows(state.Written)) }

// cause makes a cause. Some writers of the flow, and some classes of its readers, restore the state
// that the polluters change.
func (m *model) cause(f order.Flow, polluters []suite.TestID) *cause {
	c := &cause{leaves: map[suite.TestID]bool{}, replaces: map[suite.TestID]bool{}}
	for _, p := range polluters {
		c.leaves[p] = true
	}
	for _, w := range f.Writers {
		c.replaces[w] = m.rng.IntN(2) == 0 && !c.leaves[w]
	}
	tidy := map[string]bool{}
	for _, t := range f.Readers {
		class := junitid.Launched(t)
		if _, ok := tidy[class]; !ok {
			tidy[class] = m.rng.IntN(8) == 0
		}
		if tidy[class] && !c.leaves[t] && m.of[t] == nil {
			c.replaces[t] = true
		}
	}
	m.causes = append(m.causes, c)
	return c
}

// known makes one cause for each distinct list of polluters in the file.
func (m *model) known(file, project, module string) {
	text, err := os.ReadFile(file)
	if err != nil {
		log.Fatal(err)
	}
	polluters := map[suite.TestID][]suite.TestID{}
	var victims []suite.TestID
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	column := map[string]int{}
	for i, name := range strings.Split(lines[0], "\t") {
		column[name] = i
	}
	for _, line := range lines[1:] {
		row := strings.Split(line, "\t")
		if !strings.EqualFold(row[column["project"]], project) || row[column["module"]] != module || row[column["polluter"]] == "" {
			continue
		}
		p, v := id(row[column["polluter"]]), id(row[column["test"]])
		if !slices.Contains(victims, v) {
			victims = append(victims, v)
		}
		polluters[v] = append(polluters[v], p)
	}
	shared := map[string]*cause{}
	for _, v := range victims {
		key := fmt.Sprint(polluters[v])
		if shared[key] == nil {
			shared[key] = m.cause(m.flowOf(polluters[v][0], v), polluters[v])
		}
		m.of[v] = shared[key]
		delete(shared[key].replaces, v)
	}
}

func (m *model) flowOf(p, v suite.TestID) order.Flow {
	for _, f := range m.flows() {
		for a, b := range f.Pairs {
			if a == p && b == v {
				return f
			}
		}
	}
	log.Fatalf("no flow from %s to %s", p, v)
	return order.Flow{}
}

// seeded makes causes of the observed state.
func (m *model) seeded() {
	flows := m.flows()
	m.rng.Shuffle(len(flows), func(i, j int) { flows[i], flows[j] = flows[j], flows[i] })
	made := 0
	for _, f := range flows {
		by := map[suite.TestID][]suite.TestID{}
		var writers []suite.TestID
		for p, v := range f.Pairs {
			if by[p] == nil {
				writers = append(writers, p)
			}
			by[p] = append(by[p], v)
		}
		if len(writers) == 0 || made == 6 {
			continue
		}
		p := writers[m.rng.IntN(len(writers))]
		readers := slices.DeleteFunc(by[p], func(t suite.TestID) bool { return m.of[t] != nil })
		if len(readers) == 0 {
			continue
		}
		made++
		c := m.cause(f, []suite.TestID{p})
		for range 1 + m.rng.IntN(12) {
			v := readers[m.rng.IntN(len(readers))]
			m.of[v] = c
			delete(c.replaces, v)
		}
	}
	m.seededBrittles(flows)
}

func (m *model) seededBrittles(flows []order.Flow) {
	for _, f := range flows {
		if len(f.Bare) == 0 || len(f.Writers) == 0 {
			continue
		}
		c := &cause{leaves: map[suite.TestID]bool{}, brittle: true}
		for _, w := range f.Writers {
			c.leaves[w] = true
		}
		for range 1 + m.rng.IntN(4) {
			if v := f.Bare[m.rng.IntN(len(f.Bare))]; m.of[v] == nil && !c.leaves[v] {
				m.of[v] = c
			}
		}
		m.causes = append(m.causes, c)
		return
	}
}

// brittle makes at most six causes of brittle tests from the observed state. One writer is a
// state-setter, and each other writer with probability one half.
func (m *model) brittle() {
	flows := m.flows()
	m.rng.Shuffle(len(flows), func(i, j int) { flows[i], flows[j] = flows[j], flows[i] })
	for _, f := range flows {
		if len(f.Bare) == 0 || len(f.Writers) == 0 || len(m.causes) == 6 {
			continue
		}
		c := &cause{leaves: map[suite.TestID]bool{f.Writers[m.rng.IntN(len(f.Writers))]: true}, brittle: true}
		for _, w := range f.Writers {
			if m.rng.IntN(2) == 0 {
				c.leaves[w] = true
			}
		}
		for range 1 + m.rng.IntN(4) {
			if v := f.Bare[m.rng.IntN(len(f.Bare))]; m.of[v] == nil && !c.leaves[v] {
				m.of[v] = c
			}
		}
		m.causes = append(m.causes, c)
	}
}

// kept makes at most two causes. It uses the two most-read values that few classes write.
func (m *model) kept() {
	type wide struct {
		f order.Flow
		p suite.TestID
		v []suite.TestID
	}
	var all []wide
	for _, f := range m.flows() {
		if 12*len(groups.Split(f.Writers)) > len(m.tree.Root.Children) {
			continue
		}
		by := map[suite.TestID][]suite.TestID{}
		for p, v := range f.Pairs {
			by[p] = append(by[p], v)
		}
		best := wide{f: f}
		for _, p := range f.Writers {
			if len(by[p]) > len(best.v) {
				best.p, best.v = p, by[p]
			}
		}
		all = append(all, best)
	}
	slices.SortStableFunc(all, func(a, b wide) int { return len(b.v) - len(a.v) })
	for _, w := range all[:min(2, len(all))] {
		c := m.cause(w.f, []suite.TestID{w.p})
		c.reads = map[suite.TestID]bool{}
		chosen := map[string]bool{}
		for _, t := range w.v {
			class := groups.Top(t)
			if _, known := chosen[class]; !known {
				chosen[class] = m.rng.IntN(2) == 0
			}
			c.reads[t] = true
			if chosen[class] && m.of[t] == nil && !c.leaves[t] {
				m.of[t] = c
				delete(c.replaces, t)
			}
		}
	}
}

func (m *model) unseen() {
	tests := m.r.Tests
	for range 4 {
		p, v := tests[m.rng.IntN(len(tests))], tests[m.rng.IntN(len(tests))]
		if p != v && m.of[v] == nil {
			m.of[v] = m.cause(order.Flow{}, []suite.TestID{p})
		}
	}
}

func (m *model) Parallel() int { return m.parallel }

// Run implements detect.Runner.
func (m *model) Run(_ context.Context, o suite.Order, _ bool) (*suite.Run, error) {
	m.mu.Lock()
	m.ran += len(o)
	if m.ran > *limit*len(m.r.Tests) {
		m.stop.Store(true)
	}
	m.mu.Unlock()
	run := &suite.Run{Order: o, Price: suite.Fresh, Nanos: 1}
	failed := m.outcomes(o)
	for i, t := range o {
		res := suite.Result{Test: t, Position: i, Outcome: suite.Pass}
		if failed[i] {
			res.Outcome, res.Failure = suite.Fail, &suite.Failure{Type: "AssertionError"}
		}
		run.Results = append(run.Results, res)
	}
	return run, nil
}

func (m *model) outcomes(o suite.Order) []bool {
	type keeper struct {
		c     *cause
		class string
	}
	failed, left, first := make([]bool, len(o)), map[*cause]bool{}, map[keeper]bool{}
	for i, t := range o {
		for _, c := range m.causes {
			if at := (keeper{c, groups.Top(t)}); c.reads[t] {
				if _, known := first[at]; !known {
					first[at] = left[c]
				}
			}
		}
		if c := m.of[t]; c != nil {
			failed[i] = left[c] != c.brittle
			if c.reads != nil {
				failed[i] = first[keeper{c, groups.Top(t)}]
			}
		}
		for _, c := range m.causes {
			switch {
			case c.leaves[t]:
				left[c] = true
			case c.replaces[t]:
				left[c] = false
			}
		}
	}
	return failed
}

// search runs the default technique as `odfix detect` does.
func (m *model) search(seed uint64) []int {
	tests := m.tree.Order()
	st := &detect.State{
		Tiers: []order.Pairs{m.r.Tier(state.Changed), m.r.Tier(state.Written)}, MaybeBrittle: m.r.MaybeBrittle(),
		Flows: m.r.Flows(state.Written),
	}
	before := &detect.Observed{Later: true}
	for i, bad := range m.outcomes(tests) {
		if bad {
			before.Failed = append(before.Failed, tests[i])
		}
	}
	plan := detect.Plan{Technique: detect.Auto, Seed: seed, State: st, Observed: true, Outcomes: &detect.Outcomes{}}
	stages, _, err := plan.Stages(m.tree)
	if err != nil {
		log.Fatal(err)
	}
	end := time.Now().Add(time.Hour)
	s := detect.New(m, detect.Input{
		Tests: tests, Stages: stages, Observed: before, State: st, Outcomes: plan.Outcomes,
		Now: func() time.Time {
			if m.stop.Load() {
				return end.Add(time.Hour)
			}
			return time.Now()
		},
		Progress: func(p detect.Progress) {
			if p.Finds >= len(m.of) {
				m.stop.Store(true)
			}
		},
	})
	defer s.Close()
	if _, err := s.Run(context.Background(), end); err != nil {
		log.Fatal(err)
	}
	return m.measure(s.Result())
}

func (m *model) measure(res detect.Result) []int {
	var shown, confirmed []int
	for _, f := range res.Finds {
		if m.of[f.Test] == nil {
			log.Fatalf("%s is not order-dependent", f.Test)
		}
		shown, confirmed = append(shown, f.Shown.Executions), append(confirmed, f.After.Executions)
	}
	for len(shown) < len(m.of) {
		shown, confirmed = append(shown, *limit*len(m.r.Tests)), append(confirmed, *limit*len(m.r.Tests))
	}
	slices.Sort(shown)
	slices.Sort(confirmed)
	half, most := len(shown)/2, len(shown)*9/10
	return []int{shown[half], shown[most], confirmed[half], confirmed[most]}
}

// id converts the data set's name (CLASS.METHOD) to a test id.
func id(name string) suite.TestID {
	if i := strings.LastIndexByte(name, '.'); i > 0 && !strings.Contains(name, "#") {
		return suite.TestID(name[:i] + "#" + name[i+1:])
	}
	return suite.TestID(name)
}
