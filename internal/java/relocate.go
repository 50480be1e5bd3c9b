package java

import (
	"strings"

	"github.com/odfix/odfix/internal/suite"
)

// relocate names the checkout's folder where failures name the folder of a copy. A person finds the
// file there, and the failures of a test in several copies are equal.
func relocate(run *suite.Run, copied, checkout string) {
	if run == nil || copied == "" || copied == checkout {
		return
	}
	named := func(texts ...*string) {
		for _, t := range texts {
			*t = strings.ReplaceAll(*t, copied, checkout)
		}
	}
	for i := range run.Results {
		if f := run.Results[i].Failure; f != nil {
			named(&f.Message, &f.Stack)
		}
	}
	for i := range run.ClassFailures {
		named(&run.ClassFailures[i].Failure.Message, &run.ClassFailures[i].Failure.Stack)
	}
	if run.Crash != nil {
		named(&run.Crash.Detail, &run.Crash.Stacks)
	}
}
