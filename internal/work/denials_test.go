package work

import (
	"errors"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/dispatch/dispatchtest"
	"github.com/odfix/odfix/internal/store/storetest"
)

// TestTheCredentialIsChanged: a worker whose file is behind that of the server works when the file has
// the new credential.
func TestTheCredentialIsChanged(t *testing.T) {
	r := serving(t, storetest.SQLite(t), ServerOptions{})
	asked := 0
	r.client.pause, r.client.token = time.Millisecond, func() (string, error) {
		if asked++; asked <= mostDenials {
			return "the one before", nil
		}
		return secret, nil
	}
	r.work(fake(dispatchtest.Limits{Quiet: dispatchtest.NeverQuiet, Grace: dispatchtest.Grace}))
	if report, err := (in{r.server}).Run(t.Context(), dispatchtest.Job(dispatchtest.Answers), nil); err != nil || !report.Finished {
		t.Errorf("%+v, %v", report, err)
	}
}

// TestAWrongCredentialEndsTheWorker: its operator has to see it.
func TestAWrongCredentialEndsTheWorker(t *testing.T) {
	_, c, _ := opened(t, secret)
	asked := 0
	c.token = func() (string, error) { asked++; return "wrong", nil }
	w := &Worker{Client: c, Name: "w", Dispatcher: fake(dispatchtest.Limits{Quiet: dispatchtest.NeverQuiet, Grace: dispatchtest.Grace}), Dir: t.TempDir()}
	if err := w.Serve(t.Context(), t.Context()); !errors.Is(err, ErrDenied) || asked != mostDenials+1 {
		t.Errorf("%v after %d claims", err, asked)
	}
}

// TestDenialsInARow: others between them begin the count anew.
func TestDenialsInARow(t *testing.T) {
	var d Denials
	for range mostDenials {
		if d.TooMany(ErrDenied) {
			t.Fatal("too soon")
		}
	}
	if d.TooMany(nil) || d.TooMany(ErrDenied) {
		t.Error("an answer does not count")
	}
}
