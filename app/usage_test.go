package main

import (
	"strings"
	"testing"
)

func TestUsageErrors(t *testing.T) {
	d := newWorkspace(t)
	file := d.write(t, "file", "x")
	plain := d.write(t, "plain.txt", "a.B#c\na.B#d\n")
	for _, args := range [][]string{
		{"fix", "--nonsense"}, {"nonsense"}, {"fix", "a", "b"}, {"fix", "a.B#c", d.dir}, {"fix", file},
		{"fix", d.dir + "/nothing"}, {"fix", d.dir, "--budget", "soon"}, {"fix", d.dir, "--budget", "-1s"},
		{"fix", d.dir, "--format", "xml"}, {"fix", d.dir, "--rerun", "-1"}, {"fix", d.dir, "--parallel", "-1"},
		{"fix", d.dir, "--java-home", file}, {"fix", d.dir, "--order", d.dir + "/nothing"},
		{"fix", d.dir, "--order", plain}, {"run", d.dir}, {"run", d.dir, "--order", plain, "--orders", plain},
		{"run", d.dir, "--orders", d.dir + "/nothing"}, {"run", d.dir, "--order", plain, "--patch", "nothing"},
		{"verify"}, {"verify", "nothing"}, {"verify", file}, {"version", "x"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			if got := d.run(t.Context(), args...); got != exitUsage {
				t.Errorf("status %d", got)
			}
			if d.asked != nil || d.stdout.Len() > 0 {
				t.Errorf("job %v, printed %s", d.asked, &d.stdout)
			}
			wantIn(t, d.stderr.String(), "odfix: ", "\n→ ")
		})
	}
}

// TestUsageErrorsHelp checks that common mistakes are answered with the right command.
func TestUsageErrorsHelp(t *testing.T) {
	d := newWorkspace(t)
	for line, parts := range map[string][]string{
		"fix a.B#c":         {"no folder a.B#c", "--test 'a.B#c'"},
		"fix --budget 10":   {`--budget is "10"`, "such as 90s or 10m"},
		"fix --parallel x":  {`--parallel is "x"`, "whole number"},
		"fxi":               {`no command "fxi"`, "Did you mean odfix fix?"},
		"zzz":               {`no command "zzz"`, "--help"},
		"run":               {"which order?", "--order FILE"},
		"fix --tests x":     {"--tests", "odfix fix --help"},
		"verify --rerun -2": {"report.json"},
	} {
		if got := d.run(t.Context(), strings.Fields(line)...); got != exitUsage {
			t.Errorf("%s: status %d", line, got)
		}
		wantIn(t, d.stderr.String(), parts...)
	}
}
