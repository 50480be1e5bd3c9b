package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/suite"
)

func TestExplain(t *testing.T) {
	names := suite.NewResolver(&suite.Suite{Root: &suite.Node{Children: []*suite.Node{{Name: "a.FooTest", Children: []*suite.Node{
		{Name: "first", Test: "a.FooTest#first"}, {Name: "unlike", Test: "a.FooTest#unlikeAnything"},
	}}}}}, junitid.Syntax{})
	own := func(err error) *project.Error {
		if errors.Is(err, syscall.ENOSPC) {
			return &project.Error{Code: "disk-full", Message: "the disk is full"}
		}
		return nil
	}
	over, end := context.WithCancelCause(context.Background())
	end(ErrBudget)
	for name, c := range map[string]struct {
		ctx  context.Context
		err  error
		code string
		says []string
	}{
		"refused": {nil, fmt.Errorf("asking: %w", &project.RefusedError{Reason: "a.FooTest has no test frist",
			Tests: []suite.TestID{"a.FooTest#frist", "b#1", "b#2", "b#3", "b#4"}}),
			"not-placed", []string{"cannot place a.FooTest#frist, b#1, b#2, 2 more", "has no test frist",
				"nearest names: a.FooTest#first"}},
		"for people": {nil, fmt.Errorf("x: %w", &job.Error{Code: "mine", Message: "m"}), "mine", []string{"m"}},
		"the build's": {nil, fmt.Errorf("x: %w", &project.Error{Code: "build-broken", Message: "broken", Hint: "fix it"}), "build-broken",
			[]string{"broken", "fix it"}},
		"language's": {nil, syscall.ENOSPC, "disk-full", []string{"the disk is full"}},
		"budget":     {over, context.Canceled, "budget", []string{"--budget"}},
		"unknown":    {nil, errors.New("odd"), "internal", []string{"odd", "report it"}},
	} {
		ctx := c.ctx
		if ctx == nil {
			ctx = context.Background()
		}
		e := explain(ctx, c.err, names, own)
		text := e.Message + " " + e.Hint
		for _, s := range c.says {
			if !strings.Contains(text, s) {
				t.Errorf("%s: %q is missing in %q", name, s, text)
			}
		}
		if e.Code != c.code {
			t.Errorf("%s: code %s", name, e.Code)
		}
	}
}
