package engine

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

// initialised returns the fewest classes of which it matters when they are initialised: if they are
// initialised at the beginning of the process, the victim passes after its cause, or the brittle test
// alone. A static initialiser keeps what it finds when it runs, and nothing restores that. The result is
// nil if this is not so, or not known.
func (h stateSearch) initialised(ctx context.Context, t *job.TestReport) []string {
	at, ok := h.at.(project.Initialiser)
	if !ok {
		return nil
	}
	trace, err := h.p.traced(ctx, h.with(t.Test))
	if err != nil {
		h.w.log.Warn("observing which classes are loaded", zap.Error(err))
		return nil
	}
	order := h.with(t.Test)
	if t.Verdict == suite.Brittle {
		order = suite.Order{t.Test}
	}
	try := func(ctx context.Context, classes []string) (state.Undone, error) {
		run, err := at.RunInitialised(ctx, order, classes)
		switch {
		case err != nil:
			return state.Unclear, err
		case run.Last().Outcome == suite.Pass:
			return state.Helps, nil
		case run.Last().Outcome == suite.Fail:
			return state.HelpsNot, nil
		}
		return state.Unclear, nil
	}
	own, all := h.loaded(trace, t.Test)
	classes, err := firstThatHelps(ctx, try, own, all)
	if err == nil && len(classes) > 0 {
		classes, err = state.Fewest(ctx, try, classes, h.p.Parallel())
	}
	for range confirmations - 1 {
		if err != nil || len(classes) == 0 {
			break
		}
		var again state.Undone
		if again, err = try(ctx, classes); again != state.Helps {
			classes = nil
		}
	}
	h.w.log.Info("which classes matter when they are initialised", zap.String("test", string(t.Test)), zap.Int("own", len(own)),
		zap.Int("all", len(all)), zap.Strings("found", classes), zap.Error(err))
	if err != nil {
		return nil
	}
	return classes
}

// byInitialisation reports whether it matters to the test when classes are initialised, and says so in its
// report.
func (h stateSearch) byInitialisation(ctx context.Context, t *job.TestReport) bool {
	classes := h.initialised(ctx, t)
	if len(classes) == 0 {
		return false
	}
	t.State, h.w.known(t.Test).ways, h.w.known(t.Test).elsewhere, h.w.known(t.Test).initialisation = nil, nil, true, true
	t.Notes = append(t.Notes, h.whenInitialised(t, classes))
	return true
}

// firstThatHelps returns the first list with which the test passes.
func firstThatHelps(ctx context.Context, try state.Undo, lists ...[]string) ([]string, error) {
	tried := 0
	for _, classes := range lists {
		if len(classes) == tried { // the longer list adds nothing
			continue
		}
		tried = len(classes)
		if got, err := try(ctx, classes); err != nil || got == state.Helps {
			return classes, err
		}
	}
	return nil, nil
}

// loaded returns the classes that were initialised: those of the project, and all.
func (h stateSearch) loaded(trace *state.Trace, t suite.TestID) (own, all []string) {
	var libraries []string
	for _, class := range trace.InitialisedClasses() {
		if h.p.origin(class+".class", t) == project.Library {
			libraries = append(libraries, class)
		} else {
			own = append(own, class)
		}
	}
	return own, slices.Concat(own, libraries)
}

// whenInitialised is the sentence about classes that initialised has found.
func (h stateSearch) whenInitialised(t *job.TestReport, classes []string) string {
	named := strings.Join(classes[:min(len(classes), namedClasses)], ", ")
	if n := len(classes) - namedClasses; n > 0 {
		named += fmt.Sprintf(" and %d more", n)
	}
	are, passes, before := "is", "passes", h.named()+" runs"
	if len(classes) > 1 {
		are = "are"
	}
	if t.Verdict == suite.Brittle {
		passes, before = "passes alone", "it"
	}
	return fmt.Sprintf("It matters to %s when classes are initialised: it %s if %s %s initialised before %s. A static initialiser keeps "+
		"what it finds when it runs, such as the default locale; restoring that later does not change what it kept.",
		t.Test, passes, named, are, before)
}
