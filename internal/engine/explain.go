package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/harness"
	"github.com/odfix/odfix/internal/java/maven"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// explain turns any error into one for people; the resolver, where there is
// one, knows what tests there are.
func explain(ctx context.Context, err error, names *suite.Resolver) *job.Error {
	var je *job.Error
	var be *maven.Error
	var refused *harness.RefusedError
	var start *harness.StartError
	switch {
	case errors.As(err, &je):
		return je
	case errors.As(err, &be):
		return &job.Error{Code: be.Code, Message: be.Message, Hint: be.Hint, Detail: be.Detail}
	case ctx.Err() != nil && errors.Is(context.Cause(ctx), errBudget):
		return &job.Error{Code: "budget", Message: "the budget was used up before anything could be said", Hint: "Give more time with --budget."}
	case ctx.Err() != nil:
		return &job.Error{Code: "stopped", Message: "stopped before anything could be said"}
	case errors.As(err, &refused):
		return notPlaced(refused, names)
	case errors.As(err, &start):
		return &job.Error{Code: "test-jvm", Message: "the test JVM (" + start.Command + ") did not start: " + start.Reason, Detail: start.Output,
			Hint: "It was started with the flags that the build gives to its tests. Check that `mvn test` works here, and with this JDK (--java-home)."}
	}
	if full := maven.NoSpace(err); full != nil {
		return &job.Error{Code: full.Code, Message: full.Message, Hint: full.Hint, Detail: full.Detail}
	}
	return &job.Error{Code: "internal", Message: err.Error(), Hint: "Run again with -v; if it happens again, please report it with the log."}
}

// shownTests is how many tests a message names.
const shownTests = 3

// notPlaced says which tests could not be put into an order, and what they may
// have been mistaken for.
func notPlaced(r *harness.RefusedError, names *suite.Resolver) *job.Error {
	e := &job.Error{Code: "not-placed", Message: "the test JVM cannot run the order: " + r.Reason}
	var missing, near []string
	for i, t := range r.Tests {
		if i == shownTests {
			missing = append(missing, fmt.Sprintf("%d more", len(r.Tests)-i))
			break
		}
		missing = append(missing, string(t))
		if names == nil {
			continue
		}
		for _, n := range names.Nearest(string(t), shownTests) {
			if n != t && !slices.Contains(near, string(n)) {
				near = append(near, string(n))
			}
		}
	}
	if len(missing) > 0 {
		e.Message = "the test JVM cannot place " + strings.Join(missing, ", ") + " in the order: " + r.Reason
	}
	e.Hint = "A test that is there in some runs only cannot be put into an order; leave it out of it."
	if len(near) > 0 {
		e.Hint += " The nearest names: " + strings.Join(near, ", ") + "."
	}
	return e
}
