package investigate

import (
	"fmt"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/investigate/investigatetest"
	"github.com/odfix/odfix/internal/store"
)

// TestAttackRunOfColleague: a colleague has pushed the last commit, so the red run is the
// colleague's. A stranger's pull request with the same commit has so many newer runs that GitHub
// does not list it.
func TestAttackRunOfColleague(t *testing.T) {
	for name, lost := range map[string]bool{"with its delivery": false, "found by the sweep": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHub(t, githubtest.Config{Limits: 1_000_000}, "demo.report.json")
			p := h.Pull(nil)
			run, err := h.Repo.StartRun(h.Ctx, githubtest.RunSpec{Pull: p, Jobs: []string{"test (17)"}, Actor: h.AddUser("colleague")})
			h.Must(err)
			h.settle()
			h.lost(func() {
				_, theirs := h.stranger("release")
				theirs.Complete(h.Ctx, "success")
				theirs.Repeat(github.MostRuns)
				if lost {
					h.fails(run, investigatetest.Recording(t, "demo.log"))
				}
			})
			if !lost {
				h.fails(run, investigatetest.Recording(t, "demo.log"))
			}
			h.settle()
			h.sweep()
			h.settle()
			if list := h.investigations(p); len(h.asked()) == 0 || len(list) != 1 || list[0].State != store.Done || len(h.Posted(p).Inline) != 1 {
				t.Errorf("%d jobs, %+v", len(h.asked()), list)
			}
		})
	}
}

// TestAttackLooksInVain: red jobs of somebody else's pull request with the same head make few looks
// at CI. They delay a look at a red job of the pull request itself by 80 seconds at most.
func TestAttackLooksInVain(t *testing.T) {
	h := newHub(t, githubtest.Config{Limits: 1_000_000}, "demo.report.json")
	p := h.Pull(nil)
	_, theirs := h.stranger("release")
	h.fails(theirs, []byte(noTests))
	h.settle()
	i := h.investigations(p)[0]
	const deliveries = 60
	looks, before := 0, len(h.Requests())
	for n := range deliveries {
		h.advance(10 * time.Second)
		if h.s.collect(h.Ctx, collectArgs{ID: i.ID, Again: true, Key: fmt.Sprint("job/9", n)}) == nil {
			looks++
		}
	}
	if requests := len(h.Requests()) - before; looks == 0 || looks > deliveries/6 || requests > 8*looks {
		t.Errorf("%d looks, %d requests", looks, requests)
	}
	if stay := h.s.heads.again(looksOf(i, "job/1"), h.now(), DefaultPace.Look); stay > DefaultPace.Look<<mostVain {
		t.Errorf("the next look is in %s", stay)
	}
}

// TestLaterResultOfOtherCI: the job about a red result of another CI system that came while logs
// were read looks at CI when the investigation has ended. The first job of an investigation looks
// only once.
func TestLaterResultOfOtherCI(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	p := h.Pull(nil)
	h.red(p, "demo.log")
	i := h.settled(p, 1)[0]
	for later, want := range map[bool]bool{true: true, false: false} {
		h.advance(time.Hour)
		before := len(h.Requests())
		h.Must(h.s.collect(h.Ctx, collectArgs{ID: i.ID, Later: later}))
		if looked := len(h.Requests()) > before; looked != want {
			t.Errorf("later %v: looked %v", later, looked)
		}
	}
}

// TestAttackWaitForOtherCI: a job about a red job of GitHub Actions does not end in favour of one
// about another CI system, which may wait for longer, or find nothing.
func TestAttackWaitForOtherCI(t *testing.T) {
	for name, c := range map[string]struct {
		older, newer string
		ran          bool // the older one ran before
		ends         bool
	}{
		"two of Actions":    {"job/1", "job/2", true, true},
		"two of others":     {"", "", true, true},
		"others came first": {"", "job/2", true, false},
		"others came last":  {"job/1", "", true, false},
		"one did not run":   {"job/1", "job/2", false, false}, // it may find that its job was read
	} {
		h := newHub(t, githubtest.Config{}, "demo.report.json")
		h.red(h.Pull(nil), "demo.log")
		id := "one"
		for _, key := range []string{c.older, c.newer} {
			h.Must(h.s.store.Do(h.Ctx, func(tx *store.Tx) error {
				return tx.Enqueue(h.s.in(collectArgs{ID: id, Again: true, Key: key}, time.Hour))
			}))
		}
		var first, last int64
		h.Must(h.queue.QueryRowContext(h.Ctx, `SELECT min(id), max(id) FROM river_job WHERE CAST(args AS TEXT) LIKE '%"one"%'`).Scan(&first, &last))
		if c.ran {
			h.cameBack(first)
		}
		err := h.s.oneComesBack(h.Ctx, collectArgs{ID: id, Again: true, Key: c.newer, job: last}, laterError{time.Minute, "x"})
		if ends := err == errNoLook; ends != c.ends {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAttackDeletedForkFirst: what has no head repository does not put pull requests of deleted
// forks first.
func TestAttackDeletedForkFirst(t *testing.T) {
	known := []store.PullRequest{{Number: 5, HeadRepository: 1, HeadRef: "topic"}, {Number: 3, HeadRef: "topic"}}
	if first := firstOf(known, &github.CheckEvent{HeadBranch: "topic"}, 1); first[0].Number != 5 {
		t.Errorf("%+v", first)
	}
}

// TestRunOfOneFork: a red run for the branch of a fork opens no investigation of another fork's
// pull request, nor of one of the repository. One for a branch of the repository counts for all.
func TestRunOfOneFork(t *testing.T) {
	all := func() []store.PullRequest {
		return []store.PullRequest{{Number: 1, HeadRepository: 1}, {Number: 2, HeadRepository: 2}, {Number: 3, HeadRepository: 3}}
	}
	for of, want := range map[int64]int{0: 3, 1: 3, 2: 1, 9: 0} {
		if got := concerned(all(), &github.CheckEvent{HeadRepository: of}, 1); len(got) != want {
			t.Errorf("%d: %+v", of, got)
		}
	}
}

// TestAttackHiddenByKnownPull: the index has a stranger's pull request with the commit, and not yet
// the older one of the branch that CI ran for.
func TestAttackHiddenByKnownPull(t *testing.T) {
	h := newHub(t, githubtest.Config{Limits: 100_000}, "demo.report.json")
	var p *githubtest.PullRequest
	h.lost(func() { p = h.Pull(nil) })
	_, theirs := h.stranger("release")
	theirs.Complete(h.Ctx, "success")
	h.settle()
	h.red(p, "demo.log")
	h.settled(p, 1)
	if len(h.asked()) == 0 {
		t.Errorf("%+v", h.investigations(p))
	}
}
