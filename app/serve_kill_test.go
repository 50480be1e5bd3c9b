package main

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"github.com/odfix/odfix/internal/store/storetest"
)

// kills is how often the process is killed: a few times, or the number in ODFIX_KILLS.
func kills(t *testing.T) int {
	t.Helper()
	v := os.Getenv("ODFIX_KILLS")
	if v == "" {
		return 4
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 {
		t.Fatalf("ODFIX_KILLS is %q", v)
	}
	return n
}

// TestKilledIntakeLosesNothing kills the process at random moments while a client sends deliveries
// and repeats those that were not acknowledged. Every acknowledged delivery is then in the database
// with exactly one job, and no job is there without its delivery.
func TestKilledIntakeLosesNothing(t *testing.T) {
	place := storetest.SQLite(t)
	s := &sender{acked: map[string]int{}}
	n := kills(t)
	for range n {
		c := serveChild(t, place)
		ctx, cancel := context.WithCancel(t.Context())
		var senders sync.WaitGroup
		for range 16 {
			senders.Go(func() { s.sendUntil(ctx, c) })
		}
		after := time.NewTimer(time.Duration(20+rand.IntN(400)) * time.Millisecond)
		<-after.C
		c.kill()
		cancel()
		senders.Wait()
	}
	s.finish(t, serveChild(t, place))
	acked, twice := s.counts()
	t.Logf("%d kills, %d deliveries acknowledged, %d of them when they were sent again", n, acked, twice)
	if acked < 10*n {
		t.Errorf("only %d deliveries were acknowledged: the test shows nothing", acked)
	}
	verifyOnce(t, place, s)
}

// sender records which deliveries were acknowledged, and which must be sent again.
type sender struct {
	mu    sync.Mutex
	next  int
	again []int
	acked map[string]int // GUID to how often it was acknowledged
}

func (s *sender) take() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k := len(s.again); k > 0 {
		n := s.again[k-1]
		s.again = s.again[:k-1]
		return n
	}
	s.next++
	return s.next
}

func guidOf(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }

func (s *sender) result(n, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if status == http.StatusAccepted || status == http.StatusOK {
		s.acked[guidOf(n)]++
		if rand.IntN(20) == 0 { // GitHub, or a person, delivers an accepted delivery again
			s.again = append(s.again, n)
		}
		return
	}
	s.again = append(s.again, n)
}

func (s *sender) sendUntil(ctx context.Context, c *served) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1}, Timeout: quickLife}
	defer client.CloseIdleConnections()
	for ctx.Err() == nil {
		n := s.take()
		status, err := c.send(ctx, client, guidOf(n), jobBody(n))
		s.result(n, status)
		if err != nil {
			return // killed; the next process receives it
		}
	}
}

// finish sends the remaining deliveries to a process that is not killed, and waits until their jobs
// are done.
func (s *sender) finish(t *testing.T, c *served) {
	t.Helper()
	s.mu.Lock()
	owed := s.again
	s.again = nil
	s.mu.Unlock()
	for _, n := range owed {
		status, err := c.send(t.Context(), http.DefaultClient, guidOf(n), jobBody(n))
		if err != nil || status != http.StatusAccepted && status != http.StatusOK {
			t.Fatalf("%d: %d, %v", n, status, err)
		}
		s.result(n, status)
	}
	if err := c.terminate(); err != nil {
		t.Errorf("it does not end well: %v\n%s", err, c.log)
	}
}

func (s *sender) counts() (acked, twice int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.acked {
		if acked++; n > 1 {
			twice++
		}
	}
	return acked, twice
}

// verifyOnce reads the database directly.
func verifyOnce(t *testing.T, place string, s *sender) {
	t.Helper()
	db, err := sql.Open("sqlite", place)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	jobs := column(t, db, `SELECT json_extract(args, '$.guid') FROM river_job`)
	stored := column(t, db, `SELECT guid FROM delivery`)
	for guid := range s.acked {
		if stored[guid] != 1 || jobs[guid] != 1 {
			t.Errorf("%s was acknowledged: %d times stored, %d jobs", guid, stored[guid], jobs[guid])
		}
	}
	for guid, n := range jobs {
		if stored[guid] != 1 || n != 1 {
			t.Errorf("%s: %d jobs, %d times stored", guid, n, stored[guid])
		}
	}
	if bad := column(t, db, `PRAGMA integrity_check`); bad["ok"] != 1 {
		t.Errorf("the database is damaged: %v", bad)
	}
}

func column(t *testing.T, db *sql.DB, query string) map[string]int {
	t.Helper()
	rows, err := db.Query(query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	out := map[string]int{}
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			t.Fatal(err)
		}
		out[s]++
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}
