package store

import (
	"context"
	"log/slog"
	"os"
	"strconv"
	"time"

	"github.com/sourcegraph/conc"
)

// Several processes can work on the queue of one PostgreSQL. One that is killed leaves jobs behind
// that are marked as running. So each process gives signs of life, and puts the jobs of those that
// give none back into the queue. All times are those of the database's clock, so that the clocks of
// machines may differ.
//
// A process that lives and is slow can lose its jobs that way, and go on with them. That does no
// harm, since a job may run twice at any time: investigations have leases, and writes have claims.
// SQLite has one process, which puts back what an earlier one left at its start.

// silence is the time without a sign of life after which a process counts as dead.
const silence = 20 * time.Second

// beatsInSilence is how many signs of life a process gives in that time.
const beatsInSilence = 4

// clock is the time of the database in SQL, in microseconds.
const clock = `CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)`

// beat is a process's sign of life.
func (tx *Tx) beat(process string) error {
	_, err := tx.exec(`INSERT INTO process (name, beat) VALUES ($1, `+clock+`) ON CONFLICT (name) DO UPDATE SET beat = excluded.beat`, process)
	return err
}

// mostDeaths is how many processes may die at most while they run a job. It may be the reason.
const mostDeaths = 20

// deaths is the number of processes that died while they ran a job of the queue, in SQL: each other
// attempt has left an error.
func deaths(postgres bool) string {
	if postgres {
		return `attempt - coalesce(cardinality(errors), 0)`
	}
	return `attempt - coalesce(json_array_length(errors), 0)`
}

// putBack puts the running jobs of processes without a sign of life during a time back into the
// queue, and returns how many. That a process died is no failed attempt of its jobs, up to mostDeaths.
func (tx *Tx) putBack(silence time.Duration) (int64, error) {
	alive := deaths(true) + ` < ` + strconv.Itoa(mostDeaths)
	n, err := tx.exec(`UPDATE river_job SET max_attempts = greatest(max_attempts, attempt + 1),
		state = CAST(CASE WHEN `+alive+` THEN 'available' ELSE 'discarded' END AS river_job_state),
		finalized_at = CASE WHEN `+alive+` THEN NULL ELSE clock_timestamp() END
		WHERE state = 'running' AND attempted_by[array_upper(attempted_by, 1)] IN (SELECT name FROM process WHERE beat < `+clock+` - $1)`,
		silence.Microseconds())
	if err != nil {
		return 0, err
	}
	_, err = tx.exec(`DELETE FROM process WHERE beat < `+clock+` - $1`, (24 * time.Hour).Microseconds())
	return n, err
}

// processName is a new name of this process. The host is for people who read the database.
func processName() string {
	host, _ := os.Hostname()
	host = host[:min(len(host), 60)] // the queue allows 100 characters for the whole
	return host + "-" + newID()
}

// startLife gives the first sign of life, and goes on in the background until end is called.
func (s *Store) startLife(ctx context.Context, process string, silence time.Duration) (end func(), err error) {
	if s.Name() != "postgres" {
		return func() {}, nil
	}
	if err := s.soon(ctx, silence, func(tx *Tx) error { return tx.beat(process) }); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var life conc.WaitGroup
	life.Go(func() { s.live(ctx, process, silence) })
	return func() {
		cancel()
		life.Wait()
	}, nil
}

// live gives signs of life until the context ends, and puts back the jobs of dead processes.
func (s *Store) live(ctx context.Context, process string, silence time.Duration) {
	every := silence / beatsInSilence
	tick := time.NewTicker(every)
	defer tick.Stop()
	// If the database did not answer this process, it may have answered no other one either. So it
	// judges others only after they had time for a sign of life.
	last, steady := time.Now(), time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := s.soon(ctx, silence, func(tx *Tx) error { return tx.beat(process) }); err != nil {
			s.log.WarnContext(ctx, "no sign of life could be given", slog.String("error", err.Error()))
			continue
		}
		now := time.Now()
		if now.Sub(last) > 2*every {
			steady = now
		}
		if last = now; now.Sub(steady) < silence {
			continue
		}
		var n int64
		err := s.soon(ctx, silence, func(tx *Tx) (err error) {
			n, err = tx.putBack(silence)
			return err
		})
		switch {
		case err != nil:
			s.log.WarnContext(ctx, "the jobs of dead processes were not looked for", slog.String("error", err.Error()))
		case n > 0:
			s.log.WarnContext(ctx, "a process gives no sign of life; its jobs are in the queue again", slog.Int64("jobs", n))
		}
	}
}

// soon is Do with a limit of time.
func (s *Store) soon(ctx context.Context, limit time.Duration, f func(*Tx) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return s.Do(ctx, f)
}
