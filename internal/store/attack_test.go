package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/suite"
)

// TestAttackManyFindings: reports name very many tests, or tests with very long names. An overview has
// the newest ones that fit, with whole investigations, and says that there are more.
func TestAttackManyFindings(t *testing.T) {
	t.Run("many", func(t *testing.T) { manyFindings(t, 43, 500, "m") })
	t.Run("long", func(t *testing.T) { manyFindings(t, 12, 100, strings.Repeat("m", 1900)) })
}

func manyFindings(t *testing.T, reports, tests int, method string) {
	each(t, func(t *testing.T, b *testStore) {
		for n := range reports {
			i := b.open(int64(n+1), fmt.Sprintf("sha%d", n))
			b.bring(i.ID, store.Running)
			r := &job.Report{Version: job.Version}
			for k := range tests {
				r.Tests = append(r.Tests, job.TestReport{Test: suite.TestID(fmt.Sprintf("a.B#%s%d", method, k)), Verdict: suite.Genuine})
			}
			b.do(func(tx *store.Tx) error {
				_, err := tx.SaveReport(i.ID, "h", r)
				return err
			})
			b.add(time.Minute)
		}
		got := get(b, func(tx *store.Tx) (store.Overview, error) { return tx.Overview(9, []int64{1}, time.UnixMicro(1)) })
		of := map[string]int{}
		size := 0
		for _, f := range got.Findings {
			of[f.Investigation]++
			size += len(f.Test)
		}
		if !got.More || len(got.Findings) > 20_000 || size > 2<<20 || len(got.Investigations) != len(of) || len(of) == 0 {
			t.Fatalf("more %v, %d findings of %d, %d investigations, %d bytes", got.More, len(got.Findings), len(of), len(got.Investigations), size)
		}
		for _, i := range got.Investigations {
			if of[i.ID] != tests {
				t.Errorf("%d of %d findings of an investigation", of[i.ID], tests)
			}
		}
	})
}

// TestAttackReason: a worker writes the reason why a job ended. A database that refuses it would let
// the job run again and again.
func TestAttackReason(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		i := b.open(1, "abc")
		b.do(func(tx *store.Tx) error {
			_, err := tx.Move(i.ID, store.Change{To: store.Cancelled, Reason: "\x00\xffx" + strings.Repeat("é", 100_000)})
			return err
		})
		got := get(b, func(tx *store.Tx) (store.Investigation, error) { return tx.Investigation(i.ID) })
		if got.State != store.Cancelled || len(got.Reason) == 0 || len(got.Reason) > 10_000 {
			t.Errorf("%s, a reason of %d bytes", got.State, len(got.Reason))
		}
	})
}
