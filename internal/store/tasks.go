package store

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"
)

// TaskState is the state of a task.
type TaskState string

// The states of tasks. Each state that is not final has a deadline.
const (
	TaskWaiting TaskState = "waiting" // for a worker
	TaskRunning TaskState = "running" // a worker has it, and sends signs of life
	TaskDone    TaskState = "done"    // Result is its result
	TaskFailed  TaskState = "failed"  // Result is why
)

// Ended reports whether the state is final.
func (s TaskState) Ended() bool { return s == TaskDone || s == TaskFailed }

// Task is a job for a worker.
type Task struct {
	ID           string
	Key          string // names the step that the job is for; used once
	Installation int64
	Repository   int64
	About        []byte // what is needed of the job while it runs: short
	Content      []byte // the job; only TakeTask returns it
	State        TaskState
	Stop         bool // cancelled: no worker takes it, and the one that has it is asked to stop
	Attempt      int64
	Worker       string
	Received     int64 // messages of the attempt
	Heartbeat    time.Time
	Deadline     time.Time     // of the state
	Limit        time.Duration // of an attempt
	Result       []byte        // of a task that has ended; Task and OpenTask return it
	Created      time.Time
}

var (
	// ErrTaskToken means that the token is not the one of the task's last attempt.
	ErrTaskToken = errors.New("the token is not of this task, or of an earlier attempt")
	// ErrTaskEnded means that the task has ended, or that its deadline has passed.
	ErrTaskEnded = errors.New("the task has ended")
)

const taskColumns = `id, key, installation, repository, about, state, stop, attempt, worker, received, heartbeat, deadline, time_limit, created`

func scanTask(r rows) (Task, error) {
	var t Task
	var stop, heartbeat, deadline, limit, created int64
	err := r.Scan(&t.ID, &t.Key, &t.Installation, &t.Repository, &t.About, &t.State, &stop, &t.Attempt, &t.Worker, &t.Received,
		&heartbeat, &deadline, &limit, &created)
	t.Stop, t.Limit = stop == 1, time.Duration(limit)*time.Microsecond
	t.Heartbeat, t.Deadline, t.Created = fromMicros(heartbeat), fromMicros(deadline), fromMicros(created)
	return t, err
}

// OpenTask returns the task with t's key: the one that there is, or a new one, which waits for a
// worker for at most wait. Of t it needs Key, Installation, Repository, About, Content and Limit.
func (tx *Tx) OpenTask(t Task, wait time.Duration) (task Task, created bool, err error) {
	if wait <= 0 || t.Limit <= 0 {
		return t, false, errors.New("store: a task needs limits of time")
	}
	id := newID()
	if t.Key == "" {
		t.Key = id
	}
	now := micros(tx.time)
	n, err := tx.exec(`INSERT INTO task (id, key, installation, repository, about, state, stop, attempt, worker, token, received, fetched, events,
			heartbeat, deadline, time_limit, created, updated)
		VALUES ($1, $2, $3, $8, $4, 'waiting', 0, 0, '', '', 0, 0, 0, 0, $5, $6, $7, $7) ON CONFLICT (key) DO NOTHING`,
		id, t.Key, t.Installation, t.About, micros(tx.time.Add(wait)), t.Limit.Microseconds(), now, t.Repository)
	if err == nil && n > 0 {
		_, err = tx.exec(`INSERT INTO task_job (task, content) VALUES ($1, $2)`, id, t.Content)
	}
	if err != nil {
		return t, false, err
	}
	task, err = tx.withResult(one(tx, scanTask, `SELECT `+taskColumns+` FROM task WHERE key = $1`, t.Key))
	return task, n > 0, err
}

// Task finds a task.
func (tx *Tx) Task(id string) (Task, error) {
	return tx.withResult(one(tx, scanTask, `SELECT `+taskColumns+` FROM task WHERE id = $1`, id))
}

// withResult adds the result of a task that has ended. It is read alone, since it can be long.
func (tx *Tx) withResult(t Task, err error) (Task, error) {
	if err == nil && t.State.Ended() {
		t.Result, err = one(tx, scanBytes, `SELECT result FROM task WHERE id = $1`, t.ID)
	}
	return t, err
}

func scanBytes(r rows) (b []byte, err error) { return b, r.Scan(&b) }

// hashed is a token as the database has it.
func hashed(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// TakeTask gives the next task to a worker, or returns ErrNotFound: the one that has waited longest,
// of the installation with the fewest running tasks. So an installation with many tasks does not block
// the others. It leaves out those that are paused. The token is the attempt's: those of earlier
// attempts are no longer valid.
//
// If apart is not empty, the worker does not get the proof of a job that a worker did whose name is
// apart, or begins with apart, until the proof has waited for ProofWait. The keys of such tasks begin
// with "fix/" and "verify/", and the rest is the same.
func (tx *Tx) TakeTask(worker, token, apart string) (Task, error) {
	if token == "" {
		return Task{}, errors.New("store: an attempt needs a token")
	}
	skip := ""
	if tx.postgres {
		skip = ` FOR UPDATE SKIP LOCKED` // so that workers that ask at once get one each
	}
	t, err := one(tx, scanTask, `UPDATE task SET state = 'running', attempt = attempt + 1, worker = $2, token = $3, received = 0, fetched = 0,
			heartbeat = $1, updated = $1, deadline = $1 + time_limit
		WHERE id = (SELECT id FROM task w WHERE state = 'waiting' AND stop = 0 AND deadline > $1 AND `+workingOn("w")+`
				AND NOT ($4 <> '' AND created > $5 AND key LIKE 'verify/%' AND EXISTS (SELECT 1 FROM task f WHERE f.key = 'fix' || substr(w.key, 7)
					AND substr(f.worker, 1, length($4)) = $4))
			ORDER BY (SELECT count(*) FROM task r WHERE r.state = 'running' AND r.installation = w.installation), created, id LIMIT 1`+skip+`)
		RETURNING `+taskColumns, micros(tx.time), worker, hashed(token), apart, micros(tx.time.Add(-ProofWait)))
	if err == nil {
		t.Content, err = one(tx, scanBytes, `SELECT content FROM task_job WHERE task = $1`, t.ID)
		if errors.Is(err, ErrNotFound) { // it would mean that there is no task
			err = errors.New("store: the task " + t.ID + " has no job")
		}
	}
	return t, err
}

// ProofWait bounds how long a proof waits for another worker than the one that did the job.
const ProofWait = 30 * time.Minute

// MostWorkers bounds the workers of one credential that are recorded. Whoever has the credential can
// choose names.
const MostWorkers = 64

// seenFor is how long a worker that does not ask any more stays recorded.
const seenFor = 10 * time.Minute

// SeeWorker records that a worker asks for tasks. The identities of workers with one credential begin
// with the same mark. It returns false if there are too many of them.
func (tx *Tx) SeeWorker(worker, mark string) (bool, error) {
	if _, err := tx.exec(`DELETE FROM worker WHERE asked < $1`, micros(tx.time.Add(-seenFor))); err != nil {
		return false, err
	}
	others, err := one(tx, scanInt, `SELECT count(*) FROM worker WHERE substr(identity, 1, length($1)) = $1 AND identity <> $2`, mark, worker)
	if err != nil || others >= MostWorkers {
		return false, err
	}
	_, err = tx.exec(`INSERT INTO worker (identity, asked) VALUES ($1, $2) ON CONFLICT (identity) DO UPDATE SET asked = excluded.asked`,
		worker, micros(tx.time))
	return true, err
}

// Workers are the workers that have a task, or that have asked for one during a time.
func (tx *Tx) Workers(during time.Duration) ([]string, error) {
	return all(tx, func(r rows) (w string, err error) { return w, r.Scan(&w) },
		`SELECT worker FROM task WHERE state = 'running' UNION SELECT identity FROM worker WHERE asked >= $1`, micros(tx.time.Add(-during)))
}

// HeldTask finds the task of a token. The error is ErrTaskToken or ErrTaskEnded if the worker has it
// no longer.
func (tx *Tx) HeldTask(id, token string) (Task, error) {
	t, err := one(tx, scanTask, `SELECT `+taskColumns+` FROM task WHERE id = $1 AND token = $2`, id, hashed(token))
	switch {
	case errors.Is(err, ErrNotFound), err == nil && t.State == TaskWaiting:
		return t, ErrTaskToken
	case err == nil && (t.State.Ended() || !t.Deadline.After(tx.time)):
		return t, ErrTaskEnded
	}
	return t, err
}

// BeatTask is HeldTask, and the worker's sign of life. It locks the task for this transaction.
func (tx *Tx) BeatTask(id, token string) (Task, error) {
	if _, err := tx.exec(`UPDATE task SET heartbeat = $3 WHERE id = $1 AND token = $2 AND state = 'running' AND deadline > $3`,
		id, hashed(token), micros(tx.time)); err != nil {
		return Task{}, err
	}
	return tx.HeldTask(id, token)
}

// FetchTask counts a download of the sources by the worker that has the task. False: the attempt has
// had as many as it may.
func (tx *Tx) FetchTask(id string, most int64) (bool, error) {
	n, err := tx.exec(`UPDATE task SET fetched = fetched + 1 WHERE id = $1 AND fetched < $2`, id, most)
	return n > 0, err
}

// ReceiveTask records that the attempt's messages up to a number have arrived, and keeps their
// events. Of events that nobody has read it keeps the newest ones. Call BeatTask before, in the same
// transaction.
func (tx *Tx) ReceiveTask(id string, received int64, events [][]byte, most int64) error {
	last, err := one(tx, scanInt, `UPDATE task SET received = $2, events = events + $3 WHERE id = $1 RETURNING events`, id, received, len(events))
	if err != nil || len(events) == 0 {
		return err
	}
	for i, e := range events {
		if _, err := tx.exec(`INSERT INTO task_event (task, number, content) VALUES ($1, $2, $3)`, id, last-int64(len(events)-1-i), e); err != nil {
			return err
		}
	}
	_, err = tx.exec(`DELETE FROM task_event WHERE task = $1 AND number <= $2`, id, last-most)
	return err
}

// TaskEvent is an event of a task.
type TaskEvent struct {
	Number  int64 // counts from 1, over all attempts
	Content []byte
}

// TaskEvents are the task's next events after a number, the oldest first.
func (tx *Tx) TaskEvents(id string, after, most int64) ([]TaskEvent, error) {
	return all(tx, func(r rows) (e TaskEvent, err error) { return e, r.Scan(&e.Number, &e.Content) },
		`SELECT number, content FROM task_event WHERE task = $1 AND number > $2 ORDER BY number LIMIT $3`, id, after, most)
}

// PassTaskEvents removes events that were passed on.
func (tx *Tx) PassTaskEvents(id string, upTo int64) error {
	_, err := tx.exec(`DELETE FROM task_event WHERE task = $1 AND number <= $2`, id, upTo)
	return err
}

// EndTask ends a task, for the worker that has it. A repetition returns ErrTaskEnded.
func (tx *Tx) EndTask(id, token string, to TaskState, result []byte) error {
	if !to.Ended() {
		return errors.New("store: a task ends as done or failed")
	}
	n, err := tx.exec(`UPDATE task SET state = $3, result = $4, updated = $5
		WHERE id = $1 AND token = $2 AND state = 'running' AND deadline > $5`, id, hashed(token), string(to), result, micros(tx.time))
	if err == nil && n == 0 {
		_, err = tx.HeldTask(id, token)
		return err
	}
	if err == nil {
		_, err = tx.exec(`DELETE FROM task_job WHERE task = $1`, id)
	}
	return err
}

// ReofferTask offers a task to another worker, for the worker that has it. False: it was taken as
// often as it may, or is cancelled.
func (tx *Tx) ReofferTask(id, token string, attempts int64, wait time.Duration) (bool, error) {
	n, err := tx.exec(`UPDATE task SET state = 'waiting', worker = '', token = '', updated = $4, deadline = $5
		WHERE id = $1 AND token = $2 AND state = 'running' AND stop = 0 AND attempt < $3 AND deadline > $4`,
		id, hashed(token), attempts, micros(tx.time), micros(tx.time.Add(wait)))
	return n > 0, err
}

// StopTask cancels a task. No worker takes one that waits, and ReapTasks ends it. The worker of one
// that runs is asked to stop within grace.
func (tx *Tx) StopTask(id string, grace time.Duration) error {
	_, err := tx.exec(`UPDATE task SET stop = 1, updated = $3, deadline = CASE WHEN deadline < $2 THEN deadline ELSE $2 END
		WHERE id = $1 AND state IN ('waiting', 'running') AND stop = 0`, id, micros(tx.time.Add(grace)), micros(tx.time))
	return err
}

// LiveTasks are the tasks that have not ended and are not cancelled. Each has its ID, Key,
// Installation and Repository only.
func (tx *Tx) LiveTasks() ([]Task, error) {
	return all(tx, func(r rows) (t Task, err error) { return t, r.Scan(&t.ID, &t.Key, &t.Installation, &t.Repository) },
		`SELECT id, key, installation, repository FROM task WHERE state IN ('waiting', 'running') AND stop = 0`)
}

// Endings are the results of tasks that ReapTasks ends.
type Endings struct {
	Untaken []byte // no worker took it in time
	Overdue []byte // it was not done in time
	Lost    []byte // each of its workers sent no sign of life
	Stopped []byte // it was cancelled, and no worker has it or its worker did not answer
}

// ReapTasks ends tasks after their deadline, and offers those without a sign of life during silence
// to another worker. One that was taken attempts times, or is cancelled, fails instead. It returns
// how many tasks changed.
func (tx *Tx) ReapTasks(silence time.Duration, attempts int64, wait time.Duration, e Endings) (int64, error) {
	now, quiet := micros(tx.time), micros(tx.time.Add(-silence))
	var changed int64
	const end = `UPDATE task SET state = 'failed', updated = $1, result = $2 WHERE `
	for _, s := range []struct {
		query string
		args  []any
	}{
		{end + `state IN ('waiting', 'running') AND stop = 1 AND (state = 'waiting' OR deadline <= $1 OR heartbeat <= $3)`,
			[]any{now, e.Stopped, quiet}},
		{end + `state = 'waiting' AND deadline <= $1`, []any{now, e.Untaken}},
		{end + `state = 'running' AND deadline <= $1`, []any{now, e.Overdue}},
		{end + `state = 'running' AND heartbeat <= $3 AND attempt >= $4`, []any{now, e.Lost, quiet, attempts}},
		{`UPDATE task SET state = 'waiting', worker = '', token = '', updated = $1, deadline = $2 WHERE state = 'running' AND heartbeat <= $3`,
			[]any{now, micros(tx.time.Add(wait)), quiet}},
	} {
		n, err := tx.exec(s.query, s.args...)
		if err != nil {
			return changed, err
		}
		changed += n
	}
	return changed, nil
}

// ForgetTask removes a task that has failed or was cancelled, so that its key can be used again.
func (tx *Tx) ForgetTask(id string) error {
	_, err := tx.exec(`DELETE FROM task WHERE id = $1 AND (state = 'failed' OR state = 'done' AND stop = 1)`, id)
	return err
}

// TaskCounts counts the tasks that have not ended, by state.
func (tx *Tx) TaskCounts() (map[TaskState]int64, error) {
	type count struct {
		state TaskState
		n     int64
	}
	list, err := all(tx, func(r rows) (c count, err error) { return c, r.Scan(&c.state, &c.n) },
		`SELECT state, count(*) FROM task WHERE state IN ('waiting', 'running') GROUP BY state`)
	out := map[TaskState]int64{TaskWaiting: 0, TaskRunning: 0}
	for _, c := range list {
		out[c.state] = c.n
	}
	return out, err
}
