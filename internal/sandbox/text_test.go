package sandbox

import (
	"strings"
	"testing"

	gh "github.com/google/go-github/v60/github"

	"github.com/odfix/odfix/internal/githubtest"
)

const posted = "<!-- odfix: x -->\n**`A#b` fails only because `C#d` ran before it.** The change below fixes " +
	"that.\n\n```suggestion\nclass A {\n    int c;\n```\n\n" +
	"<details>\n<summary>By hand</summary>\n\n````sh\n```\n+ mvn\n````\n\n</details>\n\x1b[2J\u202eend\n"

const shown = `
Title #1
dev wants to merge 0 commits from acme:topic into main

  ◼ odfix neutral Order-dependent
      Some bold words in a summary that is
      too long for a line.
      A.java:3 notice
        odd: a message of some length,
        also too long
  ✗ test failure

On the earlier commit 0123456789:
  ⊘ odfix cancelled Superseded by a newer push

┌ odfix[bot] commented on A.java, lines 1 to 2
│
│  ` + "`A#b`" + ` fails only because ` + "`C#d`" + ` ran
│  before it. The change below fixes that.
│
│  suggested change:
│    class A {
│  -     int b;
│  +     int c;
│
│  ▾ By hand
│
│  ` + "````sh\n│  ```\n│  + mvn\n│  ````" + `
│
│  [2Jend
└
`

func TestShow(t *testing.T) {
	o := func(pairs ...any) githubtest.Object {
		out := githubtest.Object{}
		for i := 0; i < len(pairs); i += 2 {
			out[pairs[i].(string)] = pairs[i+1]
		}
		return out
	}
	r := Result{State: githubtest.State{
		Pull: o("number", 1, "title", "Ti\x1btle", "user", o("login", "dev"), "head", o("label", "acme:topic"), "base", o("ref", "main")),
		Checks: []githubtest.Object{
			o("id", 7, "name", "odfix", "conclusion", "neutral", "app", o("slug", "odfix"), "output",
				o("title", "Order-dependent", "summary", "Some **bold words** in a summary that is too long for a line.")),
			o("name", "test", "conclusion", "failure", "app", o("slug", "github-actions")),
		},
		Inline: []githubtest.Object{o("user", o("login", bot), "path", "A.java", "start_line", 1, "line",
			2, "original_start_line", 1, "original_line", 2,
			"diff_hunk", "@@ -0,0 +1,3 @@\n+class A {\n+    int b;", "body", posted)},
	}, Earlier: []githubtest.Object{
		o("name", "odfix", "head_sha", "0123456789abcdef", "conclusion", "cancelled", "app", o("slug", "odfix"),
			"output", o("title", "Superseded by a newer push")),
	}, Annotations: []githubtest.Object{
		o("check_run_id", 7, "path", "A.java", "start_line", 3, "annotation_level", "notice", "title",
			"o\x1bdd", "message", "a message of some length, also too long"),
		o("check_run_id", 8, "path", "B.java", "start_line", 1, "annotation_level", "notice", "title",
			"of another check", "message", "not shown"),
	}}
	var b strings.Builder
	if err := r.Show(&b, Style{Width: 42}); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); got != shown {
		t.Errorf("%s\n%q", got, got)
	}
	b.Reset()
	if err := r.Show(&b, Style{Color: true}); err != nil || !strings.Contains(b.String(), "\x1b[32m+     int c;\x1b[0m") ||
		strings.Contains(b.String(), "\x1b[2J") {
		t.Errorf("%v %q", err, b.String())
	}
}

func TestJudge(t *testing.T) {
	for name, c := range map[string]struct {
		e    expectation
		s    written
		want string
	}{
		"nothing": {expectation{title: "x"}, written{}, "the head has 0 checks of odfix, where 1 is expected"},
		"a comment too many": {expectation{}, written{suggestions: 1, inline: []*gh.PullRequestComment{{}}},
			"the head has 0 checks of odfix, where 1 is expected; there is 1 suggestion to accept, where 0 is expected"},
		"an old check that goes on": {expectation{free: true}, written{}, "the head has 0 checks of odfix, where 1 is expected"},
		"nobody cancelled": {expectation{cancelled: true}, written{},
			`the head has 0 checks of odfix, where 1 is expected; the older commit's checks are [], where one is expected, cancelled`},
	} {
		if got := strings.Join(c.e.differences(c.s), "; "); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}
