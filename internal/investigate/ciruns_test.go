package investigate

import (
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/github"
)

func TestRelevantRuns(t *testing.T) {
	run := func(id int64, path, event, status, conclusion string) github.Run {
		return github.Run{ID: id, Path: path, Event: event, Status: status, Conclusion: conclusion, Branch: "topic"}
	}
	of := func(r github.Run, branch string, actor int64) github.Run {
		r.Branch, r.Actor.ID = branch, actor
		return r
	}
	// Its branch is "topic".
	got := relevant([]github.Run{
		run(1, "a", "push", "completed", "success"), // there is a newer one
		run(2, "a", "pull_request", "completed", "success"),
		run(3, "a", "push", "completed", "cancelled"),
		run(4, "b", "push", "completed", "success"),
		run(5, "c", "push", "completed", "failure"), // newer ones do not hide it
		run(6, "c", "push", "in_progress", ""),      // nor this one
		run(7, "c", "push", "completed", "success"),
		run(8, "d", "push", "completed", "failure"),
		run(9, "d", "push", "completed", "failure"),
		run(10, "d", "push", "completed", "failure"),
		of(run(11, "b", "push", "completed", "success"), "topic", 1),   // says nothing about 4
		of(run(12, "b", "push", "completed", "failure"), "another", 0), // there are some of the own branch
		of(run(13, "e", "push", "completed", "failure"), "another", 0),
	}, &github.Pull{HeadRef: "topic"})
	var ids []int64
	for _, r := range got {
		ids = append(ids, r.ID)
	}
	if want := []int64{2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13}; !slices.Equal(ids, want) {
		t.Errorf("%v, want %v", ids, want)
	}
}

func TestOriginOfRuns(t *testing.T) {
	p := &github.Pull{HeadRef: "topic", HeadRepository: 7}
	p.Author.ID = 1
	run := func(branch string, repository, actor int64) (r github.Run) {
		r.Branch, r.HeadRepository.ID, r.Actor.ID = branch, repository, actor
		return r
	}
	for r, want := range map[github.Run]origin{
		run("topic", 7, 1): ofAuthor,
		run("topic", 7, 2): ofBranch,
		run("topic", 8, 1): elsewhere,
		run("other", 7, 1): elsewhere,
		{}:                 elsewhere,
	} {
		if got := originOf(r, p); got != want {
			t.Errorf("%+v: %d, want %d", r, got, want)
		}
	}
}
