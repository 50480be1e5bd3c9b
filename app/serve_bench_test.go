package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/isolate"
	"github.com/odfix/odfix/internal/store/storetest"
)

// busyMark makes the test binary do what a runner's processes do at worst: want
// the processor all the time, make garbage, write files.
const busyMark = "ODFIX_TEST_BUSY"

func beBusy() {
	go func() { // its end is its parent's
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	file := filepath.Join(os.Getenv(busyMark), fmt.Sprint(os.Getpid()))
	text := make([]byte, 1<<20)
	for n := 0; ; n++ {
		sum := sha256.Sum256(text)
		text = append(bytes.Clone(text[len(sum):]), sum[:]...)
		if n%200 == 0 {
			if err := os.WriteFile(file, text, 0o644); err != nil {
				panic(err)
			}
		}
	}
}

// busyJobs starts two such processes for each core, which is what a build and
// its test JVMs are, as nice as jobs are by default.
func busyJobs(b *testing.B) {
	dir := b.TempDir()
	for range 2 * runtime.NumCPU() {
		cmd := exec.Command("nice", "-n", strconv.Itoa(isolate.DefaultNice), os.Args[0])
		cmd.Env = append(os.Environ(), busyMark+"="+dir)
		stdin, err := cmd.StdinPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() {
			stdin.Close()
			cmd.Process.Kill() // it may be gone
			cmd.Wait()
		})
	}
}

// benchSenders are connections at once.
const benchSenders = 64

// BenchmarkIntake sends signed deliveries to `odfix serve`, a process of its own
// that does their jobs meanwhile, and reports how many a second were
// acknowledged, all of them on disk by then, and how long that took: by itself,
// and while runners use all that is left of the processor.
func BenchmarkIntake(b *testing.B) {
	for _, database := range []struct {
		name  string
		place func(testing.TB) string
	}{{"sqlite", storetest.SQLite}, {"postgres", storetest.Postgres}} {
		b.Run(database.name, func(b *testing.B) { benchIntake(b, database.place(b)) })
		b.Run(database.name+"-runners-at-work", func(b *testing.B) {
			busyJobs(b)
			benchIntake(b, database.place(b))
		})
	}
}

func benchIntake(b *testing.B, place string) {
	c := serveChild(b, place, "--log-level", "info")
	requests := make([]*http.Request, b.N)
	size := 0
	for n := range requests {
		body := jobBody(n)
		size = len(body)
		var err error
		if requests[n], err = c.delivery(b.Context(), guidOf(n), body); err != nil {
			b.Fatal(err)
		}
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: benchSenders}, Timeout: time.Minute}
	took := make([]time.Duration, b.N)
	var next atomic.Int64
	var senders sync.WaitGroup
	b.ResetTimer()
	for range benchSenders {
		senders.Go(func() {
			for n := next.Add(1) - 1; n < int64(b.N); n = next.Add(1) - 1 {
				begun := time.Now()
				a, err := client.Do(requests[n])
				took[n] = time.Since(begun)
				if err != nil || a.StatusCode != http.StatusAccepted {
					b.Errorf("%d: %v, %v", n, a, err)
					return
				}
				a.Body.Close()
			}
		})
	}
	senders.Wait()
	b.StopTimer()
	slices.Sort(took)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "deliveries/s")
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
	b.ReportMetric(float64(size), "B/delivery")
	if err := c.terminate(); err != nil {
		b.Errorf("%v\n%s", err, c.log)
	}
	// Its whole life, jobs included: a figure that other work on the machine disturbs little.
	cpu := c.cmd.ProcessState.UserTime() + c.cmd.ProcessState.SystemTime()
	b.ReportMetric(float64(cpu.Microseconds())/float64(b.N), "server-cpu-µs/delivery")
}
