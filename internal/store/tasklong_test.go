package store_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/store/storetest"
)

// TestAttackLongJob: small requests about a task neither read nor write its job, which may be long.
// It is in the database as long as a worker may need it.
func TestAttackLongJob(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		long := bytes.Repeat([]byte("x"), 1<<20)
		open := store.Task{Key: "fix/1", Installation: 9, About: []byte("{}"), Content: long, Limit: taskLimit}
		b.do(func(tx *store.Tx) error { _, _, err := tx.OpenTask(open, taskWait); return err })
		first, err := b.takeTask("token 1")
		if err != nil || !bytes.Equal(first.Content, long) {
			t.Fatalf("%d bytes, %v", len(first.Content), err)
		}
		for name, read := range map[string]func(*store.Tx) (store.Task, error){
			"task": func(tx *store.Tx) (store.Task, error) { return tx.Task(first.ID) },
			"held": func(tx *store.Tx) (store.Task, error) { return tx.HeldTask(first.ID, "token 1") },
			"beat": func(tx *store.Tx) (store.Task, error) { return tx.BeatTask(first.ID, "token 1") },
			"open": func(tx *store.Tx) (store.Task, error) { t, _, err := tx.OpenTask(open, taskWait); return t, err },
		} {
			var got store.Task
			b.do(func(tx *store.Tx) (err error) { got, err = read(tx); return err })
			if got.ID != first.ID || string(got.About) != "{}" || got.Content != nil {
				t.Errorf("%s: %+v", name, got)
			}
		}
		b.do(func(tx *store.Tx) error {
			_, err := tx.ReofferTask(first.ID, "token 1", 3, taskWait)
			return err
		})
		again, err := b.takeTask("token 2")
		if err != nil || !bytes.Equal(again.Content, long) {
			t.Fatalf("offered again: %d bytes, %v", len(again.Content), err)
		}
		b.do(func(tx *store.Tx) error { return tx.EndTask(first.ID, "token 2", store.TaskDone, []byte("result")) })
		b.wantTask(first.ID, store.TaskDone, "result")
		if n := get(b, func(tx *store.Tx) (int64, error) { return tx.Rows("task_job") }); n != 0 {
			t.Errorf("%d jobs of tasks that have ended", n)
		}

		late := b.task("fix/2") // no worker takes it
		b.add(taskWait + time.Second)
		b.reapTasks()
		b.wantTask(late.ID, store.TaskFailed, "untaken")
		gone, err := b.Forget(t.Context(), store.Ages{Tasks: time.UnixMicro(1)}, 10)
		if err != nil || gone["task_job"] != 1 || gone["task"] != 0 {
			t.Errorf("removed %v, %v", gone, err)
		}
	})
}

// TestAttackOrdersDoNotStay: the order of an investigation, which may be long, is removed when the
// investigation has a report or has ended.
func TestAttackOrdersDoNotStay(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		for n, state := range []store.State{store.Queued, store.Running, store.Reporting, store.Done, store.Cancelled} {
			i := b.open(int64(n+1), "abc")
			b.do(func(tx *store.Tx) error { return tx.SaveOrder(i.ID, []byte(state)) })
			b.bring(i.ID, state)
		}
		gone, err := b.Forget(t.Context(), store.Ages{}, 2)
		if err != nil || gone["observed_order"] != 3 {
			t.Errorf("removed %v, %v", gone, err)
		}
		if n := get(b, func(tx *store.Tx) (int64, error) { return tx.Rows("observed_order") }); n != 2 {
			t.Errorf("%d orders are left, want those that are queued and running", n)
		}
	})
}

// TestTasksOfAnEarlierVersion: a worker gets the job of a task that an earlier version has stored.
func TestTasksOfAnEarlierVersion(t *testing.T) {
	storetest.Each(t, func(t *testing.T, place string) {
		c := newClock()
		s, err := store.Open(t.Context(), place, store.Options{Now: c.now})
		if err != nil {
			t.Fatal(err)
		}
		b := &testStore{s, c, t, place}
		old := b.task("fix/1")
		s.Close()
		for _, statement := range []string{
			`DROP TABLE observed_order`, `DROP TABLE task_job`, `ALTER TABLE task RENAME COLUMN about TO content`,
			`DELETE FROM odfix_migration WHERE name = '013_long.sql'`,
		} {
			raw(t, place, statement)
		}
		b.Store = storetest.Open(t, place, store.Options{Now: c.now})
		if got, err := b.takeTask("token"); err != nil || got.ID != old.ID || string(got.Content) != "{}" || string(got.About) != "{}" {
			t.Errorf("%+v, %v", got, err)
		}
	})
}
