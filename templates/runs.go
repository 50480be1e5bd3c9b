package templates

import (
	"fmt"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// runs is what `odfix run` shows.
type runs struct {
	Options
	Runs  []oneRun
	Notes list
}

// oneRun is one order; Lines are its tests.
type oneRun struct {
	Title string // where there are several
	Lines []runLine
	Class []classLine // what failed around classes
	Crash string
	Sum   string
}

type runLine struct {
	Outcome suite.Outcome
	OK      bool
	Test    string
	Seconds string
	Failure string
	Judged  bool
}

type classLine struct{ Class, Failure string }

// Runs is the answer to `odfix run`. If tests are named, the
// lines of the other tests are also shown, because these ran before.
func Runs(r *job.Report, judged []suite.TestID, o Options) string {
	names := map[string]bool{}
	for _, t := range judged {
		names[Harmless(string(t), false)] = true
	}
	r = clean(r)
	v := runs{Options: o, Notes: capped(r.Notes, maxNotes)}
	for i, run := range r.Runs {
		one := newRun(run, names)
		if len(r.Runs) > 1 {
			one.Title = fmt.Sprintf("Order %d of %d", i+1, len(r.Runs))
		}
		v.Runs = append(v.Runs, one)
	}
	return render("runs.txt.tmpl", v, o)
}

func newRun(run suite.Run, judged map[string]bool) oneRun {
	out := oneRun{Crash: run.Crash.String()}
	counts := map[suite.Outcome]int{}
	for i, t := range run.Order {
		res := run.At(i)
		counts[res.Outcome]++
		l := runLine{
			Outcome: res.Outcome, OK: res.Outcome == suite.Pass || res.Outcome == suite.Skip,
			Test: string(t), Seconds: Seconds(float64(res.Nanos) / 1e9), Judged: judged[string(t)],
		}
		if !l.OK {
			l.Failure = failure(res.Failure)
		}
		out.Lines = append(out.Lines, l)
	}
	for _, f := range run.ClassFailures {
		out.Class = append(out.Class, classLine{f.Class, failure(&f.Failure)})
	}
	out.Sum = fmt.Sprintf("%d passed", counts[suite.Pass])
	for _, o := range []suite.Outcome{suite.Fail, suite.Skip, suite.Unresolved, suite.Flaky} {
		if counts[o] > 0 {
			out.Sum += fmt.Sprintf(", %d %s", counts[o], past[o])
		}
	}
	out.Sum += " in " + Seconds(float64(run.Nanos)/1e9)
	return out
}

var past = map[suite.Outcome]string{
	suite.Fail: "failed", suite.Skip: "skipped", suite.Unresolved: "without a result", suite.Flaky: "flaky",
}
