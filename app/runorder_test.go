package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

func TestRunExitStatus(t *testing.T) {
	const p, f, s, u = suite.Pass, suite.Fail, suite.Skip, suite.Unresolved
	for name, c := range map[string]struct {
		outcomes []suite.Outcome // of a.A#0, a.A#1, …
		judged   []string
		want     int
	}{
		"all passed":                {[]suite.Outcome{p, p}, nil, runPassed},
		"skipped is no failure":     {[]suite.Outcome{p, s}, nil, runPassed},
		"but no proof either":       {[]suite.Outcome{p, s}, []string{"a.A#1"}, runUnresolved},
		"failed":                    {[]suite.Outcome{f, p}, nil, runFailed},
		"failed, not the judged":    {[]suite.Outcome{f, p}, []string{"A.1"}, runPassed},
		"judged failed":             {[]suite.Outcome{p, f}, []string{"a.A#1"}, runFailed},
		"no result beats a failure": {[]suite.Outcome{f, u}, nil, runUnresolved},
		"not in the order":          {[]suite.Outcome{p}, []string{"a.B#0"}, runError},
		"cut short":                 {[]suite.Outcome{p, ""}, nil, runUnresolved},
	} {
		t.Run(name, func(t *testing.T) {
			d := newWorkspace(t)
			var run suite.Run
			for i, o := range c.outcomes {
				id := suite.TestID("a.A#" + string(rune('0'+i)))
				run.Order = append(run.Order, id)
				if o != "" {
					run.Results = append(run.Results, suite.Result{Test: id, Outcome: o})
				}
			}
			d.report.Runs = []suite.Run{run}
			args := []string{"run", d.dir, "--order", d.write(t, "o.txt", "a.A#0\na.A#1\n")}
			for _, j := range c.judged {
				args = append(args, "--test", j)
			}
			if got := d.run(t.Context(), args...); got != c.want {
				t.Errorf("status %d, want %d\n%s%s", got, c.want, &d.stdout, &d.stderr)
			}
		})
	}
}

// TestEachFails: a command that claims that many tests fail is not satisfied by one of them.
func TestEachFails(t *testing.T) {
	const p, f, u = suite.Pass, suite.Fail, suite.Unresolved
	for name, c := range map[string]struct {
		outcomes []suite.Outcome
		tests    string
		want     int
	}{
		"each fails":          {[]suite.Outcome{p, f, f}, "a.A#1\na.A#2\n", runPassed},
		"one passes":          {[]suite.Outcome{p, f, p}, "a.A#1\r\na.A#2\r\n", runFailed},
		"one has no result":   {[]suite.Outcome{p, f, u}, "a.A#1\na.A#2", runUnresolved},
		"one is not there":    {[]suite.Outcome{p, f, f}, "a.A#1\na.A#7", runError},
		"a file of no tests":  {[]suite.Outcome{p, f, f}, "\n", exitUsage},
		"nothing is named":    {[]suite.Outcome{p, f, f}, "", exitUsage},
		"what is not a judge": {[]suite.Outcome{f, f, p}, "a.A#0", runPassed},
	} {
		t.Run(name, func(t *testing.T) {
			d := newWorkspace(t)
			var run suite.Run
			for i, o := range c.outcomes {
				id := suite.TestID("a.A#" + string(rune('0'+i)))
				run.Order, run.Results = append(run.Order, id), append(run.Results, suite.Result{Test: id, Outcome: o})
			}
			d.report.Runs = []suite.Run{run}
			args := []string{"run", d.dir, "--order", d.write(t, "o.txt", "a.A#0\na.A#1\na.A#2\n"), "--each-fails"}
			if c.tests != "" {
				args = append(args, "--tests", d.write(t, "t.txt", c.tests))
			}
			if got := d.run(t.Context(), args...); got != c.want {
				t.Errorf("status %d, want %d\n%s%s", got, c.want, &d.stdout, &d.stderr)
			}
		})
	}
}

func TestRunErrorIsNotAFailingTest(t *testing.T) {
	d := newWorkspace(t)
	d.report.Error = &job.Error{Code: "build-broken", Message: "broken"}
	if got := d.run(t.Context(), "run", d.dir, "--order", d.write(t, "o.txt", "a.A#0\n")); got != runError {
		t.Errorf("status %d", got)
	}
	wantIn(t, d.stdout.String()+d.stderr.String(), "broken")
}

func TestRunJob(t *testing.T) {
	d := newWorkspace(t)
	orders := d.write(t, "o.tsv", "a.A#x\ta.B#y(int, String)\r\n\na.C#z\n")
	d.run(t.Context(), "run", d.dir, "--orders", orders, "--patch", d.write(t, "p", "diff\xe9"))
	want := [][]string{{"a.A#x", "a.B#y(int, String)"}, {"a.C#z"}}
	if diff := cmp.Diff(want, d.asked.Orders); diff != "" || d.asked.Kind != job.KindRun || string(d.asked.Patch) != "diff\xe9" {
		t.Errorf("%+v %s", d.asked, diff)
	}
	d.run(t.Context(), "run", d.dir, "--order", d.write(t, "o.txt", "a.A#x\na.B#y\n"))
	if d.asked.Order == nil || len(d.asked.Order.Tests) != 2 || d.asked.Orders != nil {
		t.Errorf("%+v", d.asked)
	}
}
