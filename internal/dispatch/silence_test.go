package dispatch

import (
	"os"
	"os/exec"
	"testing"
	"testing/synctest"
	"time"

	"github.com/odfix/odfix/internal/child"
)

// TestSilence: a runner is stopped when it had no output for a while, however long it has run. The
// clock is that of the bubble.
func TestSilence(t *testing.T) {
	const quiet = 10 * time.Second
	for name, c := range map[string]struct {
		outputs []time.Duration // since the one before
		exits   time.Duration   // after the last output, by itself; 0: it does not
		why     reason
		after   time.Duration // from the beginning to the request to stop
	}{
		"no output at all":               {nil, 0, silent, quiet},
		"output, and then none":          {[]time.Duration{quiet - 1, quiet - 1, 1}, 0, silent, 3*quiet - 1},
		"output for long, and an exit":   {[]time.Duration{quiet - 1, quiet - 1, quiet - 1, quiet - 1}, quiet - 1, itself, 0},
		"output comes too late":          {[]time.Duration{quiet + 1}, 0, silent, quiet},
		"an exit without any output yet": {nil, quiet - 1, itself, 0},
	} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "ODFIX_FAKE_CHILD=1") // it waits until it is killed
		if err := child.Start(cmd); err != nil {
			t.Fatal(err)
		}
		synctest.Test(t, func(t *testing.T) {
			exited := make(chan error, 2)
			begun, done := time.Now(), make(chan struct{})
			stopped := time.Duration(0)
			p := &process{cmd: cmd, answer: newAnswer(nil, nil, 0), exited: exited, ask: func() {
				stopped = time.Since(begun)
				exited <- nil // it stops when it is asked to
			}}
			go func() {
				defer close(done)
				for _, wait := range c.outputs {
					time.Sleep(wait)
					_, _ = p.answer.Write([]byte("{\"alive\":true}\n"))
				}
				if c.exits > 0 {
					time.Sleep(c.exits)
					exited <- nil
				}
			}()
			why := p.watch(t.Context(), terms{limit: time.Hour, grace: time.Hour, quiet: quiet})
			<-done
			if why != c.why || stopped != c.after {
				t.Errorf("%s: reason %d after %v, want %d after %v", name, why, stopped, c.why, c.after)
			}
		})
		_ = cmd.Wait() // watch has killed it
	}
}
