package projecttest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/engine"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/suite"
)

// TestDetectionOfABrittleCohort checks that seventy-three tests that need one test's state are
// found with that test's name, in far fewer processes than one per test.
func TestDetectionOfABrittleCohort(t *testing.T) {
	lang := Shell{Files: map[string]string{
		"a.sh": "test paints\nset colour=red\n",
		"b.sh": "test isRed\nwant colour=red\n",
	}}
	for f := range 6 {
		text := ""
		for i := range 12 {
			text += fmt.Sprintf("test isRed%d\nwant colour=red\n\n", i)
		}
		lang.Files[fmt.Sprintf("v%d.sh", f)] = text
	}
	j := job.Job{Version: job.Version, Kind: job.KindDetect, Dir: t.TempDir(), Out: t.TempDir(),
		Budget: time.Hour, Detect: &job.DetectOptions{Technique: "reverse"}}
	r := engine.Run(t.Context(), j, engine.Options{Languages: []project.Language{lang}, Version: "test",
		Log: zap.NewNop(), Progress: func(job.Event) {}})
	if r.Error != nil || r.Detection == nil {
		t.Fatalf("%+v", r.Error)
	}
	named := 0
	for _, x := range r.Tests {
		if x.Verdict == suite.Brittle && len(x.StateSetters) > 0 && slices.Equal(x.StateSetters[0], suite.Order{"a.sh paints"}) {
			named++
		}
	}
	if named != 73 || len(r.Detection.Cohorts) != 1 || r.Cost.Questions[suite.Fresh] > 36 {
		t.Errorf("%d of %d tests have the state-setter; %d cohorts after %v questions", named, len(r.Tests),
			len(r.Detection.Cohorts), r.Cost.Questions)
	}
}

// TestDetectionOfACohort checks that seventy-three victims of one polluter are found with its name
// and one proved patch, in far fewer processes than one per test. A resumed detection does not run
// them again.
func TestDetectionOfACohort(t *testing.T) {
	lang := Shell{Files: map[string]string{
		"a.sh": "test isBare\nwant colour=\n",
		"w.sh": "test washes\nunset colour\n",
		"z.sh": "test paints\nset colour=red\n",
	}}
	for f := range 6 {
		text := ""
		for i := range 12 {
			text += fmt.Sprintf("test isBare%d\nwant colour=\n\n", i)
		}
		lang.Files[fmt.Sprintf("v%d.sh", f)] = text
	}
	j := job.Job{Version: job.Version, Kind: job.KindDetect, Dir: t.TempDir(), Out: t.TempDir(),
		Budget: time.Hour, Detect: &job.DetectOptions{Fix: true, Technique: "class-first"}}
	first := 0
	for _, resume := range []bool{false, true} {
		j.Detect.Resume = resume
		r := engine.Run(t.Context(), j, engine.Options{Languages: []project.Language{lang}, Version: "test",
			Log: zap.NewNop(), Progress: func(job.Event) {}})
		if r.Error != nil || r.Detection == nil {
			t.Fatalf("%+v", r.Error)
		}
		named, fixed := 0, 0
		for _, x := range r.Tests {
			if x.Verdict == suite.Victim && len(x.Polluters) > 0 && slices.Equal(x.Polluters[0], suite.Order{"z.sh paints"}) {
				named++
			}
			if r.Proved(x.Test) != nil {
				fixed++
			}
		}
		if named != 73 || fixed != 73 || len(r.Detection.Cohorts) == 0 || len(r.Detection.Causes) != 1 {
			t.Errorf("of %d tests %d have the polluter and %d a patch; %d cohorts, %d causes; %v",
				len(r.Tests), named, fixed, len(r.Detection.Cohorts), len(r.Detection.Causes), r.Notes)
		}
		questions := r.Cost.Questions[suite.Fresh]
		t.Logf("resumed %v: %v questions", resume, r.Cost.Questions)
		if resume && 4*questions > 3*first || questions > 100 {
			t.Errorf("%d questions, and %d at first", questions, first)
		}
		first = questions
	}
}

// TestFixOfACohort: sixty victims of one polluter have one cause and one patch. Orders that most of
// them share show that they fail without the patch. verify runs these orders again. It proves no patch of
// a report that lists a test outside the shared order.
func TestFixOfACohort(t *testing.T) {
	files := map[string]string{"a.sh": "test paints\nset colour=red\n"}
	j := job.Job{Version: job.Version, Kind: job.KindFix, Dir: t.TempDir(),
		Order: &job.ObservedOrder{Source: "ci", Provenance: suite.Exact, Tests: []string{"a.sh paints"}}}
	for f := range 6 {
		file, text := fmt.Sprintf("v%d.sh", f), ""
		for i := range 10 {
			text += fmt.Sprintf("test isBare%d\nwant colour=\n\n", i)
			j.Tests = append(j.Tests, fmt.Sprintf("%s isBare%d", file, i))
		}
		files[file] = text
	}
	j.Order.Tests = append(j.Order.Tests, j.Tests...)
	r := engine.Run(t.Context(), j, options(observed(files), func(job.Event) {}))
	if r.Error != nil {
		t.Fatal(r.Error)
	}
	joint, own := 0, (*job.TestReport)(nil)
	for i := range r.Tests {
		x := &r.Tests[i]
		if x.Verdict != suite.Victim || !slices.Equal(x.Polluters[0], suite.Order{"a.sh paints"}) || r.Proved(x.Test) == nil {
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
	if shown := sharedChecks(verified(t, files, r, nil), own.Test); shown != 2*len(r.Cohorts) {
		t.Errorf("verify ran shared orders %d times, for %d cohorts", shown, len(r.Cohorts))
	}
	c := &r.Cohorts[0]
	c.Failing = slices.DeleteFunc(c.Failing, func(x suite.TestID) bool { return x == c.Tests[5] })
	again := verified(t, files, r, nil)
	if p := again.Tests[0].Patches[0]; p.Proof.Proved || !strings.Contains(fmt.Sprint(p.Proof.Checks), "is not in this order") {
		t.Errorf("a test is outside of the shared order: %+v", p.Proof)
	}
}

// sharedChecks is the number of the checks that hold in orders that many tests share, with the patch
// and without it.
func sharedChecks(r *job.Report, test suite.TestID) int {
	n := 0
	if p := r.Proved(test); p != nil {
		for _, c := range p.Proof.Checks {
			if c.OK && (c.Name == suite.CheckAllPass || c.Name == suite.CheckAllFail) {
				n++
			}
		}
	}
	return n
}
