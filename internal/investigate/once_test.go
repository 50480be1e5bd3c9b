package investigate

import (
	"errors"
	"testing"

	"github.com/odfix/odfix/internal/githubtest"
)

// TestSlowProcessDoesNotWrite: a process that was stopped for long between its claim and its write
// does not write: another one may have taken the claim by then.
func TestSlowProcessDoesNotWrite(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	writes := 0
	write := func() (int64, error) { writes++; return 7, nil }
	p := posting{at: target{inst: h.Inst.ID}, kind: "check", key: "check/slow"}
	_, err := h.s.once(h.Ctx, p, func() (int64, error) {
		h.advance(h.s.o.Pace.Patience)
		return 0, nil
	}, write)
	var later laterError
	if !errors.As(err, &later) || writes != 0 {
		t.Errorf("%v, %d writes", err, writes)
	}
	for range 2 {
		id, err := h.s.once(h.Ctx, p, func() (int64, error) { return 0, nil }, write)
		if err != nil || id != 7 || writes != 1 {
			t.Errorf("%d, %v, %d writes", id, err, writes)
		}
	}
}
