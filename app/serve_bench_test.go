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

// busyMark makes the test binary act as the most demanding process of a runner: it uses all
// processor time, makes garbage, and writes files.
const busyMark = "ODFIX_TEST_BUSY"

func beBusy() {
	go func() { // ends when its parent ends
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

// busyJobs starts two such processes for each core, as a build and its test JVMs would be. They
// have the default niceness of jobs.
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
			cmd.Process.Kill() // it may have ended
			cmd.Wait()
		})
	}
}

// benchSenders is the number of connections at once.
const benchSenders = 64

// BenchmarkIntake sends signed deliveries to an `odfix serve` process, which also does their jobs.
// It reports how many deliveries per second were acknowledged, all of them on disk, and how long
// that took. It measures the process alone, and while runners use the rest of the processor.
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
	// The processor time of its whole life, jobs included. Other work on the machine hardly affects
	// this number.
	cpu := c.cmd.ProcessState.UserTime() + c.cmd.ProcessState.SystemTime()
	b.ReportMetric(float64(cpu.Microseconds())/float64(b.N), "server-cpu-µs/delivery")
}
