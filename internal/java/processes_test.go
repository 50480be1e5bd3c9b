//go:build unix

package java

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/harness"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// dying is a test process that sends hello (see docs/harness-protocol.md) and ends after its first
// command.
var dying = harness.Spec{Command: []string{"sh", "-c",
	`printf '\000\000\000\033h\000\000\000\000\000\000\000\001\000\000\000\00217\000\000\000\000\000\000\000\001\000\000\000\000' >&4; head -c 1 <&3 >/dev/null; exit 3`}}

// stuck is a test process that sends hello. After its first command it reports that a.A#one passes
// and that a.A#two begins, and then nothing more.
var stuck = harness.Spec{Command: []string{"sh", "-c", strings.Replace(dying.Command[2], "exit 3", `printf '`+
	`\000\000\000\024s`+nothing+`\000\000\000\007a.A#one`+
	`\000\000\000\051f`+nothing+`\000\000\000\007a.A#onep`+nothing+nothing+`\000\000\000\000`+
	`\000\000\000\024s\000\000\000\000\000\000\000\001\000\000\000\007a.A#two' >&4; exec sleep 1000`, 1)}}

// nothing is eight bytes of a frame: a number, or two empty texts.
const nothing = `\000\000\000\000\000\000\000\000`

// TestHangsRunAgain checks that a test that seems to hang runs once more, with the time of an
// unseen test.
func TestHangsRunAgain(t *testing.T) {
	base, err := harness.NewPool(harness.Config{Exact: stuck, Parallel: 1, Spares: -1,
		Limits: harness.Limits{Floor: 40 * time.Millisecond, Unseen: 3 * time.Second, Stacks: time.Millisecond, Quit: time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	base.Learn("a.A#two", time.Millisecond)
	l := &processes{base: base, log: zap.NewNop()}
	t.Cleanup(func() { _ = l.close() })
	for i, want := range []struct {
		asked int // runs up to now
		after string
	}{{2, "3s"}, {3, "40ms"}} {
		run, err := l.Run(t.Context(), suite.Order{"a.A#one", "a.A#two"}, repair.Trial{Price: suite.Fresh})
		if err != nil || run.Crash == nil || run.Crash.During != "a.A#two" || !strings.HasSuffix(run.Crash.Detail, want.after) {
			t.Fatalf("run %d: %+v, %v; want a hang after %s", i, run, err, want.after)
		}
		if asked := base.Stats().Questions[suite.Fresh]; asked != want.asked {
			t.Errorf("%d orders ran, want %d", asked, want.asked)
		}
	}
}

// TestFilesOfACrash: files that tests leave before their process ends say nothing of the order.
func TestFilesOfACrash(t *testing.T) {
	base, err := harness.NewPool(harness.Config{Exact: dying, Parallel: 1, Spares: -1})
	if err != nil {
		t.Fatal(err)
	}
	d, _ := kept(t)
	p := &Project{processes: &processes{base: base, log: zap.NewNop(), tidy: d}}
	t.Cleanup(func() { _ = p.processes.close() })
	if files, err := p.FilesLeft(t.Context(), suite.Order{"a.A#one"}); err == nil || !strings.Contains(err.Error(), "3") {
		t.Errorf("%q, %v", files, err)
	}
}

// TestSideBySide: a run that waits until no other is active has no processes beside each other either.
// Classes may use one port, which a build that gives each a process of its own never notices.
func TestSideBySide(t *testing.T) {
	var writes atomic.Bool
	writes.Store(true)
	for _, c := range []struct {
		name string
		f    folder
		q    harness.Question
		want int
	}{
		{"as usual", folder{}, harness.Question{}, 4},
		{"alone", folder{}, harness.Question{Alone: true}, 1},
		{"in its own folder", folder{own: true}, harness.Question{}, 1},
		{"tests write files", folder{tidy: &tidy{testsWrite: &writes}}, harness.Question{}, 1},
	} {
		if got := sideBySide(4, c.f, c.q); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}
