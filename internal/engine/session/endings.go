package session

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// MaxEndings limits how many kinds of early ends, and of failing classes, a report contains.
const MaxEndings = 10

// endings collects information on processes that ended early, and on failures outside the tests of
// a class. The search itself only sees that there was no result.
type endings struct {
	mu      sync.Mutex
	ended   []job.Ended
	classes []suite.ClassFailure
}

// note records what is unusual in a run.
func (e *endings) note(run *suite.Run) {
	if run == nil || run.Crash == nil && len(run.ClassFailures) == 0 {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, f := range run.ClassFailures {
		e.class(f)
	}
	if run.Crash != nil && run.Crash.Kind != suite.CrashMissing { // odfix itself ended the process
		e.crash(run)
	}
}

func (e *endings) class(f suite.ClassFailure) {
	for _, known := range e.classes {
		if known.Class == f.Class && known.Failure.Type == f.Failure.Type {
			return
		}
	}
	if len(e.classes) < MaxEndings {
		e.classes = append(e.classes, f)
	}
}

func (e *endings) crash(run *suite.Run) {
	for i := range e.ended {
		if known := &e.ended[i]; known.Crash.Kind == run.Crash.Kind && known.Crash.During == run.Crash.During {
			known.Times++
			return
		}
	}
	if len(e.ended) == MaxEndings {
		return
	}
	o := run.Order
	if i := o.Index(run.Crash.During); i >= 0 {
		o = o[:i+1]
	}
	e.ended = append(e.ended, job.Ended{Crash: *run.Crash, Order: o, Output: run.Output, Times: 1})
}

// report writes the collected information into the report, and into files of the output folder.
func (e *endings) report(r *job.Report, out string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i, x := range e.ended {
		name := path.Join("crashes", fmt.Sprintf("%d-%s.txt", i+1, x.Crash.Kind))
		if out != "" {
			if _, err := (&Artifacts{Out: out}).write(filepath.FromSlash(name), describeEnding(x)); err == nil {
				x.File = name
				r.Notes = append(r.Notes, endingNote(x, out))
			}
		}
		r.Crashes = append(r.Crashes, x)
	}
	if len(r.Runs) > 0 {
		return // the report shows them with the outcomes
	}
	for _, f := range e.classes {
		message, _, _ := strings.Cut(strings.TrimSpace(f.Failure.Message), "\n")
		r.Notes = append(r.Notes, fmt.Sprintf("%s failed outside its tests (its teardown, as a rule): %s. The "+
			"build shows that as a failure "+
			"without a test's name; it changes no outcome here.",
			f.Class, strings.TrimRight(f.Failure.Type+": "+message, ".: ")))
	}
}

// endingNote is the sentence about an early end. x.File is set.
func endingNote(x job.Ended, out string) string {
	if x.Crash.Kind != "hang" || x.Crash.During == "" {
		return fmt.Sprintf("A test process ended early, %s; its output is in %s of the output folder.", x.Crash.String(), x.File)
	}
	after := "as the first test of its process"
	if n := len(x.Order); n > 1 {
		after = "directly after " + string(x.Order[n-2])
	}
	return fmt.Sprintf("%s hung %s: %s. The stacks of its threads are in %s. --test-timeout says after what time a test counts as hung.",
		x.Crash.During, after, x.Crash.Detail, filepath.Join(out, filepath.FromSlash(x.File)))
}

// describeEnding describes one early end for people.
func describeEnding(x job.Ended) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nOrder:\n", x.Crash.String())
	for _, t := range x.Order {
		fmt.Fprintf(&b, "  %s\n", t)
	}
	if x.Crash.Stacks != "" {
		fmt.Fprintf(&b, "\nThreads:\n%s\n", x.Crash.Stacks)
	}
	if x.Output != "" {
		fmt.Fprintf(&b, "\nThe end of its output:\n%s\n", x.Output)
	}
	return b.String()
}
