package session

import (
	"fmt"
	"math"
	"time"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// BeginDiagnosis begins the phase, and says how long the job will probably take, if the last run
// shows that. From now on, fresh runs of the module's tests show it, too (fit).
func (s *Session) BeginDiagnosis(p *Module) {
	opened := s.elapsed()
	p.timed = func(tests int, took time.Duration) { s.fit(tests, len(p.Original), took, opened) }
	s.Enter(job.PhaseDiagnose)
	took := s.Job.Took
	if 2*s.Job.Timed < len(p.Original) {
		took = 0 // the last run had a part of the tests
	}
	if took > 0 {
		s.Say(job.Event{Message: "starting", Note: expected(lastRun(len(p.Original), took), took, opened, s.budget())})
	}
}

// elapsed returns how long the phase has taken so far.
func (s *Session) elapsed() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Since(s.since)
}

// budget is how long the job may take, as far as is known at its beginning.
func (s *Session) budget() time.Duration {
	if s.Job.Budget > 0 {
		return s.Job.Budget
	}
	return job.FittingBudget(s.Job.Took)
}

// A process with few tests says something about the time that fits only if it takes long to start.
// A cause takes more such processes than runs of all tests.
const (
	longStart = 5 * time.Second
	shortRuns = 2 // processes with few tests for one run of all tests
)

// fit gives a job without a budget the time that fits its tests, by a new process that ran some of
// them. At least half of them show how long all take. Few show how long a process takes to start.
// How long the tests took in the last run may be unknown, or of a part of them. A later process
// that shows about the same changes nothing. start is how long a process takes to start, as far as is
// known.
func (s *Session) fit(tests, all int, took, start time.Duration) {
	what, whole := "One process with few tests takes", shortRuns*took
	switch {
	case tests > 0 && 2*tests >= all:
		whole = time.Duration(float64(took) * float64(all) / float64(tests))
		what, took = suite.Count(all, "test takes", "tests take"), whole
	case took < longStart:
		return
	default:
		start = took
	}
	fits := max(job.FittingBudget(whole), min(causeTakes(whole, start), job.MostBudget).Round(time.Minute))
	s.mu.Lock()
	more := s.Job.Budget <= 0 && 5*fits > 6*s.fitted
	if more {
		s.fitted = fits
	}
	s.mu.Unlock()
	if more && s.end.Until(s.started.Add(fits)) {
		s.Say(job.Event{Message: "running tests", Note: expected(fmt.Sprintf("%s about %s here", what, seconds(took)), whole, start, fits)})
	}
}

// TimeUsed is how long the job has taken so far.
func (s *Session) TimeUsed() time.Duration { return time.Since(s.started) }

// TimeLeft is how much of the budget is left, as far as it is known.
func (s *Session) TimeLeft() time.Duration { return s.budget() - s.TimeUsed() }

// What one cause costs at most in most projects, from the verdict to the proof: runs of all tests, and
// starts of a process that runs few tests (docs/benchmarks).
const (
	runsOfCause   = 6
	startsOfCause = 40
)

// expected says how long a fix will probably take. known is what is known so far, took how long all
// tests take, start how long a process takes to start and to load the tests.
func expected(known string, took, start, budget time.Duration) string {
	each := causeTakes(took, start)
	most := inMinutes(budget)
	if each > budget {
		return fmt.Sprintf("%s. One cause may take %s, and odfix stops after %s; --budget gives it more.", known, inMinutes(each), most)
	}
	return fmt.Sprintf("%s. Each cause takes %s as a rule, and all %s at most.", known, upTo(each), most)
}

// causeTakes is how long one cause takes at most, as a rule.
func causeTakes(took, start time.Duration) time.Duration {
	return runsOfCause*took + startsOfCause*start
}

// lastRun says how long all tests took when they last ran.
func lastRun(tests int, took time.Duration) string {
	return fmt.Sprintf("%s took %s in the last run", suite.Count(tests, "test", "tests"), seconds(took))
}

func upTo(d time.Duration) string {
	if d < time.Minute {
		return inMinutes(d)
	}
	return "up to " + inMinutes(d)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.0fs", math.Ceil(d.Seconds())) }

func inMinutes(d time.Duration) string {
	if d < time.Minute {
		return "less than a minute"
	}
	return suite.Count(int(math.Ceil(d.Minutes())), "minute", "minutes")
}
