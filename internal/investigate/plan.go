package investigate

import (
	"context"

	"github.com/odfix/odfix/internal/pull"
)

// What reports take in memory while their comments are planned.
const (
	// mostTexts is how many reports hold at once what they are planned from. That has at most 128 MiB.
	mostTexts  = 128 << 20 / pull.MaxInput
	textsOfOne = 1 // of one installation: several would use up its requests to GitHub, and plan again and again
	// mostPlans is how many are planned at once. One can take some 200 MiB.
	mostPlans = 2
)

// planned calls a function that reads what the comments on a report are planned from, and plans them.
// It does not wait for others of the installation, since the places for jobs are few.
func (s *Service) planned(installation int64) func(context.Context, func() error) error {
	return func(ctx context.Context, do func() error) error {
		leave, stay := s.planning.enter(installation, s.now(), s.o.Pace.Look)
		if leave == nil {
			return laterError{stay, whyUnplanned}
		}
		defer leave()
		if err := s.texts.Acquire(ctx, 1); err != nil {
			return err
		}
		defer s.texts.Release(1)
		return do()
	}
}

const whyUnplanned = "comments on other reports of the installation are planned"
