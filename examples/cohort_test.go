package examples_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/odfix/odfix/examples"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// TestCohortOfVictims: sixty victims of one polluter have one cause and one patch. Orders that most
// of them share show their failures. Commands of the proof show that each test fails without the
// patch. verify runs these orders again. It rejects a report that lists a test outside the shared
// order.
func TestCohortOfVictims(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs three investigations of sixty tests")
	}
	t.Parallel()
	ex, err := examples.One("two-victims")
	if err != nil {
		t.Fatal(err)
	}
	dir, out := checkout(t, ex), filepath.Join(t.TempDir(), "out")
	polluter := ex.Findings[0].Polluters[0][0]
	order, line := polluter+"\n", "odfix fix --budget 10h --format json --out '"+out+"' --order cohort.txt"
	for c := range 6 {
		class := fmt.Sprintf("Crowd%dTest", c)
		text := "package com.example.tenant;\n\nimport static org.junit.jupiter.api.Assertions.assertEquals;\n\n" +
			"import org.junit.jupiter.api.Test;\n\nclass " + class + " {\n"
		for m := range 10 {
			text += fmt.Sprintf("\n    @Test\n    void key%d() {\n"+
				"        assertEquals(\"public:%d\", Paths.cacheKey(\"%d\"));\n    }\n", m, m, m)
			id := fmt.Sprintf("com.example.tenant.%s#key%d", class, m)
			order += id + "\n"
			line += " --test '" + id + "'"
		}
		write(t, filepath.Join(dir, "src/test/java/com/example/tenant", class+".java"), text+"}\n")
	}
	write(t, filepath.Join(dir, "cohort.txt"), order)
	sh(t, dir, line)
	r := readReport(t, out)
	joint, own := 0, (*job.TestReport)(nil)
	for i := range r.Tests {
		x := &r.Tests[i]
		if x.Verdict != suite.Victim || !slices.Equal(x.Polluters[0], suite.Order{suite.TestID(polluter)}) || r.Proved(x.Test) == nil {
			t.Errorf("%s is %s of %v", x.Test, x.Verdict, x.Polluters)
		}
		switch {
		case r.Joint(x):
			joint++
		case len(x.MinimalOrder) != 2 || len(x.Patches) == 0:
			t.Errorf("%s: %v, %d patches", x.Test, x.MinimalOrder, len(x.Patches))
		case own == nil:
			own = x
		}
	}
	// Seventeen tests are diagnosed in orders of their own.
	if len(r.Tests) != 60 || joint < 40 || own == nil || len(r.Cohorts) != 2 {
		t.Fatalf("%d of %d tests share orders, in %d cohorts", joint, len(r.Tests), len(r.Cohorts))
	}
	if n := r.Cost.Questions[suite.Fresh]; n > 200 {
		t.Errorf("%d fresh processes for %d tests of one cause", n, len(r.Tests))
	}
	for _, cmd := range own.Patches[0].Proof.Commands {
		if len(cmd.Line) > 1500 {
			t.Errorf("%d characters to paste", len(cmd.Line))
		}
		if !strings.Contains(cmd.What, "many tests share") {
			continue // other tests run the other commands
		}
		if status, text := shell(t, filepath.Join(dir, cmd.Dir), cmd.Line); status != cmd.Exit {
			t.Errorf("%s\nexit %d, want %d\n%s", cmd.Line, status, cmd.Exit, text)
		}
	}
	again := t.TempDir()
	sh(t, dir, "odfix verify --budget 10h --rerun 1 '"+out+"/report.json' --out '"+again+"'")
	p := readAnswer(t, filepath.Join(again, "verify.json")).Proved(own.Test)
	if p == nil {
		t.Fatal("verify does not prove the patch")
	}
	shown := 0 // results for the orders that they share, with the patch and without
	for _, c := range p.Proof.Checks {
		if strings.Contains(c.Name, "many tests share") && c.OK {
			shown++
		}
	}
	if shown != 2*len(r.Cohorts) {
		t.Errorf("verify ran shared orders %d times, for %d cohorts", shown, len(r.Cohorts))
	}
	t.Run("made up", func(t *testing.T) {
		c := &r.Cohorts[0]
		c.Failing = slices.DeleteFunc(c.Failing, func(x suite.TestID) bool { return x == c.Tests[5] })
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "report.json")
		write(t, file, string(text))
		status, said := shell(t, dir, "odfix verify --budget 10h --rerun 1 '"+file+"' --out '"+t.TempDir()+"'")
		if plain := strings.Join(strings.Fields(said), " "); status != 3 || !strings.Contains(plain, "is not in this order") {
			t.Errorf("exit %d: %s", status, said)
		}
	})
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
