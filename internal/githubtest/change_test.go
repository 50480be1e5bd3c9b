package githubtest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-github/v60/github"
	"github.com/odfix/odfix/internal/githubtest"
)

func TestSuggestedChange(t *testing.T) {
	const hunk = "@@ -1,4 +3,5 @@ class A\n one\n-gone\n+two\n three\n+four\n\\ No newline at end of file"
	for name, c := range map[string]struct {
		start, line int
		body, want  string
	}{
		"a line":                    {0, 4, "x\n```suggestion\nTWO\n```", "-two +TWO"},
		"several, one of them kept": {4, 6, "```suggestion\ntwo\nthree and a half\nfour\n```", " two -three +three and a half  four"},
		"removed":                   {0, 4, "```suggestion\n```", "-two"},
		"an empty line instead":     {0, 4, "```suggestion\n\n```", "-two +"},
		"the same":                  {0, 3, "```suggestion\none\n```", " one"},
		"beyond the hunk":           {0, 30, "```suggestion\nx\n```", "+x"},
		"no suggestion":             {0, 4, "```diff\n+x\n```", ""},
	} {
		var got []string
		for _, l := range githubtest.SuggestedChange(hunk, c.start, c.line, c.body) {
			got = append(got, string(l.Sign)+l.Text)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %q, want %q", name, s, c.want)
		}
	}
	if got := githubtest.SuggestedChange("no hunk", 1, 2, "```suggestion\nx\n```"); len(got) != 1 {
		t.Errorf("%v", got)
	}
}

// TestCommitsOfAPullRequest: those made of folders, with their modes, and each head's checks.
func TestCommitsOfAPullRequest(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	dir := t.TempDir()
	w.must(os.WriteFile(filepath.Join(dir, "run.sh"), []byte("#!/bin/sh\n"), 0o755))
	_, err := w.repo.CommitDir(w.ctx, w.dev, "folder", "Take a folder", dir)
	w.must(err)
	same, err := w.repo.CommitDir(w.ctx, w.dev, "folder", "Take it again", dir)
	w.must(err)
	p, err := w.repo.OpenPullRequest(w.ctx, githubtest.PullSpec{Author: w.dev, Title: "x", Branch: "folder"})
	w.must(err)
	_, _, err = w.gh.Checks.CreateCheckRun(w.ctx, "acme", "demo",
		github.CreateCheckRunOptions{Name: "odfix", HeadSHA: same, Output: &github.CheckRunOutput{
			Title: github.String("t"), Summary: github.String("s"), Annotations: []*github.CheckRunAnnotation{{
				Path: github.String("run.sh"), StartLine: github.Int(1), EndLine: github.Int(1), AnnotationLevel: github.String("failure"),
				Message: github.String("it broke")}}}})
	w.must(err)
	later, err := p.Push(w.ctx, "Later", githubtest.Change{Files: map[string]string{"a": "b"}})
	w.must(err)
	list, err := p.Commits(w.ctx)
	w.must(err)
	var said []string
	for _, c := range list {
		said = append(said, c.Author+": "+c.Message)
	}
	if got := strings.Join(said, "; "); got != "dev: Take a folder; dev: Take it again; dev: Later" {
		t.Error(got)
	}
	if heads := p.Heads(); len(heads) != 2 || heads[0] != same || heads[1] != later {
		t.Errorf("%v", heads)
	}
	old := w.repo.Checks(same)
	if len(old) != 1 || len(w.repo.Checks(later)) != 0 {
		t.Fatalf("%v", old)
	}
	notes, err := githubtest.As[[]githubtest.Object](old[0]["annotations"])
	if err != nil || len(notes) != 1 || notes[0]["message"] != "it broke" {
		t.Errorf("%v %v", notes, err)
	}
	out := t.TempDir()
	w.must(w.repo.Checkout(w.ctx, same, out))
	files, err := os.ReadDir(out)
	w.must(err)
	info, err := os.Stat(filepath.Join(out, "run.sh"))
	if err != nil || len(files) != 1 || info.Mode()&0o100 == 0 {
		t.Errorf("%v %v %v", files, info, err)
	}
}
