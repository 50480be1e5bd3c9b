package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/investigate/investigatetest"
	"github.com/odfix/odfix/internal/pause"
)

// fate is what happens to the deliveries about a build.
type fate int

const (
	arrives   fate = iota
	missed         // GitHub learns that they did not arrive
	swallowed      // a proxy answers for odfix, so that only a sweep finds the build
)

// balancer passes deliveries on to the servers, as a proxy before them does on a bad day.
type balancer struct {
	ctx     context.Context
	url     string
	client  *http.Client
	passing sync.WaitGroup // deliveries that are late

	mu      sync.Mutex
	random  *rand.Rand
	targets []string // of webhooks; empty: that server is down
	turn    int
	seen    map[string]bool      // deliveries, by GUID
	acked   map[string]bool      // those that a server has stored
	fates   map[string]fate      // by head
	arrived map[string]time.Time // when the first delivery about a head was stored
}

func newBalancer(d *replayedDay) *balancer {
	ctx, cancel := context.WithCancel(d.ctx)
	b := &balancer{ctx: ctx, random: d.random(1), targets: make([]string, servers), seen: map[string]bool{}, acked: map[string]bool{},
		fates: map[string]fate{}, arrived: map[string]time.Time{},
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}, Timeout: 10 * time.Second}}
	s := httptest.NewServer(b)
	d.t.Cleanup(func() {
		cancel()
		s.Close()
		b.passing.Wait()
	})
	b.url = s.URL
	return b
}

var headPattern = regexp.MustCompile(`"head_sha":"([0-9a-f]{40})"`)

// ServeHTTP implements http.Handler. It gets GitHub's deliveries.
func (b *balancer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	guid, sha := r.Header.Get("X-GitHub-Delivery"), ""
	if m := headPattern.FindSubmatch(body); m != nil {
		sha = string(m[1])
	}
	b.mu.Lock()
	again := b.seen[guid]
	b.seen[guid] = true
	f := b.fates[sha]
	luck := b.random.IntN(100)
	late := time.Duration(b.random.IntN(3000)) * time.Millisecond
	b.mu.Unlock()
	switch {
	case f == swallowed:
		w.WriteHeader(http.StatusOK)
	case f == missed && !again, luck < 3 && !again:
		w.WriteHeader(http.StatusBadGateway)
	case luck < 10 && !again:
		b.passing.Go(func() {
			pause.For(b.ctx, late)
			b.passUntilStored(r.Header, body)
		})
		w.WriteHeader(http.StatusAccepted)
	case luck < 20:
		b.pass(r.Header, body)
		w.WriteHeader(b.pass(r.Header, body))
	default:
		w.WriteHeader(b.pass(r.Header, body))
	}
}

// passUntilStored passes a delivery on until a server accepts it.
func (b *balancer) passUntilStored(h http.Header, body []byte) {
	for b.pass(h, body) >= 300 && pause.For(b.ctx, 100*time.Millisecond) {
	}
}

// pass passes a delivery on to the server whose turn it is.
func (b *balancer) pass(h http.Header, body []byte) (status int) {
	b.mu.Lock()
	target := ""
	for range b.targets {
		b.turn = (b.turn + 1) % len(b.targets)
		if target = b.targets[b.turn]; target != "" {
			break
		}
	}
	b.mu.Unlock()
	if target == "" {
		return http.StatusBadGateway
	}
	r, err := http.NewRequestWithContext(b.ctx, "POST", target+"/webhook", bytes.NewReader(body))
	if err != nil {
		return http.StatusBadGateway
	}
	r.Header = h.Clone()
	a, err := b.client.Do(r)
	if err != nil {
		return http.StatusBadGateway
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	if err != nil {
		return http.StatusBadGateway
	}
	if a.StatusCode < 300 && !strings.Contains(string(text), "does not use") {
		b.mu.Lock()
		b.acked[h.Get("X-GitHub-Delivery")] = true
		if m := headPattern.FindSubmatch(body); m != nil && b.arrived[string(m[1])].IsZero() {
			b.arrived[string(m[1])] = time.Now()
		}
		b.mu.Unlock()
	}
	return a.StatusCode
}

// accepted are the deliveries so far that a server has stored.
func (b *balancer) accepted() map[string]bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.acked)
}

// setTarget says where a server is; empty: it is down.
func (b *balancer) setTarget(n int, url string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.targets[n] = url
}

// moments are times of the day at which something happens, in order. Half of them are in bursts.
func (d *replayedDay) moments(random *rand.Rand, count int) []time.Duration {
	var out []time.Duration
	at := func() time.Duration { return time.Duration(random.Int64N(int64(d.scale.lasts))) }
	for len(out) < count {
		when := at()
		for n := min(random.IntN(max(count/20, 2)), count-len(out)-1); n > 0 && len(out)%2 == 0; n-- {
			out = append(out, when)
		}
		out = append(out, when)
	}
	slices.Sort(out)
	return out
}

// feedBuilds opens pull requests whose builds fail.
func (d *replayedDay) feedBuilds() error {
	random, begun := d.random(2), time.Now()
	for n, at := range d.moments(d.random(3), d.scale.builds) {
		if !pause.For(d.ctx, time.Until(begun.Add(at))) {
			return d.ctx.Err()
		}
		r := d.busy[random.IntN(len(d.busy))]
		p, err := r.OpenPullRequest(d.ctx, githubtest.PullSpec{Author: d.dev, Title: "Import tests", Branch: fmt.Sprint("import-", n),
			Change: githubtest.Change{Files: map[string]string{investigatetest.PolluterFile: d.polluter, "NOTES.md": fmt.Sprint("import ", n)}}})
		if err != nil {
			return err
		}
		build := &redBuild{pull: p, sha: p.HeadSha()}
		switch luck := random.IntN(100); {
		case luck < 5 || n == 3: // at least one of each
			build.fate = missed
		case luck < 10 || n == 5:
			build.fate = swallowed
		}
		d.balancer.mu.Lock()
		d.fates[build.sha] = build.fate
		d.balancer.mu.Unlock()
		d.builds = append(d.builds, build)
		run, err := r.StartRun(d.ctx, githubtest.RunSpec{Pull: p, Jobs: []string{"test (17)"}})
		if err != nil {
			return err
		}
		build.red = time.Now()
		run.Job("test (17)").Complete(d.ctx, "failure", d.log)
		run.Complete(d.ctx, "failure")
	}
	return nil
}

// feedOthers sends deliveries about green builds of all repositories. One in twenty comes twice, at the
// same time.
func (d *replayedDay) feedOthers() error {
	random, begun := d.random(4), time.Now()
	var senders sync.WaitGroup
	defer senders.Wait()
	free := make(chan struct{}, 32)
	for n, at := range d.moments(d.random(5), d.scale.deliveries) {
		if !pause.For(d.ctx, time.Until(begun.Add(at))) {
			return d.ctx.Err()
		}
		h, body := d.other(n, d.listed[random.IntN(len(d.listed))])
		for range 1 + max(0, random.IntN(20)-18) {
			free <- struct{}{}
			senders.Go(func() {
				d.passUntilStored(h, body)
				<-free
			})
		}
	}
	return nil
}

// other is a signed delivery about a green build, of about the size of GitHub's.
func (d *replayedDay) other(n int, r *githubtest.Repository) (http.Header, []byte) {
	event := []string{"workflow_run", "check_run"}[n%2]
	urls := strings.Repeat(`"some_url":"https://api.example.com/repos/acme/shop/things{/thing}",`, 60)
	body := fmt.Appendf(nil, `{"action":"completed","%s":{"id":%d,"name":"test","head_sha":"%040x","head_branch":"x","conclusion":"success",`+
		`"app":{"slug":"another-ci"}},"repository":{"id":%d,%s"full_name":"%s","default_branch":"main"},"installation":{"id":%d},`+
		`"sender":{"login":"dev","type":"User"}}`, event, n+1, n+1, r.ID, urls, r.FullName(), d.inst.ID)
	m := hmac.New(sha256.New, []byte(childSecret))
	m.Write(body)
	h := http.Header{}
	h.Set("Content-Type", "application/json")
	h.Set("X-GitHub-Event", event)
	h.Set("X-GitHub-Delivery", guidOf(n))
	h.Set("X-Hub-Signature-256", "sha256="+hex.EncodeToString(m.Sum(nil)))
	return h, body
}

// untilSwept waits until a sweep has begun and ended. The next one begins only then.
func (d *replayedDay) untilSwept() {
	d.t.Helper()
	begun := func() (n int) {
		for _, r := range d.github.Requests() {
			if r.Operation == "apps/list-repos-accessible-to-installation" && strings.Contains(r.Path, "page=1&") {
				n++
			}
		}
		return n
	}
	before := begun()
	d.until("two more sweeps", func(context.Context) (bool, string) {
		n := begun() - before
		return n > 1, fmt.Sprint(n, " have begun")
	})
}
