//go:build sandbox

package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	gh "github.com/google/go-github/v60/github"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/sandbox"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestSandbox plays every scenario with real Maven, real git and the real
// runner, and holds what is posted against testdata/sandbox.
func TestSandbox(t *testing.T) {
	runner := buildRunner(t)
	for _, sc := range sandbox.Scenarios {
		t.Run(sc.Name, func(t *testing.T) {
			onlyShort(t, sc.Name, "victim")
			r := playScenario(t, runner, sc.Name)
			if r.Scenario != sc.Name || !r.AsExpected || len(r.Phases) < 2 {
				t.Errorf("%s, as expected: %v %q, phases %v", r.Scenario, r.AsExpected, r.Unexpected, r.Phases)
			}
			golden(t, filepath.Join("testdata", "sandbox", sc.Name+".md"), posted(t, r))
		})
	}
}

// playScenario plays a scenario until it has settled. A test that rolls dice can fail
// in all of an investigation's runs, or in none: once in some hundred times, and
// then it is played once more.
func playScenario(t *testing.T, runner, scenario string) sandbox.Result {
	t.Helper()
	code, b := playSandbox(t, runner, "--scenario", scenario)
	if scenario == "flaky" && code == exitOtherwise {
		code, b = playSandbox(t, runner, "--scenario", scenario)
	}
	if code != exitOK {
		t.Errorf("status %d", code)
	}
	var r sandbox.Result
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// playSandbox runs the command to its end; it leaves nothing behind.
func playSandbox(t *testing.T, runner string, args ...string) (int, []byte) {
	t.Helper()
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), append([]string{"sandbox", "--once", "--format", "json", "--verbose", "--budget", "10h"}, args...), world{
		stdout: &stdout, stderr: &stderr, getenv: func(string) string { return "" }, now: time.Now,
		runner: func(log io.Writer) dispatch.Dispatcher { return &dispatch.Local{Runner: runner, Log: log} },
	})
	if code != exitOK {
		said := stderr.String()
		t.Logf("status %d\n%s", code, said[max(0, len(said)-8000):])
	}
	left, err := filepath.Glob(filepath.Join(temporary, "odfix-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %q %v", left, err)
	}
	return code, stdout.Bytes()
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Errorf("%s is otherwise; -update writes it anew:\n%s", file, got)
	}
}

// posted is everything odfix posted, in the order in which it stands on the
// pull request, with what differs from time to time named instead.
func posted(t *testing.T, r sandbox.Result) string {
	t.Helper()
	var b strings.Builder
	for _, c := range as[[]*gh.CheckRun](t, r.Earlier) {
		if c.GetApp().GetSlug() == "odfix" {
			writeCheck(&b, "EARLIER CHECK", c)
		}
	}
	for _, c := range as[[]*gh.CheckRun](t, r.Checks) {
		if c.GetApp().GetSlug() == "odfix" {
			writeCheck(&b, "CHECK", c)
		}
	}
	for _, a := range r.Annotations {
		fmt.Fprintf(&b, "ANNOTATION %v %v:%v %v\n\n%v\n\n", a["annotation_level"], a["path"], a["start_line"], a["title"], a["message"])
	}
	for _, k := range as[[]*gh.PullRequestComment](t, r.Inline) {
		fmt.Fprintf(&b, "REVIEW COMMENT by %s on %s %s %d-%d\n\n%s\n\n", k.GetUser().GetLogin(), k.GetSubjectType(), k.GetPath(), k.GetStartLine(), k.GetLine(), k.GetBody())
	}
	for _, k := range as[[]*gh.IssueComment](t, r.Comments) {
		fmt.Fprintf(&b, "COMMENT by %s\n\n%s\n\n", k.GetUser().GetLogin(), k.GetBody())
	}
	return named(b.String(), r)
}

func as[T any](t *testing.T, from any) T {
	t.Helper()
	out, err := githubtest.As[T](from)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func writeCheck(b *strings.Builder, kind string, c *gh.CheckRun) {
	fmt.Fprintf(b, "%s %s %s: %s\n\n%s\n\n-- text --\n%s\n\n", kind, c.GetStatus(), c.GetConclusion(), c.GetOutput().GetTitle(), c.GetOutput().GetSummary(), c.GetOutput().GetText())
}

var (
	marker   = regexp.MustCompile(`<!-- odfix[^>]*-->`)
	host     = regexp.MustCompile(`http://localhost:\d+/`)
	runID    = regexp.MustCompile(`/runs/\d+`)
	shortSHA = regexp.MustCompile("`[0-9a-f]{10}`")
	dice     = regexp.MustCompile("(?s)(### [^\n]+: flaky, not because of the order)\n.*?\nCOST\n")
	cost     = regexp.MustCompile(`(?m)^\d+ orders? run .*$`)
)

// named puts names in the place of what cannot be the same twice: commits,
// ports, ids that the stand-in gave, what the search took, and how dice fell. All
// else must be as it was.
func named(text string, r sandbox.Result) string {
	for i, sha := range commits(r) {
		text = strings.ReplaceAll(text, sha, "HEAD"+strconv.Itoa(i+1))
		text = strings.ReplaceAll(text, sha[:10], "HEAD"+strconv.Itoa(i+1))
	}
	text = marker.ReplaceAllString(text, "<!-- marker -->")
	text = host.ReplaceAllString(text, "https://github.example/")
	text = runID.ReplaceAllString(text, "/runs/ID")
	text = shortSHA.ReplaceAllString(text, "`MERGE`")
	text = cost.ReplaceAllString(text, "COST")
	return dice.ReplaceAllString(text, "$1\n\nDICE\n\nCOST\n")
}

// commits are the heads that odfix can name.
func commits(r sandbox.Result) []string {
	head, _ := r.Pull["head"].(map[string]any)
	sha, _ := head["sha"].(string)
	out := []string{sha}
	for _, c := range r.Earlier {
		if s, _ := c["head_sha"].(string); s != "" && s != out[len(out)-1] {
			out = append(out, s)
		}
	}
	return out
}
