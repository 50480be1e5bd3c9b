package investigate

import (
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
	})
	var ids []int64
	for _, r := range got {
		ids = append(ids, r.ID)
	}
	if len(ids) != 6 || ids[0] != 7 || ids[1] != 6 || ids[2] != 5 || ids[3] != 4 || ids[4] != 3 || ids[5] != 2 {
		t.Errorf("%v", ids)
	}
}
