package main

import (
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/job"
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
		"fix a.B#c":                   {"no folder a.B#c", "--test 'a.B#c'"},
		"fix --budget 10":             {`--budget is "10"`, "such as 90s or 10m"},
		"fix --budget 0s":             {"--budget is 0s", "more than 0s"},
		"fix --test-timeout 0s":       {"--test-timeout is 0s", "such as 30s"},
		"fix --parallel x":            {`--parallel is "x"`, "whole number"},
		"fix --parallel -1":           {"--parallel is -1", "from 1 to 512; without the flag, one process per core"},
		"fix --parallel 0":            {"--parallel is 0", "from 1 to 512"},
		"fix --rerun 0":               {"--rerun is 0", "from 1 to 100; without the flag, odfix chooses"},
		"fix --rerun 101":             {"--rerun is 101", "from 1 to 100"},
		"fix --java-home /nope":       {"--java-home: there is no folder /nope", "bin/java"},
		"fix --place nowhere":         {`--place is "nowhere"`, "any, polluter-teardown, victim-setup, victim-start"},
		"detect --place victim-setup": {"without --fix", "Add --fix"},
		"fix --apply=maybe":           {`--apply is "maybe", which is neither true nor false`, "--apply=false"},
		"fxi":                         {`no command "fxi"`, "Did you mean odfix fix?"},
		"zzz":                         {`no command "zzz"`, "odfix --help"},
		"config chekc":                {`no command "config chekc"`, "Did you mean odfix config check?"},
		"config zzz":                  {`no command "config zzz"`, "odfix config --help"},
		"help nope":                   {`no command "nope"`, "odfix --help"},
		"help config nope":            {`no command "config nope"`, "odfix config --help"},
		"run":                         {"which order?", "--order FILE"},
		"fix --tests x":               {"odfix fix has no flag --tests", "Did you mean --test?", "odfix fix --help"},
		"fix --tset x":                {"odfix fix has no flag --tset", "Did you mean --test?"},
		"detect --java_home x":        {"has no flag --java_home", "Did you mean --java-home?"},
		"config check --organizton":   {"odfix config check has no flag", "Did you mean --organisation?"},
		"fix --zzzzzzz":               {"odfix fix has no flag --zzzzzzz", "odfix fix --help"},
		"fix -x":                      {"odfix fix has no flag -x", "odfix fix --help"},
		"fix --budget":                {"--budget needs a value", "odfix fix --help"},
		"verify nope.json":            {"odfix: there is no file nope.json\n", "report.json that odfix fix has written"},
		"verify --rerun -2":           {"report.json"},
	} {
		if got := d.run(t.Context(), strings.Fields(line)...); got != exitUsage {
			t.Errorf("%s: status %d", line, got)
		}
		wantIn(t, d.stderr.String(), parts...)
	}
}

func TestHelpOfACommand(t *testing.T) {
	d := newWorkspace(t)
	for line, want := range map[string]string{"help": "Available Commands", "help fix": "--apply", "help config check": "--organisation"} {
		if got := d.run(t.Context(), strings.Fields(line)...); got != exitOK {
			t.Errorf("%s: status %d", line, got)
		}
		wantIn(t, d.stdout.String(), want)
	}
}

func TestCompletionOfValues(t *testing.T) {
	d := newWorkspace(t)
	for line, want := range map[string][]string{
		"fix --technique": {"helper", "reflection"}, "detect --technique": {"auto", "pair-cover"}, "orders --technique": {"pair-cover"},
		"fix --place": {"victim-setup", "any"}, "fix --build-tool": {"maven", "gradle"}, "run --framework": {"jest", "junit"}, "pollution --class-loading": {"lazy"},
		"report --format": {"sarif", "markdown"}, "pollution --format": {"json"}, "orders --format": {"lines"}, "orders --as": {"surefire"},
	} {
		if got := d.run(t.Context(), append(append([]string{"__complete"}, strings.Fields(line)...), "")...); got != exitOK {
			t.Errorf("%s: status %d", line, got)
		}
		for _, w := range want {
			wantIn(t, d.stdout.String(), w+"\n")
		}
	}
}

// TestFailedPollutionNamesNoReport: there is nothing in it that the message does not say.
func TestFailedPollutionNamesNoReport(t *testing.T) {
	d := newWorkspace(t)
	d.report.Error = &job.Error{Code: "build-broken", Message: "the build is broken"}
	if got := d.run(t.Context(), "pollution", d.dir); got != exitError {
		t.Errorf("status %d", got)
	}
	wantNotIn(t, d.stdout.String(), "Report:")
}

// TestCompletionOfTheProject: tests come from the reports of the last run, modules from folders.
func TestCompletionOfTheProject(t *testing.T) {
	d := newWorkspace(t)
	for _, name := range []string{"pom.xml", "web/shop/pom.xml", "web/ui/package.json", "web/ui/node_modules/x/package.json", "a/target/pom.xml"} {
		d.write(t, name, "<project/>")
	}
	d.write(t, "web/shop/target/surefire-reports/TEST-a.ATest.xml", redReport)
	for begun, want := range map[string]string{
		"--test=":        "a.ATest\na.ATest#bad\na.ATest#good\n",
		"--test=AT":      "ATest\nATest#bad\nATest#good\n",
		"--test=b":       "",
		"--module=":      "web/shop\nweb/ui\n",
		"--module=web/u": "web/ui\n",
	} {
		if got := d.run(t.Context(), "__complete", "fix", d.dir, begun); got != exitOK {
			t.Errorf("%s: status %d", begun, got)
		}
		if got, _, _ := strings.Cut(d.stdout.String(), ":"); got != want {
			t.Errorf("%s: %q, want %q", begun, got, want)
		}
	}
}
