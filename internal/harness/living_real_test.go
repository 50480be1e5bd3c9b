//go:build unix

package harness

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

// livingPool asks testdata/state in processes that put back behind each order what it changed, on the JDK with this home.
func livingPool(t *testing.T, home string, say func(string, bool)) *Pool {
	t.Helper()
	j := stateJVM(t, home, false)
	if err := os.WriteFile(filepath.Join(j.Dir, "StateTest.here"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(j.Dir, "state", "LivingGone.class")); err != nil {
		t.Fatal(err)
	}
	j.Living, j.Quick, j.AgentFile = true, true, filepath.Join(t.TempDir(), "living")
	spec, err := j.Spec()
	if err != nil {
		t.Fatal(err)
	}
	j.Agent = ""
	return realPool(t, j, nil).Lives(spec, say)
}

func askLiving(t *testing.T, p *Pool, methods ...string) (suite.Result, Back) {
	t.Helper()
	var o suite.Order
	for _, m := range methods {
		o = append(o, suite.TestID("state.LivingTest#"+m))
	}
	run, back, err := p.RunLiving(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if run == nil {
		return suite.Result{}, back
	}
	return run.Last(), back
}

// TestLivingIsExact is about what can be put back, on each JDK named in ODFIX_TEST_JDKS besides the one that is installed.
func TestLivingIsExact(t *testing.T) {
	homes := append([]string{""}, strings.FieldsFunc(os.Getenv("ODFIX_TEST_JDKS"), func(r rune) bool { return r == ':' })...)
	for _, home := range homes {
		t.Run(filepath.Base(home), func(t *testing.T) {
			p := livingPool(t, home, nil)
			if res, _ := askLiving(t, p, "spoils", "finds"); res.Outcome != suite.Fail {
				t.Fatalf("nothing is spoilt: %+v", res)
			}
			for i, methods := range [][]string{{"finds"}, {"spoils"}, {"late"}, {"finds"}, {"late"}, {"endsThread"}, {"leavesFile"}, {"spoils", "late"}, {"late"}, {"finds"}, {"endsThreads"}, {"endsThreads"}, {"takesUnchanged"},
				{"leavesFileToWrite"}, {"leavesFileLocked"}, {"leavesPort"}, {"leavesTemporary"}, {"leavesTemporary"}, {"holdsMuch"}, {"late"}} {
				res, back := askLiving(t, p, methods...)
				if res.Outcome != suite.Pass || !back.Exact() || back.Asked != i+1 {
					t.Errorf("%v: %s %+v %+v", methods, res.Outcome, res.Failure, back)
				}
				if spoils := methods[0] == "spoils"; spoils && back.Changed < 10 {
					t.Errorf("only %d objects were put back: %+v", back.Changed, back)
				}
			}
		})
	}
}

// TestLivingRefuses is about what cannot be put back, or not told from what was there.
func TestLivingRefuses(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts many JVMs")
	}
	p := livingPool(t, "", nil)
	p.Insist()
	for _, c := range []struct{ method, why string }{
		{"leavesThread", "thread left lives on"},
		{"leavesHook", "shutdown hook"},
		{"writesFile", "it wrote: file written"},
		{"hidesPort", "left open: socket"},
		{"hidesFile", "StateTest.here"},
		{"keepsTemporary", "initialising [state.LivingTest$Keeps] made temporary files"},
		{"keepsTemporaryBelow", "initialising [state.LivingTest$KeepsBelow] made temporary files"},
		{"leavesThreads", "lives on"},
		{"initialisesMuch", "there is more shared state than is remembered"},
		{"setsManager", "there is a security manager"},
		{"clearsReference", "WeakReference has changed again, or cannot be put back"},
		{"counts", "initialising [state.LivingTest$Counts] changes"},
		{"takes", "reads state.LivingTest.text"},
		{"takesProperty", "reads system property state.language"},
		{"fails", "the initialiser of state.LivingTest$Fails failed"},
		{"lacksType", "NoClassDefFoundError"},
		{"loads", "class loader of the tests' own"},
		{"leavesChild", "lives on"},
		{"setsItsProperty", "java.odd"},
	} {
		askLiving(t, p, "finds") // the class is initialised; a process that is asked once more
		res, back := askLiving(t, p, c.method)
		if res.Outcome != suite.Pass {
			t.Errorf("%s: %s %+v", c.method, res.Outcome, res.Failure)
		}
		if all := strings.Join(back.Problems, "; "); !strings.Contains(all, c.why) {
			t.Errorf("%s: it is said %q, not why: %s", c.method, all, c.why)
		}
		if back.Broken != (c.method == "lacksType") {
			t.Errorf("%s: the agent failed: %v", c.method, back.Broken)
		}
	}
	run, back, err := p.RunLiving(t.Context(), suite.Order{"state.PoweredTest#isElsewhere"})
	if err != nil || run.Last().Outcome != suite.Pass || !strings.Contains(strings.Join(back.Problems, "; "), "class loader of the tests' own") {
		t.Errorf("with PowerMock: %v %+v %+v", err, run, back)
	}
	if res, back := askLiving(t, p, "finds"); back.Asked != 0 || res.Outcome != suite.Pass {
		t.Errorf("a process is asked that was not what it had been: %+v %+v", res, back)
	}
}

// TestLivingKeepsWhatInitialisersAdd: a class stays initialised, and so does what its initialiser added elsewhere, to the notice of those who read that.
// Each case is a process of its own, and only its last order is refused.
func TestLivingKeepsWhatInitialisersAdd(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts many JVMs")
	}
	for _, c := range []struct {
		methods []string
		why     string
	}{
		{[]string{"registers", "registers", "late", "readsRegistry"}, "state.LivingTest.MAP was read, to which the initialiser of a class had added"},
		{[]string{"registers", "takesUnchanged"}, "state.LivingTest.MAP was read by an initialiser, and another one had added to it"},
		{[]string{"late", "takesProperty"}, "system property state.language"},
		{[]string{"takesUnchanged", "late", "spoils"}, "which the initialiser of a class had read in an earlier order"},
		{[]string{"readsRegistry", "readsRegistry", "registers"}, ""},
	} {
		p := livingPool(t, "", nil)
		p.Insist()
		for i, m := range c.methods {
			res, back := askLiving(t, p, m)
			all := strings.Join(back.Problems, "; ")
			refused := c.why != "" && i == len(c.methods)-1
			if res.Outcome != suite.Pass || back.Asked != i || back.Exact() == refused || refused && !strings.Contains(all, c.why) {
				t.Errorf("%v, %d: %s, asked %d before, %q", c.methods, i, res.Outcome, back.Asked, all)
			}
		}
	}
}

// TestRewoundPrice is about what a question is answered at.
func TestRewoundPrice(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts many JVMs")
	}
	var said []string
	p := livingPool(t, "", func(why string, ended bool) {
		if ended {
			said = append(said, why)
		}
	})
	ask := func(method string) *suite.Run {
		t.Helper()
		run, err := p.Run(t.Context(), suite.Order{suite.TestID("state.LivingTest#" + method)}, Question{Price: suite.Rewound})
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	for i, c := range []struct {
		method string
		want   suite.Price
	}{
		{"finds", suite.Warm}, // nothing has been put back in this process yet
		{"spoils", suite.Rewound}, {"finds", suite.Rewound},
		{"leavesHook", suite.Warm}, // asked again
		{"finds", suite.Warm}, {"finds", suite.Rewound},
		{"exits", suite.Warm},
		{"leavesHook", suite.Warm}, {"leavesHook", suite.Warm}, {"leavesHook", suite.Warm},
		{"finds", suite.Warm}, {"finds", suite.Warm}, // given up
	} {
		run := ask(c.method)
		if run.Price != c.want || c.method == "finds" && run.Last().Outcome != suite.Pass {
			t.Errorf("%d, %s: %s at the price %s, not %s", i, c.method, run.Last().Outcome, run.Price, c.want)
		}
	}
	if len(said) != 1 || !strings.Contains(said[0], "shutdown hook") {
		t.Errorf("it is said: %q", said)
	}
	if s := p.Stats(); s.Questions[suite.Rewound] != 3 || s.Questions[suite.Warm] != 9 {
		t.Errorf("%+v", s)
	}
}

func TestRewoundWithoutTheAgent(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts many JVMs")
	}
	var said []string
	j := stateJVM(t, "", false)
	j.Agent = ""
	spec, err := j.Spec()
	if err != nil {
		t.Fatal(err)
	}
	p := realPool(t, j, nil).Lives(spec, func(why string, ended bool) {
		if ended {
			said = append(said, why)
		}
	})
	for range 2 {
		run, err := p.Run(t.Context(), suite.Order{"state.LivingTest#finds"}, Question{Price: suite.Rewound})
		if err != nil || run.Price != suite.Warm || run.Last().Outcome != suite.Pass {
			t.Errorf("%v %+v", err, run)
		}
	}
	if len(said) != 1 || !strings.Contains(said[0], "without the agent") {
		t.Errorf("it is said: %q", said)
	}
}

// TestLivingProcessesEnd is about when none is asked: while one is, and once they were ended.
func TestLivingProcessesEnd(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts many JVMs")
	}
	p := livingPool(t, "", nil)
	ask := func() suite.Price {
		t.Helper()
		run, err := p.Run(t.Context(), suite.Order{"state.LivingTest#finds"}, Question{Price: suite.Rewound})
		if err != nil {
			t.Fatal(err)
		}
		return run.Price
	}
	askLiving(t, p, "finds")
	p.living.one <- struct{}{} // somebody asks it
	if got := ask(); got != suite.Warm {
		t.Errorf("beside another question, one is answered at the price %s", got)
	}
	<-p.living.one
	if got := ask(); got != suite.Rewound {
		t.Errorf("answered at the price %s", got)
	}
	p.EndLiving("told to")
	if got := ask(); got != suite.Warm || len(p.living.idle) > 0 {
		t.Errorf("once it was ended, answered at the price %s, with %d waiting", got, len(p.living.idle))
	}
}

// TestEndedLivingProcessIsNotKept: what keep counts in, it counts out, or Close would wait for it.
func TestEndedLivingProcessIsNotKept(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts many JVMs")
	}
	p := livingPool(t, "", nil)
	a, err := p.living.take(t.Context())
	if err != nil || a == nil {
		t.Fatal(a, err)
	}
	p.EndLiving("told to")
	p.living.keep(a)
	if err := p.Close(); err != nil { // waits for all that is counted in
		t.Fatal(err)
	}
	<-a.proc.gone
}
