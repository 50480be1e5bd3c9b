package projecttest

import (
	"fmt"
	"slices"
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
