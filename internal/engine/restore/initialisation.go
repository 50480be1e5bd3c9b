package restore

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// namedClasses is how many classes a sentence names.
const namedClasses = 3

// initialising tries whether it matters to a test when classes are initialised: if they are initialised at
// the beginning of the process, the victim passes after its cause, or the brittle test alone. A static
// initialiser keeps what it finds when it runs, and nothing restores that.
type initialising struct {
	at     project.Initialiser
	order  suite.Order     // the cause and the test, or the brittle test alone
	before []suite.Outcome // of the tests before the last one, if no class is initialised first
	failed map[string]bool // classes whose initialisers throw something if they run first
}

// byInitialisation reports whether it matters to the test when classes are initialised, and says so in its
// report. The error is the end of the time, or that of a run.
func (h causeSearch) byInitialisation(ctx context.Context, t *job.TestReport) (bool, error) {
	at, ok := h.at.(project.Initialiser)
	if !ok {
		return false, nil
	}
	trace, err := h.traced(ctx, h.with(t.Test))
	if err != nil {
		return false, err
	}
	i := initialising{at: at, order: h.with(t.Test), failed: map[string]bool{}}
	if t.Verdict == suite.Brittle {
		i.order = suite.Order{t.Test}
	}
	own, all := h.loaded(trace, t.Test)
	classes, err := i.search(ctx, h.p.Parallel(), own, all)
	h.s.Log.Info("which classes matter when they are initialised", zap.String("test", string(t.Test)), zap.Int("own", len(own)),
		zap.Int("all", len(all)), zap.Strings("found", classes), zap.Error(err))
	if err != nil || len(classes) == 0 {
		return false, err
	}
	known := h.known(t.Test)
	t.State, known.ways, known.elsewhere, known.initialisation = nil, nil, true, true
	t.Notes = append(t.Notes, h.whenInitialised(t, classes))
	return true, nil
}

// search returns the fewest classes that matter; nil: none do, or that is not certain.
func (i *initialising) search(ctx context.Context, parallel int, lists ...[]string) ([]string, error) {
	control, _, err := i.at.RunInitialised(ctx, i.order, nil)
	if err != nil || control.Last().Outcome != suite.Fail {
		return nil, err // what helps is not when classes are initialised
	}
	for n := range len(i.order) - 1 {
		i.before = append(i.before, control.At(n).Outcome)
	}
	var classes []string
	for n, list := range lists {
		if len(list) == 0 || n > 0 && len(list) == len(lists[n-1]) {
			continue
		}
		got, err := i.try(ctx, list)
		if err != nil {
			return nil, err
		}
		if got == state.Helps {
			classes = list
			break
		}
	}
	classes = slices.DeleteFunc(slices.Clone(classes), func(c string) bool { return i.failed[c] })
	if len(classes) > 0 {
		classes, err = state.Fewest(ctx, i.tryExactly, classes, parallel)
	}
	for range confirmations - 1 {
		if err != nil || len(classes) == 0 {
			break
		}
		var again state.Undone
		if again, err = i.tryExactly(ctx, classes); again != state.Helps {
			classes = nil
		}
	}
	if err == nil && len(classes) > 0 {
		if control, _, err = i.at.RunInitialised(ctx, i.order, nil); err == nil && control.Last().Outcome != suite.Fail {
			classes = nil
		}
	}
	return classes, err
}

// try runs the order with these classes initialised first. The tests before the last one must behave as
// they do otherwise: a cause that fails earlier may change nothing.
func (i *initialising) try(ctx context.Context, classes []string) (state.Undone, error) {
	run, failed, err := i.at.RunInitialised(ctx, i.order, classes)
	if err != nil {
		return state.Unclear, err
	}
	for _, c := range failed {
		i.failed[c] = true
	}
	for n, want := range i.before {
		if run.At(n).Outcome != want {
			return state.Unclear, nil
		}
	}
	switch run.Last().Outcome {
	case suite.Pass:
		return state.Helps, nil
	case suite.Fail:
		return state.HelpsNot, nil
	}
	return state.Unclear, nil
}

// tryExactly is try for classes none of whose initialisers failed when they were tried first. It may run
// beside others.
func (i *initialising) tryExactly(ctx context.Context, classes []string) (state.Undone, error) {
	one := initialising{at: i.at, order: i.order, before: i.before, failed: map[string]bool{}}
	got, err := one.try(ctx, classes)
	if len(one.failed) > 0 {
		got = state.Unclear
	}
	return got, err
}

// loaded returns the classes that were initialised: those of the project, and all.
func (h causeSearch) loaded(trace *state.Trace, t suite.TestID) (own, all []string) {
	var libraries []string
	for _, class := range trace.InitialisedClasses() {
		if h.origin(class+".class", t) == project.Library {
			libraries = append(libraries, class)
		} else {
			own = append(own, class)
		}
	}
	return own, slices.Concat(own, libraries)
}

// whenInitialised is the sentence about classes that matter.
func (h causeSearch) whenInitialised(t *job.TestReport, classes []string) string {
	named := strings.Join(classes[:min(len(classes), namedClasses)], ", ")
	if n := len(classes) - namedClasses; n > 0 {
		named += fmt.Sprintf(" and %d more", n)
	}
	are := "is"
	if len(classes) > 1 {
		are = "are"
	}
	if t.Verdict == suite.Brittle {
		return fmt.Sprintf("It matters to %s when classes are initialised: it passes alone if %s %s initialised before it. A static "+
			"initialiser keeps what it finds when it runs.", t.Test, named, are)
	}
	return fmt.Sprintf("It matters to %s when classes are initialised: it passes if %s %s initialised before %s %s. A static initialiser "+
		"keeps what it finds when it runs, such as the default locale; restoring that later does not change what it kept.",
		t.Test, named, are, h.named(), h.if1("runs", "run"))
}
