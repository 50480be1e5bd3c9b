package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// TestVerifyChecksArguments checks that arguments of the report are used only if they are harmless,
// and that the output names the used ones.
func TestVerifyChecksArguments(t *testing.T) {
	report := func(args ...string) string {
		r := job.Report{Version: job.Version, Tool: "odfix test",
			Tests: []job.TestReport{{Test: "a.A#a", Verdict: suite.Victim, Patches: []job.Patch{{Diff: "x"}}}}}
		r.Project.BuildArgs = args
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for name, c := range map[string]struct {
		report string
		flags  []string
		want   []string
		status int
		says   string
	}{
		"harmless": {report("-Pfast", "-Dx=y"), nil, []string{"-Pfast", "-Dx=y"}, exitError,
			"Maven gets -Pfast -Dx=y, as in the report"},
		"overridden": {report("-s", "my settings.xml"), []string{"--build-arg", "-Pslow"},
			[]string{"-Pslow"}, exitError, "Maven gets -Pslow, instead of -s 'my settings.xml'"},
		"given the same": {report("-s", "a b"), []string{"--", "-s", "a b"}, []string{"-s", "a b"}, exitError, ""},
		"none requested": {report("-s", "x"), []string{"--no-report-args"}, nil, exitError, "Maven does not receive -s x"},
		"harmful": {report("-Pfast", "-s", "my settings.xml"), nil, nil, exitUsage,
			"--build-arg -Pfast --build-arg -s --build-arg 'my settings.xml'"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newWorkspace(t)
			path := d.write(t, "r.json", c.report)
			if got := d.run(t.Context(), append([]string{"verify", path, d.dir}, c.flags...)...); got != c.status {
				t.Errorf("status %d\n%s", got, &d.stderr)
			}
			if (d.asked == nil) != (c.status == exitUsage) {
				t.Fatalf("asked %+v", d.asked)
			}
			if d.asked != nil && !slices.Equal(d.asked.BuildArgs, c.want) {
				t.Errorf("Maven gets %q, want %q", d.asked.BuildArgs, c.want)
			}
			plain := strings.Join(strings.Fields(d.stdout.String()+d.stderr.String()), " ")
			wantIn(t, plain, c.says)
		})
	}
}
