package store_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/store"
)

// TestAttackManyEndedJobs: what is asked about the queue reads only jobs that have not ended,
// however many have.
func TestAttackManyEndedJobs(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		explain, postgres := "EXPLAIN QUERY PLAN ", strings.HasPrefix(b.place, "postgres")
		if postgres {
			explain = "EXPLAIN "
			raw(t, b.place, `INSERT INTO river_job (args, kind, max_attempts, state, finalized_at)
				SELECT '{"id": "x"}', 'handle', 12, 'completed', now() FROM generate_series(1, 2000)`)
			raw(t, b.place, `ANALYZE river_job`)
		}
		for _, of := range store.Unfinished {
			query := of(postgres)
			args := []any{handle{}.Kind(), int64(1 << 40), "ab"}[:strings.Count(query, "$")]
			plan := get(b, func(tx *store.Tx) ([]string, error) { return tx.Details(explain+query, args...) })
			if !slices.ContainsFunc(plan, func(line string) bool { return strings.Contains(line, "odfix_unfinished_job") }) {
				t.Errorf("%s\n%s", query, strings.Join(plan, "\n"))
			}
		}
	})
}
