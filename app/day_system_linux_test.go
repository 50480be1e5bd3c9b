package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/odfix/odfix/internal/pause"
)

// servers is how many `odfix serve` there are, and as many workers.
const servers = 2

// process is a server or a worker that can be killed and started again.
type process struct {
	name  string
	start func() (pid int)
	kill  func()
	log   func() string // of its lives so far, once it is killed
}

// startAll starts the servers and the workers. Each worker goes to one server.
func (d *replayedDay) startAll() {
	d.t.Helper()
	key := filepath.Join(d.t.TempDir(), "key.pem")
	d.must(os.WriteFile(key, d.app.PEM(), 0o600))
	for n := range servers {
		address := freeAddress(d.t)
		d.processes = append(d.processes, d.server(n, key, address), d.worker(n, "http://"+address))
	}
	watch, stop := context.WithCancel(d.ctx)
	var watching sync.WaitGroup
	watching.Go(func() { d.use.watch(watch) })
	d.t.Cleanup(func() { stop(); watching.Wait() })
	for _, p := range d.processes {
		d.use.add(p.name, p.start())
	}
}

func (d *replayedDay) server(n int, key, workers string) *process {
	var now *served
	var logs strings.Builder
	p := &process{name: fmt.Sprint("server ", n), log: logs.String}
	p.start = func() int {
		now = serveChild(d.t, d.place, "--app-id", strconv.FormatInt(d.app.ID, 10), "--private-key-file", key, "--github-api", d.github.URL,
			"--local-worker=false", "--work-listen", workers, "--work-dir", d.t.TempDir(), "--runners", "8")
		d.setTarget(n, now.url)
		return now.cmd.Process.Pid
	}
	p.kill = func() {
		now.kill()
		d.setTarget(n, "") // only now, as health checks of proxies find out late
		logs.Write(now.log.Bytes())
	}
	return p
}

func (d *replayedDay) worker(n int, server string) *process {
	var now *exec.Cmd
	var log bytes.Buffer
	p := &process{name: fmt.Sprint("worker ", n), log: log.String}
	p.start = func() int {
		now = exec.Command(os.Args[0], "worker", "--server", server, "--stop-with-input", "--work-dir", d.t.TempDir(), "--isolation", "none",
			"--runners", "8", "--name", p.name)
		now.Env = append(os.Environ(), childMark+"=1")
		now.Stdout, now.Stderr = &log, &log
		_, err := now.StdinPipe() // it closes with this process
		d.must(err)
		d.must(now.Start())
		return now.Process.Pid
	}
	p.kill = func() {
		if now != nil && now.ProcessState == nil {
			now.Process.Kill() // it may have ended
			now.Wait()
		}
	}
	d.t.Cleanup(func() { p.kill() })
	return p
}

// killSome kills processes at random times, and starts each again after a moment.
func (d *replayedDay) killSome(begun time.Time) {
	d.t.Helper()
	random := d.random(6)
	for n := range d.scale.kills {
		at := d.scale.lasts * time.Duration(n) / time.Duration(d.scale.kills)
		at += time.Duration(random.Int64N(int64(d.scale.lasts) / int64(d.scale.kills)))
		p := d.processes[random.IntN(len(d.processes))]
		if n < len(d.processes) { // each at least once
			p = d.processes[n]
		}
		if !pause.For(d.ctx, time.Until(begun.Add(at))) {
			d.t.Fatal("the day takes too long")
		}
		p.kill()
		pause.For(d.ctx, time.Duration(random.IntN(2000))*time.Millisecond)
		d.use.add(p.name, p.start())
	}
}

// until asks every second whether the condition holds. It logs every half minute how far it is.
func (d *replayedDay) until(what string, is func(context.Context) (bool, string)) {
	d.t.Helper()
	for n := 0; ; n++ {
		done, state := is(d.ctx)
		if done {
			return
		}
		if n%30 == 29 {
			d.t.Logf("waiting for %s: %s", what, state)
		}
		if !pause.For(d.ctx, time.Second) {
			d.t.Fatalf("it does not come to %s: %s", what, state)
		}
	}
}

// untilAnswered waits until all investigations have ended, all deliveries are handled, and no job of them
// is left.
func (d *replayedDay) untilAnswered() {
	d.t.Helper()
	db, err := pgx.Connect(d.ctx, d.place)
	d.must(err)
	defer db.Close(context.WithoutCancel(d.ctx))
	d.until("all answers", func(ctx context.Context) (bool, string) {
		var done, live, unhandled, jobs int
		d.must(db.QueryRow(ctx, `SELECT (SELECT count(DISTINCT head_sha) FROM investigation WHERE state = 'done'),
			(SELECT count(*) FROM investigation WHERE state IN ('collecting', 'queued', 'running', 'reporting')),
			(SELECT count(*) FROM delivery WHERE handled = 0),
			(SELECT count(*) FROM river_job WHERE kind NOT IN ('redeliver', 'sweep', 'sweep-installation', 'reap', 'forget')
				AND state NOT IN ('completed', 'cancelled', 'discarded'))`).Scan(&done, &live, &unhandled, &jobs))
		return done >= d.scale.builds && live+unhandled+jobs == 0,
			fmt.Sprintf("%d of %d builds answered, %d under way; %d deliveries and %d jobs wait", done, d.scale.builds, live, unhandled, jobs)
	})
}

// strings of one column.
func (d *replayedDay) strings(query string) (out []string) {
	d.t.Helper()
	db, err := pgx.Connect(d.ctx, d.place)
	d.must(err)
	defer db.Close(context.WithoutCancel(d.ctx))
	rows, err := db.Query(d.ctx, query)
	d.must(err)
	out, err = pgx.CollectRows(rows, pgx.RowTo[string])
	d.must(err)
	return out
}
