//go:build unix

package java

import (
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/harness"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// dying is a test process that says hello (see docs/harness-protocol.md) and
// ends when it is asked.
var dying = harness.Spec{Command: []string{"sh", "-c",
	`printf '\000\000\000\033h\000\000\000\000\000\000\000\001\000\000\000\00217\000\000\000\000\000\000\000\001\000\000\000\000' >&4; head -c 1 <&3 >/dev/null; exit 3`}}

// stuck is a test process that says hello, and, when it is asked, that a.A#one passes and that
// a.A#two begins; then nothing more.
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
	l := &processes{base: base, log: zap.NewNop()}
	t.Cleanup(func() { _ = l.close() })
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
