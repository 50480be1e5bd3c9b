//go:build unix

package engine

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/odfix/odfix/internal/harness"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// dying is a test process that says hello (see docs/harness-protocol.md) and
// ends when it is asked.
var dying = harness.Spec{Command: []string{"sh", "-c",
	`printf '\000\000\000\033h\000\000\000\000\000\000\000\001\000\000\000\00217\000\000\000\000\000\000\000\001\000\000\000\000' >&4; head -c 1 <&3 >/dev/null; exit 3`}}

// dyingLab is a lab of such processes, whatever the overlay.
func dyingLab(t *testing.T, ends *endings) *lab {
	t.Helper()
	base, err := harness.NewPool(harness.Config{Exact: dying, Parallel: 1, Spares: -1})
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{base: base, log: zap.NewNop(), ends: ends, spec: func(string) (harness.Spec, harness.Spec, error) { return dying, dying, nil }}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// TestEndsOfPatchedProcessesAreNotTheProjectsOwn: what a patch under trial does
// is no news about the build.
func TestEndsOfPatchedProcessesAreNotTheProjectsOwn(t *testing.T) {
	var ends endings
	l := dyingLab(t, &ends)
	o := suite.Order{"a.A#one"}
	run, err := l.Run(t.Context(), o, repair.Trial{Price: suite.Fresh, Overlay: "overlay"})
	if err != nil || run.Crash == nil {
		t.Fatalf("%+v, %v", run, err)
	}
	site := &patched{pool: l.base, lab: l}
	if run, err = site.Run(t.Context(), o); err != nil || run.Crash == nil {
		t.Fatalf("%+v, %v", run, err)
	}
	if len(ends.ended) > 0 {
		t.Errorf("heard of patches: %+v", ends.ended)
	}
	if _, err := l.Run(t.Context(), o, repair.Trial{Price: suite.Fresh}); err != nil || len(ends.ended) != 1 || ends.ended[0].Times != 1 {
		t.Errorf("of the project: %+v, %v", ends.ended, err)
	}
}

// stuck is a test process that says hello, and, when it is asked, that a.A#one passes and that a.A#two begins; then nothing more.
var stuck = harness.Spec{Command: []string{"sh", "-c", strings.Replace(dying.Command[2], "exit 3", `printf '`+
	`\000\000\000\024s`+nothing+`\000\000\000\007a.A#one`+
	`\000\000\000\051f`+nothing+`\000\000\000\007a.A#onep`+nothing+nothing+`\000\000\000\000`+
	`\000\000\000\024s\000\000\000\000\000\000\000\001\000\000\000\007a.A#two' >&4; exec sleep 1000`, 1)}}

// nothing is eight bytes of a frame: a number, or two empty texts.
const nothing = `\000\000\000\000\000\000\000\000`

// TestHangsAreAskedAgain: a test that seems to hang gets the time of one that was never seen, once.
func TestHangsAreAskedAgain(t *testing.T) {
	base, err := harness.NewPool(harness.Config{Exact: stuck, Parallel: 1, Spares: -1,
		Limits: harness.Limits{Floor: 40 * time.Millisecond, Unseen: 3 * time.Second, Stacks: time.Millisecond, Quit: time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	base.Learn("a.A#two", time.Millisecond)
	l := &lab{base: base, log: zap.NewNop(), ends: &endings{}}
	t.Cleanup(func() { _ = l.Close() })
	for i, want := range []struct {
		asked int // by then
		after string
	}{{2, "3s"}, {3, "40ms"}} {
		run, err := l.Run(t.Context(), suite.Order{"a.A#one", "a.A#two"}, repair.Trial{Price: suite.Fresh})
		if err != nil || run.Crash == nil || run.Crash.During != "a.A#two" || !strings.HasSuffix(run.Crash.Detail, want.after) {
			t.Fatalf("run %d: %+v, %v; want a hang after %s", i, run, err, want.after)
		}
		if asked := base.Stats().Questions[suite.Fresh]; asked != want.asked {
			t.Errorf("%d processes were asked, want %d", asked, want.asked)
		}
	}
}

// TestNothingIsAskedWhereThereIsNoHelper: no run of the whole suite for a proof
// that nobody will begin.
func TestNothingIsAskedWhereThereIsNoHelper(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := dyingLab(t, &endings{})
		core, logged := observer.New(zap.DebugLevel)
		l.original, l.log = suite.Order{"a.A#one"}, zap.New(core)
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // a question is heard, and starts no process
		m := &mender{w: &worker{}, p: &project{lab: l}, r: &job.Report{}}
		if cured, err := m.cause(ctx, repair.Cause{Cases: []repair.Case{{Test: "a.A#one"}}}, nil); err != nil || len(cured) > 0 {
			t.Errorf("%v, %v", cured, err)
		}
		synctest.Wait() // for whatever that began
		if n := logged.FilterMessage("asked").Len(); n > 0 {
			t.Errorf("%d orders were asked", n)
		}
	})
}
