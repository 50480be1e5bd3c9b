package store_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/store"
)

var endings = store.Endings{Untaken: []byte("untaken"), Overdue: []byte("overdue"), Lost: []byte("lost"), Stopped: []byte("stopped")}

const (
	taskWait  = 2 * time.Hour
	taskLimit = 30 * time.Minute
	taskQuiet = time.Minute
)

func (b *testStore) task(key string) store.Task {
	b.t.Helper()
	return b.taskOf(9, key)
}

func (b *testStore) taskOf(installation int64, key string) store.Task {
	b.t.Helper()
	b.add(time.Second)
	var out store.Task
	b.do(func(tx *store.Tx) (err error) {
		out, _, err = tx.OpenTask(store.Task{Key: key, Installation: installation, About: []byte("{}"), Content: []byte(key), Limit: taskLimit}, taskWait)
		return err
	})
	return out
}

func (b *testStore) takeTask(token string) (store.Task, error) {
	var out store.Task
	err := b.Do(b.t.Context(), func(tx *store.Tx) (err error) {
		out, err = tx.TakeTask("w", token, "")
		return err
	})
	return out, err
}

func (b *testStore) reapTasks() {
	b.t.Helper()
	b.do(func(tx *store.Tx) error {
		_, err := tx.ReapTasks(taskQuiet, 3, taskWait, endings)
		return err
	})
}

// wantTask checks a task's state and result.
func (b *testStore) wantTask(id string, state store.TaskState, result string) {
	b.t.Helper()
	t := get(b, func(tx *store.Tx) (store.Task, error) { return tx.Task(id) })
	if t.State != state || string(t.Result) != result {
		b.t.Errorf("the task is %s with %q, want %s with %q", t.State, t.Result, state, result)
	}
}

func TestATaskIsOpenedOnceForItsKey(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		first := b.task("fix/1")
		if again := b.task("fix/1"); again.ID != first.ID {
			t.Errorf("%+v and %+v", first, again)
		}
		if other := b.task("fix/2"); other.ID == first.ID {
			t.Error("one task for two keys")
		}
		if a, c := b.task(""), b.task(""); a.ID == c.ID {
			t.Error("tasks without a key are one")
		}
	})
}

func TestTasksAreTakenOnceTheOldestFirst(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		var ids, got []string
		for n := range 8 {
			ids = append(ids, b.task(fmt.Sprint("k", n)).ID)
		}
		first, err := b.takeTask("t")
		if err != nil || first.ID != ids[0] || first.State != store.TaskRunning || first.Attempt != 1 || !first.Deadline.Equal(b.now().Add(taskLimit)) {
			t.Errorf("taken %+v, %v", first, err)
		}
		var mu sync.Mutex
		var all sync.WaitGroup
		for n := range 10 { // three of them come too late
			all.Go(func() {
				task, err := b.takeTask(fmt.Sprint("t", n))
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					got = append(got, task.ID)
				} else if !errors.Is(err, store.ErrNotFound) {
					t.Error(err)
				}
			})
		}
		all.Wait()
		slices.Sort(got)
		if want := slices.Sorted(slices.Values(ids[1:])); !slices.Equal(got, want) {
			t.Errorf("taken %v, want %v", got, want)
		}
	})
}

func TestATokenIsOfOneAttempt(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		id := b.task("k").ID
		want := func(token string, want error) {
			t.Helper()
			_, beat := b.beat(id, token)
			end := b.Do(t.Context(), func(tx *store.Tx) error {
				return errors.Join(tx.EndTask(id, token, store.TaskDone, nil), errors.New("undo"))
			})
			if !errors.Is(beat, want) || want != nil && !errors.Is(end, want) {
				t.Errorf("%q: %v, %v; want %v", token, beat, end, want)
			}
		}
		want("", store.ErrTaskToken)
		if _, err := b.takeTask("one"); err != nil {
			t.Fatal(err)
		}
		want("one", nil)
		want("two", store.ErrTaskToken)
		want("", store.ErrTaskToken)
		b.add(taskQuiet)
		b.reapTasks()
		b.wantTask(id, store.TaskWaiting, "")
		want("one", store.ErrTaskToken)
		want("", store.ErrTaskToken)
		if _, err := b.takeTask("two"); err != nil {
			t.Fatal(err)
		}
		want("one", store.ErrTaskToken)
		want("two", nil)
		b.do(func(tx *store.Tx) error { return tx.EndTask(id, "two", store.TaskDone, []byte("r")) })
		want("two", store.ErrTaskEnded)
		b.wantTask(id, store.TaskDone, "r")
	})
}

func (b *testStore) beat(id, token string) (store.Task, error) {
	var out store.Task
	err := b.Do(b.t.Context(), func(tx *store.Tx) (err error) {
		out, err = tx.BeatTask(id, token)
		return err
	})
	return out, err
}

func TestEachTaskEnds(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		id := b.task("lost").ID
		for n := range 3 { // its workers die
			b.wantTask(id, store.TaskWaiting, "")
			if _, err := b.takeTask(fmt.Sprint(n)); err != nil {
				t.Fatal(err)
			}
			b.add(taskQuiet - time.Second)
			b.reapTasks()
			b.wantTask(id, store.TaskRunning, "")
			b.add(time.Second)
			b.reapTasks()
		}
		b.wantTask(id, store.TaskFailed, "lost")

		id = b.task("untaken").ID
		b.add(taskWait)
		b.reapTasks()
		b.wantTask(id, store.TaskFailed, "untaken")

		id = b.task("overdue").ID
		if _, err := b.takeTask("t"); err != nil {
			t.Fatal(err)
		}
		for range int(taskLimit / (30 * time.Second)) { // its worker lives, and does not end
			_, err := b.beat(id, "t")
			if err != nil {
				t.Fatal(err)
			}
			b.add(30 * time.Second)
			b.reapTasks()
		}
		b.wantTask(id, store.TaskFailed, "overdue")
		if _, err := b.beat(id, "t"); !errors.Is(err, store.ErrTaskEnded) {
			t.Error(err)
		}
	})
}

func TestCancelledTasks(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		stop := func(id string) {
			b.do(func(tx *store.Tx) error { return tx.StopTask(id, 10*time.Second) })
		}
		waiting := b.task("waiting").ID
		if _, err := b.takeTask("gone"); err != nil { // it waits for its second worker
			t.Fatal(err)
		}
		b.do(func(tx *store.Tx) error { _, err := tx.ReofferTask(waiting, "gone", 3, taskWait); return err })
		other := b.task("other").ID
		stop(waiting)
		if task, err := b.takeTask("t"); err != nil || task.ID != other {
			t.Errorf("taken %+v, %v; want the one that is not cancelled", task, err)
		}
		if list := get(b, (*store.Tx).LiveTasks); len(list) != 1 || list[0].ID != other || list[0].Key != "other" || list[0].Installation != 9 {
			t.Errorf("tasks that are not cancelled: %+v", list)
		}
		b.reapTasks()
		b.wantTask(waiting, store.TaskFailed, "stopped")
		b.wantTask(other, store.TaskRunning, "")
		b.do(func(tx *store.Tx) error { return tx.EndTask(other, "t", store.TaskDone, nil) })

		running := b.task("running").ID
		if _, err := b.takeTask("t"); err != nil {
			t.Fatal(err)
		}
		stop(running)
		b.wantTask(running, store.TaskRunning, "")
		if task, err := b.beat(running, "t"); err != nil || !task.Stop || !task.Deadline.Equal(b.now().Add(10*time.Second)) {
			t.Errorf("%+v, %v", task, err)
		}
		b.add(9 * time.Second)
		stop(running) // another time: the worker gets no more time
		b.add(time.Second)
		b.reapTasks()
		b.wantTask(running, store.TaskFailed, "stopped")
		if list := get(b, (*store.Tx).LiveTasks); len(list) != 0 {
			t.Errorf("tasks that are not cancelled: %+v", list)
		}
	})
}

func TestEventsOfATask(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		id := b.task("k").ID
		if _, err := b.takeTask("t"); err != nil {
			t.Fatal(err)
		}
		receive := func(upTo int64, events ...string) {
			b.do(func(tx *store.Tx) error {
				var all [][]byte
				for _, e := range events {
					all = append(all, []byte(e))
				}
				return tx.ReceiveTask(id, upTo, all, 3)
			})
		}
		after := func(n int64) (out string) {
			for _, e := range get(b, func(tx *store.Tx) ([]store.TaskEvent, error) { return tx.TaskEvents(id, n, 10) }) {
				out += fmt.Sprintf("%d%s ", e.Number, e.Content)
			}
			return out
		}
		receive(2, "a", "b")
		receive(3)
		if got := after(0); got != "1a 2b " {
			t.Error(got)
		}
		b.do(func(tx *store.Tx) error { return tx.PassTaskEvents(id, 1) })
		receive(6, "c", "d", "e")
		if got := after(0); got != "3c 4d 5e " {
			t.Error(got, "want the newest three")
		}
		if got := after(4); got != "5e " {
			t.Error(got)
		}
		if task, err := b.beat(id, "t"); err != nil || task.Received != 6 {
			t.Errorf("%+v, %v", task, err)
		}
		fetch := func() bool {
			var ok bool
			b.do(func(tx *store.Tx) (err error) { ok, err = tx.FetchTask(id, 2); return err })
			return ok
		}
		if got := []bool{fetch(), fetch(), fetch()}; !slices.Equal(got, []bool{true, true, false}) {
			t.Errorf("the sources are to be had twice: %v", got)
		}
		b.do(func(tx *store.Tx) error { return tx.EndTask(id, "t", store.TaskDone, nil) })
		b.add(time.Hour)
		if _, err := b.Forget(t.Context(), store.Ages{Tasks: b.now()}, 10); err != nil {
			t.Fatal(err)
		}
		if err := b.View(t.Context(), func(tx *store.Tx) error { _, err := tx.Task(id); return err }); !errors.Is(err, store.ErrNotFound) {
			t.Error(err)
		}
		if got := after(0); got != "" {
			t.Error(got)
		}
	})
}

// TestATaskIsGivenBack: its worker cannot do it, and the next one may.
func TestATaskIsGivenBack(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		id := b.task("k").ID
		for n := range 3 {
			token := fmt.Sprint(n)
			if _, err := b.takeTask(token); err != nil {
				t.Fatal(err)
			}
			for given, want := range map[string]bool{"of nobody": false, token: n < 2} {
				var again bool
				b.do(func(tx *store.Tx) (err error) { again, err = tx.ReofferTask(id, given, 3, taskWait); return err })
				if again != want {
					t.Errorf("attempt %d with %q: %v", n+1, given, again)
				}
			}
		}
		b.wantTask(id, store.TaskRunning, "")
	})
}

// TestInstallationsShareWorkers: the next task is the oldest one of the installation with the fewest
// running tasks.
func TestInstallationsShareWorkers(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		first := b.taskOf(1, "greedy 0")
		for n := range 3 {
			b.taskOf(1, fmt.Sprint("greedy ", n+1))
		}
		b.taskOf(2, "modest 0")
		b.taskOf(2, "modest 1")
		b.taskOf(3, "late")
		var order []string
		take := func(n int) {
			for ; n > 0; n-- {
				task, err := b.takeTask(fmt.Sprint("token ", len(order)))
				if err != nil {
					t.Fatal(err)
				}
				order = append(order, task.Key)
			}
		}
		take(4)
		b.do(func(tx *store.Tx) error { return tx.EndTask(first.ID, "token 0", store.TaskDone, []byte("{}")) })
		take(3)
		if want := []string{"greedy 0", "modest 0", "late", "greedy 1", "greedy 2", "modest 1", "greedy 3"}; !slices.Equal(order, want) {
			t.Errorf("the order is %q, want %q", order, want)
		}
	})
}
