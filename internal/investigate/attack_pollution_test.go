package investigate

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/job"
)

// TestAttackManySearches: the many searches of one installation do not come before the first one of
// another.
func TestAttackManySearches(t *testing.T) {
	const many = 8
	d := &leaver{}
	h := pollutionHub(t, d, annotating, nil)
	author := h.AddUser("a")
	org := h.AddOrganization("other", author)
	repo, err := h.AddRepository(h.Ctx, githubtest.RepositorySpec{Owner: org, Name: "x", Private: true, Dir: t.TempDir()})
	h.Must(err)
	repo.SetRole(author, "write")
	h.App.Install(org)
	_, err = repo.Commit(h.Ctx, author, "main", "Begin", githubtest.Change{Files: map[string]string{
		".odfix.yml": "version: 1\n" + annotating + "\n", "pom.xml": "<project/>"}})
	h.Must(err)
	for i := range many {
		_, err := repo.OpenPullRequest(h.Ctx, githubtest.PullSpec{Author: author, Title: "x", Branch: fmt.Sprint("b", i),
			Change: githubtest.Change{Files: map[string]string{fmt.Sprintf("src/test/java/shop/N%dTest.java", i): loud}}})
		h.Must(err)
	}
	h.Must(h.Drain(h.Ctx))
	for len(d.jobs()) == 0 && h.step() { // the first one runs
	}
	h.change(h.Dev, nil, githubtest.Change{Files: map[string]string{newTest: loud}})
	h.settle()
	jobs := d.jobs()
	if n := slices.IndexFunc(jobs, func(j job.Job) bool { return j.Source.Repository == h.Repo.ID }); n != 1 || len(jobs) != many+1 {
		t.Errorf("the other's search is number %d of %d", n+1, len(jobs))
	}
	if now := h.now().Add(time.Hour); h.s.searches.count(h.Inst.ID, now) != 0 {
		t.Error("an hour later it still counts")
	}
}
