package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/odfix/odfix/examples"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/githubtest/testserver"
	"github.com/odfix/odfix/internal/investigate/investigatetest"
	"github.com/odfix/odfix/internal/store/storetest"
)

// A day of an organisation is replayed in minutes against two servers, two workers with simulated
// runners, and one PostgreSQL. Deliveries are lost, repeated, late, and come in bursts; processes are
// killed. Each red build must be answered once.

// dayScale is how large a day is.
type dayScale struct {
	repositories int           // of the organisation
	busy         int           // those with pull requests
	builds       int           // red ones, each of a pull request of its own
	deliveries   int           // about other builds
	lasts        time.Duration // for how long they come
	kills        int
	sweep        time.Duration // between two sweeps
}

// daySeed and dayFactor are variables that set the seed of the replay, and how large the benchmark's
// day is, in percent.
const (
	daySeed   = "ODFIX_TEST_DAY_SEED"
	dayFactor = "ODFIX_TEST_DAY_PERCENT"
)

// TestDay replays a short day. It checks only that all is answered once, and that no delivery is lost.
func TestDay(t *testing.T) {
	if testing.Short() {
		t.Skip("processes are killed, and others wait for their silence")
	}
	d := newDay(t, dayScale{repositories: 100, busy: 6, builds: 24, deliveries: 1500, lasts: 20 * time.Second, kills: 8,
		sweep: 10 * time.Second})
	d.replay()
	d.verify()
}

// BenchmarkDay replays the day of an organisation with 10,000 repositories, 200,000 deliveries and
// 2,000 red builds, or a part of it.
func BenchmarkDay(b *testing.B) {
	percent, err := strconv.Atoi(os.Getenv(dayFactor))
	if err != nil {
		percent = 100
	}
	part := func(n int) int { return n * percent / 100 }
	for range b.N {
		d := newDay(b, dayScale{repositories: part(10_000), busy: part(500), builds: part(2000), deliveries: part(176_000),
			lasts: time.Duration(part(1200)) * time.Second, kills: part(40),
			sweep: 50 * time.Second})
		d.replay()
		d.verify()
		d.report(b)
	}
}

// replayedDay is a day that is replayed.
type replayedDay struct {
	*balancer
	t     testing.TB
	ctx   context.Context
	scale dayScale
	seed  uint64

	github    *githubtest.Server
	app       *githubtest.App
	inst      *githubtest.Installation
	dev       *githubtest.Account
	busy      []*githubtest.Repository
	listed    []*githubtest.Repository // all
	polluter  string
	log       []byte // of a red build
	place     string // of the database
	processes []*process
	use       *processUse
	ended     time.Duration   // when all was answered
	stored    map[string]bool // deliveries that were accepted before the end
	builds    []*redBuild
}

// redBuild is a red build of a pull request.
type redBuild struct {
	pull *githubtest.PullRequest
	sha  string
	fate fate
	red  time.Time // when it failed
}

// random is a source of random numbers that depends on the seed and a purpose.
func (d *replayedDay) random(purpose uint64) *rand.Rand {
	return rand.New(rand.NewPCG(d.seed, purpose))
}

// newDay starts everything.
func newDay(t testing.TB, scale dayScale) *replayedDay {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), investigatetest.Limit)
	t.Cleanup(cancel)
	d := &replayedDay{t: t, ctx: ctx, scale: scale, seed: rand.Uint64()}
	if given, err := strconv.ParseUint(os.Getenv(daySeed), 10, 64); err == nil {
		d.seed = given
	}
	t.Logf("%s=%d", daySeed, d.seed)
	d.openGitHub()
	d.balancer = newBalancer(d)
	d.app.SetWebhookURL(d.balancer.url)
	t.Setenv(cannedMark, scale.sweep.String())
	t.Setenv(paceMark, "10s")
	t.Setenv(workerToken, workersCredential)
	d.place = storetest.Postgres(t)
	d.use = newProcessUse(d.place)
	d.startAll()
	d.app.Release(nil)
	return d
}

// openGitHub starts the stand-in with the organisation's repositories.
func (d *replayedDay) openGitHub() {
	d.t.Helper()
	d.github = testserver.Start(d.t, githubtest.Config{Limits: 1000, Senders: 8})
	d.dev = d.github.AddUser("dev")
	owner := d.github.AddOrganization("acme", d.dev)
	var err error
	d.app, err = d.github.AddApp(githubtest.AppSpec{Name: "odfix", WebhookURL: "http://127.0.0.1:9/", Secret: investigatetest.Secret,
		Permissions: investigatetest.Permissions(), Events: github.Subscriptions()})
	d.must(err)
	d.app.Hold()
	d.polluter = investigatetest.Example(d.t, "demo", investigatetest.PolluterFile)
	d.log = investigatetest.Recording(d.t, "demo.log")
	files, err := examples.Sources("demo")
	d.must(err)
	dir := d.t.TempDir()
	d.must(os.CopyFS(dir, files))
	d.must(os.Remove(filepath.Join(dir, filepath.FromSlash(investigatetest.PolluterFile))))
	for n := range d.scale.busy {
		r, err := d.github.AddRepository(d.ctx,
			githubtest.RepositorySpec{Owner: owner, Name: fmt.Sprintf("busy-%05d", n), Private: true, Dir: dir})
		d.must(err)
		r.SetRole(d.dev, "write")
		d.busy = append(d.busy, r)
	}
	d.listed = slices.Clone(d.busy)
	for n := d.scale.busy; n < d.scale.repositories; n++ {
		d.listed = append(d.listed, d.busy[0].Like(fmt.Sprintf("quiet-%05d", n)))
	}
	d.inst = d.app.Install(owner)
}

func (d *replayedDay) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

// replay lets the day pass: builds and other deliveries come, processes are killed, and then all that
// was lost on the way is found.
func (d *replayedDay) replay() {
	d.t.Helper()
	begun := time.Now()
	var feeding sync.WaitGroup
	errs := make(chan error, 2)
	feeding.Go(func() { errs <- d.feedBuilds() })
	feeding.Go(func() { errs <- d.feedOthers() })
	d.killSome(begun)
	feeding.Wait()
	for range cap(errs) {
		d.must(<-errs)
	}
	d.t.Logf("all has come after %s", time.Since(begun).Round(time.Second))
	d.untilAnswered()
	d.ended = time.Since(begun)
	d.t.Logf("all is answered after %s", d.ended.Round(time.Second))
	d.untilSwept() // which finds nothing new
	d.stored = d.accepted()
	d.untilAnswered()
}
