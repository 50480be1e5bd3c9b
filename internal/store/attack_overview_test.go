package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/store"
)

// TestAttackLongReasons: reasons are what runners and builds say. An overview has the newest
// investigations whose reasons fit.
func TestAttackLongReasons(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		for n := range 300 {
			i := b.open(int64(n+1), fmt.Sprintf("sha%d", n))
			b.do(func(tx *store.Tx) error {
				_, err := tx.Move(i.ID, store.Change{To: store.Cancelled, Reason: strings.Repeat("x", 8<<10)})
				return err
			})
			b.add(time.Minute)
		}
		got := get(b, func(tx *store.Tx) (store.Overview, error) { return tx.Overview(9, []int64{1}, time.UnixMicro(1)) })
		size := 0
		for _, i := range got.Investigations {
			size += len(i.Reason)
		}
		if !got.More || size == 0 || size > 2<<20 || got.Investigations[0].HeadSHA != "sha299" {
			t.Errorf("more %v, %d investigations, %d bytes of reasons", got.More, len(got.Investigations), size)
		}
	})
}
