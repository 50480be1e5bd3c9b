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
	"slices"
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

// unrecorded are the scenarios that run with Maven and the runner: one for each kind of job.
var unrecorded = []string{"victim", "new-polluter"}

// TestSandbox runs scenarios with Maven, git and the runner, and compares the posted texts with the
// golden files. With -record it runs all scenarios, and writes their recordings and golden files.
func TestSandbox(t *testing.T) {
	runner := &dispatch.Local{Runner: buildRunner(t)}
	for _, sc := range sandbox.Scenarios {
		t.Run(sc.Name, func(t *testing.T) {
			if !*record && !slices.Contains(unrecorded, sc.Name) {
				t.Skip("TestRecordedSandbox repeats a recording of this scenario")
			}
			if testing.Short() && sc.Name != "victim" {
				t.Skip("make test-all runs this scenario with Maven")
			}
			var d dispatch.Dispatcher = runner
			if *record {
				d = recording(t, runner, recordingOf(sc.Name))
			}
			golden(t, filepath.Join("testdata", "sandbox", sc.Name+".md"), posted(t, playScenario(t, d, sc.Name)))
		})
	}
}

// playScenario runs a scenario until it has settled as expected.
func playScenario(t *testing.T, d dispatch.Dispatcher, scenario string) sandbox.Result {
	t.Helper()
	code, b := playSandbox(t, d, "--scenario", scenario)
	if code != exitOK {
		t.Errorf("status %d", code)
	}
	var r sandbox.Result
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	if r.Scenario != scenario || !r.AsExpected || len(r.Phases) < 2 {
		t.Errorf("%s, as expected: %v %q, phases %v", r.Scenario, r.AsExpected, r.Unexpected, r.Phases)
	}
	return r
}

// playSandbox runs the command to its end, and checks that it leaves no files.
func playSandbox(t *testing.T, d dispatch.Dispatcher, args ...string) (int, []byte) {
	t.Helper()
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), append([]string{"sandbox", "--once", "--format", "json", "--verbose", "--budget", "10h"}, args...), world{
		stdout: &stdout, stderr: &stderr, getenv: func(string) string { return "" }, now: time.Now,
		runner: func(io.Writer) dispatch.Dispatcher { return d },
	})
	if code != exitOK {
		said := stderr.String()
		t.Logf("status %d\n%s", code, said[max(0, len(said)-8000):])
	}
	left, err := filepath.Glob(filepath.Join(temporary, "odfix-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("still there: %q %v", left, err)
	}
	return code, stdout.Bytes()
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update || *record {
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

// posted returns everything that odfix posted, in its order on the pull request.
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
		fmt.Fprintf(&b, "REVIEW COMMENT by %s on %s %s %d-%d\n\n%s\n\n", k.GetUser().GetLogin(),
			k.GetSubjectType(), k.GetPath(), k.GetStartLine(), k.GetLine(), k.GetBody())
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
	fmt.Fprintf(b, "%s %s %s: %s\n\n%s\n\n-- text --\n%s\n\n", kind, c.GetStatus(), c.GetConclusion(),
		c.GetOutput().GetTitle(), c.GetOutput().GetSummary(), c.GetOutput().GetText())
}

var (
	marker   = regexp.MustCompile(`<!-- odfix[^>]*-->`)
	host     = regexp.MustCompile(`http://localhost:\d+/`)
	runID    = regexp.MustCompile(`/runs/\d+`)
	shortSHA = regexp.MustCompile("`[0-9a-f]{10}`")
	cost     = regexp.MustCompile(`(?m)^odfix ran \d+ orders? .*$`)
)

// named replaces values that differ from run to run by names: commits, ports, ids of the stand-in,
// and costs of the search. Everything else must stay equal.
func named(text string, r sandbox.Result) string {
	for i, sha := range commits(r) {
		text = strings.ReplaceAll(text, sha, "HEAD"+strconv.Itoa(i+1))
		text = strings.ReplaceAll(text, sha[:10], "HEAD"+strconv.Itoa(i+1))
	}
	text = marker.ReplaceAllString(text, "<!-- marker -->")
	text = host.ReplaceAllString(text, "https://github.example/")
	text = runID.ReplaceAllString(text, "/runs/ID")
	text = shortSHA.ReplaceAllString(text, "`MERGE`")
	return cost.ReplaceAllString(text, "COST")
}

// commits returns the heads that odfix can name.
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
