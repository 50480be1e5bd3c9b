package investigate

import (
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/github"
)

func TestRelevantRuns(t *testing.T) {
	run := func(id int64, path, event, status, conclusion string) github.Run {
		return github.Run{ID: id, Path: path, Event: event, Status: status, Conclusion: conclusion}
	}
	got := relevant([]github.Run{
		run(1, "a", "push", "completed", "success"), // there is a newer one
		run(2, "a", "pull_request", "completed", "success"),
		run(3, "a", "push", "completed", "cancelled"),
		run(4, "b", "push", "completed", "success"),
		run(5, "c", "push", "completed", "failure"), // newer ones do not hide it
		run(6, "c", "push", "in_progress", ""),      // nor this one
		run(7, "c", "push", "completed", "success"),
		run(8, "d", "push", "completed", "failure"), // the first that failed
		run(9, "d", "push", "completed", "failure"),
		run(10, "d", "push", "completed", "failure"), // the last
	})
	var ids []int64
	for _, r := range got {
		ids = append(ids, r.ID)
	}
	if want := []int64{2, 3, 4, 5, 6, 7, 8, 10}; !slices.Equal(ids, want) {
		t.Errorf("%v, want %v", ids, want)
	}
}
