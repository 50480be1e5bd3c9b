package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/suite"
)

// explain converts any error to one for people. names may be nil; otherwise it finds similar names
// of tests.
func explain(ctx context.Context, err error, names *suite.Resolver, own func(error) *project.Error) *job.Error {
	var je *job.Error
	var known *project.Error
	var refused *project.RefusedError
	switch {
	case errors.As(err, &je):
		return je
	case errors.As(err, &known):
		return ofProject(known)
	case ctx.Err() != nil && errors.Is(context.Cause(ctx), ErrBudget):
		return &job.Error{Code: "budget", Message: "the time ended before there was a result",
			Hint: "Give more time with --budget."}
	case ctx.Err() != nil:
		return &job.Error{Code: "stopped", Message: "stopped before there was a result"}
	case errors.As(err, &refused):
		return notPlaced(refused, names)
	}
	if own != nil {
		if e := own(err); e != nil {
			return ofProject(e)
		}
	}
	return &job.Error{Code: "internal", Message: err.Error(),
		Hint: "Run again with -v; if it happens again, please report it with the log."}
}

// ofProject converts the error of a project to the report's type.
func ofProject(e *project.Error) *job.Error {
	return &job.Error{Code: e.Code, Message: e.Message, Hint: e.Hint, Detail: e.Detail}
}

// shownTests is how many tests a message names.
const shownTests = 3

// notPlaced says which tests could not be put into an order, and which tests have similar names.
func notPlaced(r *project.RefusedError, names *suite.Resolver) *job.Error {
	e := &job.Error{Code: "not-placed", Message: "the test process cannot run the order: " + r.Reason}
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
		e.Message = "the test process cannot place " + strings.Join(missing, ", ") + " in the order: " + r.Reason
	}
	e.Hint = "A test that exists only in some runs cannot be put into an order; leave it out."
	if len(near) > 0 {
		e.Hint += " The nearest names: " + strings.Join(near, ", ") + "."
	}
	return e
}
