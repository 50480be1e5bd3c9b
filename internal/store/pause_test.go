package store_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/store"
)

// TestPauses: a pause covers its scope, keeps investigations as they are, and moves their
// deadlines.
func TestPauses(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		old := b.open(1, "a")
		b.bring(old.ID, store.Queued)
		for _, p := range []store.Pause{{Reason: "all"}, {Installation: 9, Reason: "nine"}, {Repository: 1, Reason: "one"}} {
			b.do(func(tx *store.Tx) error { return tx.Pause(p) })
			got := get(b, func(tx *store.Tx) (store.Pause, error) { return tx.PauseOf(9, 1) })
			if got.Reason != p.Reason || !got.Since.Equal(b.now()) {
				t.Fatalf("%+v", got)
			}
			_, err := store.Read(t.Context(), b.Store, func(tx *store.Tx) (store.Pause, error) { return tx.PauseOf(8, 2) })
			if (err == nil) != (p.Scope() == "all") {
				t.Errorf("%s: another repository: %v", p.Scope(), err)
			}
			b.add(2 * time.Hour)
			b.do(func(tx *store.Tx) error {
				_, err := tx.NextQueued(b.now())
				r, rerr := tx.Reap(time.Minute, 3)
				stalled, serr := tx.Stalled(time.Minute)
				if !errors.Is(err, store.ErrNotFound) || len(r.Expired)+len(r.Requeued)+len(stalled) > 0 {
					t.Errorf("%s: %v, %+v, %+v", p.Scope(), err, r, stalled)
				}
				return errors.Join(rerr, serr)
			})
			b.do(func(tx *store.Tx) error { return tx.Resume(p.Installation, p.Repository) })
		}
		if got := b.state(old.ID); !got.Deadline.Equal(old.Deadline.Add(6 * time.Hour)) {
			t.Errorf("deadline %s, was %s", got.Deadline, old.Deadline)
		}
		b.do(func(tx *store.Tx) error {
			if err := tx.Resume(0, 0); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("nothing is paused: %v", err)
			}
			next, err := tx.NextQueued(b.now())
			if next.ID != old.ID {
				t.Errorf("next is %+v", next)
			}
			return err
		})
	})
}

// TestAttackPausedAccountInstallsAgain: the pause of an account holds for its later installations, and
// for no other account. It ends by the account's name, also while the App is not installed.
func TestAttackPausedAccountInstallsAgain(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		install := func(installation, account int64, login string, removed bool) {
			b.do(func(tx *store.Tx) error {
				return tx.SaveInstallation(store.Installation{ID: installation, AccountID: account, Account: login, Removed: removed, Updated: b.now()})
			})
		}
		pause := func(installation int64) {
			b.do(func(tx *store.Tx) error { return tx.Pause(store.Pause{Installation: installation, Reason: "spam"}) })
		}
		pauses := func(n int) {
			t.Helper()
			if list := get(b, func(tx *store.Tx) ([]store.Pause, error) { return tx.Pauses() }); len(list) != n {
				t.Errorf("%+v", list)
			}
		}
		install(9, 0, "acme", false) // by an odfix that did not know accounts
		pause(9)
		install(9, 500, "acme", false)
		install(9, 500, "acme", true)
		erase(b, store.Scope{Installation: 9, Before: b.now()}, 10)
		install(10, 500, "renamed", false)
		install(11, 501, "other", false)
		b.do(func(tx *store.Tx) error {
			for _, installation := range []int64{10, 11} {
				_, _, err := tx.OpenTask(store.Task{Key: fmt.Sprint(installation), Installation: installation, Repository: installation,
					Limit: taskLimit, About: []byte("{}"), Content: []byte("{}")}, taskWait)
				if err != nil {
					return err
				}
			}
			return nil
		})
		for installation, want := range map[int64]bool{10: true, 11: false, 12: false} {
			_, err := store.Read(t.Context(), b.Store, func(tx *store.Tx) (store.Pause, error) { return tx.PauseOf(installation, 3) })
			if errors.Is(err, store.ErrNotFound) == want || want && err != nil {
				t.Errorf("installation %d: %v", installation, err)
			}
		}
		if task, err := b.takeTask("x"); err != nil || task.Installation != 11 {
			t.Errorf("%+v, %v", task, err)
		}
		if task, err := b.takeTask("y"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a task of the paused account: %+v, %v", task, err)
		}
		pause(10) // the same pause
		pauses(1)
		b.do(func(tx *store.Tx) error { return tx.Resume(10, 0) })
		pauses(0)
		if _, err := b.takeTask("z"); err != nil {
			t.Error(err)
		}

		pause(10)
		install(10, 500, "renamed", true)
		erase(b, store.Scope{Installation: 10, Before: b.now()}, 10)
		b.do(func(tx *store.Tx) error {
			installation, err := tx.InstallationOf("Renamed")
			if err != nil {
				return err
			}
			return tx.Resume(installation, 0)
		})
		pauses(0)
	})
}

// TestPauseOfAYoungInvestigation: a deadline moves by the time since the investigation began, at
// most.
func TestPauseOfAYoungInvestigation(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		b.do(func(tx *store.Tx) error { return tx.Pause(store.Pause{Reason: "x"}) })
		b.add(time.Hour)
		young := b.open(1, "a")
		b.add(time.Minute)
		b.do(func(tx *store.Tx) error { return tx.Resume(0, 0) })
		if got := b.state(young.ID).Deadline; !got.Equal(young.Deadline.Add(time.Minute)) {
			t.Errorf("deadline %s, was %s", got, young.Deadline)
		}
	})
}

// TestOverlappingPauses: time counts once for a deadline, however many pauses hold, and in whatever
// order they end.
func TestOverlappingPauses(t *testing.T) {
	all, one, repository := store.Pause{Reason: "all"}, store.Pause{Installation: 9, Reason: "nine"}, store.Pause{Repository: 1, Reason: "one"}
	type step struct {
		pause, resume *store.Pause
	}
	begin := func(p store.Pause) step { return step{pause: &p} }
	end := func(p store.Pause) step { return step{resume: &p} }
	each(t, func(t *testing.T, b *testStore) {
		for n, c := range []struct {
			steps []step // an hour apart
			want  time.Duration
		}{
			{[]step{begin(all), begin(one), end(all), end(one)}, 3 * time.Hour},
			{[]step{begin(all), begin(one), end(one), end(all)}, 3 * time.Hour},
			{[]step{begin(all), begin(one), end(all), begin(repository), end(one), end(repository)}, 5 * time.Hour},
			{[]step{begin(all), end(all), begin(one), end(one)}, 2 * time.Hour},
		} {
			i := b.open(int64(n)+1, "a")
			for _, s := range c.steps {
				b.add(time.Hour)
				b.do(func(tx *store.Tx) error {
					if s.pause != nil {
						return tx.Pause(*s.pause)
					}
					return tx.Resume(s.resume.Installation, s.resume.Repository)
				})
			}
			if got := b.state(i.ID).Deadline.Sub(i.Deadline); got != c.want {
				t.Errorf("%d: the deadline moved by %s, want %s", n, got, c.want)
			}
			b.bring(i.ID, store.Cancelled)
		}
	})
}

// TestNames: what an operator names is found, whatever the case of its letters.
func TestNames(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		b.do(func(tx *store.Tx) error {
			return errors.Join(tx.SaveInstallation(store.Installation{ID: 7, Account: "Acme", Updated: b.now()}),
				tx.SaveRepository(store.Repository{ID: 1, Installation: 8, FullName: "Other/Shop"}))
		})
		b.do(func(tx *store.Tx) error {
			id, err := tx.InstallationOf("acme")
			r, rerr := tx.RepositoryNamed("other/SHOP")
			one, oerr := tx.Account(7)
			two, terr := tx.Account(8)
			if _, err := tx.Account(9); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("an unknown installation: %v", err)
			}
			if id != 7 || r.ID != 1 || one != "Acme" || two != "Other" {
				t.Errorf("%d %+v %q %q", id, r, one, two)
			}
			return errors.Join(err, rerr, oerr, terr)
		})
	})
}

// TestApprovals: an approval is for one commit, and the author's count for one repository and time.
func TestApprovals(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		i := b.open(1, "a")
		b.do(func(tx *store.Tx) error {
			return errors.Join(tx.Approve(store.Approval{Repository: 1, PullRequest: 1, HeadSHA: "a", By: "dev"}),
				tx.Approve(store.Approval{Repository: 1, PullRequest: 1, HeadSHA: "a", By: "again"}), tx.CountForAuthor(i.ID, 77))
		})
		b.do(func(tx *store.Tx) error {
			yes, err := tx.Approved(1, 1, "a")
			no, nerr := tx.Approved(1, 1, "b")
			n, cerr := tx.CountOfAuthor(1, 77, b.now().Add(-time.Hour))
			none, oerr := tx.CountOfAuthor(1, 77, b.now().Add(time.Hour))
			if !yes || no || n != 1 || none != 0 {
				t.Errorf("%v %v %d %d", yes, no, n, none)
			}
			return errors.Join(err, nerr, cerr, oerr)
		})
	})
}

// TestUnknownAuthors: authors without an id share a count, in which no investigation is that counts for
// nobody or for somebody else.
func TestUnknownAuthors(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		b.open(1, "waits for an approval")
		other, ghost := b.open(2, "of somebody"), b.open(3, "of a deleted account")
		count := func(author int64) int64 {
			return get(b, func(tx *store.Tx) (int64, error) { return tx.CountOfAuthor(1, author, b.now().Add(-time.Hour)) })
		}
		b.do(func(tx *store.Tx) error { return tx.CountForAuthor(other.ID, 77) })
		if n := count(0); n != 0 {
			t.Errorf("%d investigations count for unknown authors", n)
		}
		b.do(func(tx *store.Tx) error { return tx.CountForAuthor(ghost.ID, 0) })
		if n, m := count(0), count(77); n != 1 || m != 1 {
			t.Errorf("%d and %d, want one each", n, m)
		}
	})
}

// TestAttackTasksWhilePaused: no worker gets a task that a pause covers; those of others it gets.
func TestAttackTasksWhilePaused(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		for _, c := range []struct {
			pause store.Pause
			free  bool // the pause does not cover the task
		}{
			{pause: store.Pause{Reason: "all"}},
			{pause: store.Pause{Installation: 9, Reason: "its installation"}},
			{pause: store.Pause{Repository: 1, Reason: "its repository"}},
			{store.Pause{Installation: 8, Reason: "another installation"}, true},
			{store.Pause{Repository: 2, Reason: "another repository"}, true},
		} {
			b.do(func(tx *store.Tx) error {
				_, _, err := tx.OpenTask(store.Task{Key: c.pause.Reason, Installation: 9, Repository: 1, Limit: taskLimit,
					About: []byte("{}"), Content: []byte("{}")}, taskWait)
				return errors.Join(err, tx.Pause(c.pause))
			})
			_, err := b.takeTask("token " + c.pause.Reason)
			if errors.Is(err, store.ErrNotFound) == c.free || err != nil && c.free {
				t.Errorf("paused %s: %v", c.pause.Reason, err)
			}
			b.do(func(tx *store.Tx) error { return tx.Resume(c.pause.Installation, c.pause.Repository) })
			if !c.free {
				if _, err := b.takeTask("after " + c.pause.Reason); err != nil {
					t.Errorf("after the pause of %s: %v", c.pause.Reason, err)
				}
			}
		}
	})
}
