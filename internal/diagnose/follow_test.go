package diagnose

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// TestExploringSideBySide: orders that are tried without success go side by side, in fewer rounds than there are orders.
func TestExploringSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.width = 4
		w.fill("z", 20, 2)
		v := w.add("zz.SteadyTest#t", nil)
		w.takes = time.Minute
		began := time.Now()
		r := w.only(t, Input{Failing: []suite.TestID{v}})
		expect(t, r, NotReproduced)
		if rounds, runs := int(time.Since(began)/time.Minute), w.runs; runs < 30 || rounds > runs/2 || int(w.worst.Load()) != w.width {
			t.Errorf("%d runs in %d rounds, up to %d at once", runs, rounds, w.worst.Load())
		}
	})
}

// TestWhatOthersBesideDo: a failure that only processes side by side bring about is not taken for the doing of the order.
func TestWhatOthersBesideDo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.width = 4
		w.fill("z", 20, 2)
		w.add("y.ServerTest#port", sets("server", 1))
		v := w.add("zz.ClientTest#t", func(p *proc) suite.Outcome { return passIf(p.alone || p.vars["server"] == 0) })
		w.takes = time.Minute
		res := w.diagnose(t, Input{Failing: []suite.TestID{v}})
		expect(t, res.Tests[0], NotReproduced)
		if !res.Sequential || !strings.Contains(strings.Join(res.Notes, " "), "side by side") {
			t.Errorf("one at a time from there on: %v; notes %q", res.Sequential, res.Notes)
		}
	})
}
