package projecttest

import (
	"slices"
	"testing"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/engine"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/suite"
)

// colours is a project of the shell language in which one test leaves a variable set.
var colours = Shell{Files: map[string]string{
	"brush.sh": "test paints\nset colour=red\nwant colour=red\n",
	"clean.sh": "test washes\nset water=warm\nunset colour\nwant colour=\n",
	"wall.sh":  "test isBare\nwant colour=\n\ntest stands\nset wall=up\n",
}}

func TestShell(t *testing.T) {
	for name, l := range map[string]project.Language{"plain": colours, "observed": ObservedShell{colours}} {
		t.Run(name, func(t *testing.T) {
			Test(t, l, Example{Dir: t.TempDir(), Polluter: "brush.sh paints", Victim: "wall.sh isBare",
				Cleaner: "clean.sh washes", InProcess: true})
		})
	}
}

// TestFixByAReset has no helper. The observed state is proved to matter, and the patch restores it.
func TestFixByAReset(t *testing.T) {
	l := ObservedShell{Shell{Files: map[string]string{
		"brush.sh": "test paints\nset water=warm\nset colour=red\n",
		"wall.sh":  "test isBare\nwant colour=\n\ntest stands\nset wall=up\nwant wall=up\n",
	}}}
	j := job.Job{Version: job.Version, Kind: job.KindFix, Dir: t.TempDir(), Tests: []string{"wall.sh isBare"}, Order: &job.ObservedOrder{
		Source: "ci", Provenance: "exact", Tests: []string{"brush.sh paints", "wall.sh isBare", "wall.sh stands"},
	}}
	r := engine.Run(t.Context(), j, engine.Options{Languages: []project.Language{l}, Version: "test",
		Log: zap.NewNop(), Progress: func(job.Event) {}})
	if r.Error != nil || len(r.Tests) != 1 {
		t.Fatalf("%+v, %v", r.Error, r.Tests)
	}
	got := r.Tests[0]
	if place := "variable.colour"; !slices.Equal(got.State, []string{place}) || !got.StateMatters ||
		!slices.Equal(got.Changes, []job.StateChange{{Field: place, Path: place, After: "red"}}) {
		t.Errorf("state %v (matters: %v), changes %+v", got.State, got.StateMatters, got.Changes)
	}
	if len(got.Patches) != 1 || !got.Patches[0].Proof.Proved || got.Patches[0].Kind != job.FromReset {
		t.Fatalf("patches %+v, notes %v", got.Patches, got.Notes)
	}
	if s := got.Patches[0].Statements; !slices.Equal(s, []string{"unset colour"}) {
		t.Errorf("the patch holds %v", s)
	}
	if n := r.Names[got.Test]; n.Group != "wall.sh" || n.Name != "isBare" || n.Source != "wall" {
		t.Errorf("named %+v", n)
	}
}

// TestFixOfAnotherLanguage checks that a language of two small files gets a proved patch from the
// same engine as Java. No other package imports this language.
func TestFixOfAnotherLanguage(t *testing.T) {
	j := job.Job{Version: job.Version, Kind: job.KindFix, Dir: t.TempDir(), Tests: []string{"wall.sh isBare"}, Order: &job.ObservedOrder{
		Source: "ci", Provenance: "exact", Tests: []string{"brush.sh paints", "wall.sh isBare", "wall.sh stands", "clean.sh washes"},
	}}
	r := engine.Run(t.Context(), j, engine.Options{Languages: []project.Language{colours}, Version: "test",
		Log: zap.NewNop(), Progress: func(job.Event) {}})
	if r.Error != nil || len(r.Tests) != 1 {
		t.Fatalf("%+v, %v", r.Error, r.Tests)
	}
	got := r.Tests[0]
	if got.Verdict != suite.Victim || len(got.Polluters) == 0 || got.Polluters[0][0] != "brush.sh paints" {
		t.Errorf("%s, polluters %v: %s", got.Verdict, got.Polluters, got.Reason)
	}
	if len(got.Patches) != 1 || !got.Patches[0].Proof.Proved {
		t.Fatalf("patches %+v, notes %v", got.Patches, got.Notes)
	}
	if s := got.Patches[0].Statements; len(s) != 1 || s[0] != "unset colour" {
		t.Errorf("the patch holds %v", s)
	}
}
