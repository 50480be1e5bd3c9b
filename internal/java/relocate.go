package java

import (
	"strings"

	"github.com/odfix/odfix/internal/suite"
)

// relocate names the checkout's folder where failures name the folder of a copy. A person finds the file
// there, and the failures of a test in several copies are equal.
func relocate(run *suite.Run, copied, checkout string) {
	if run == nil || copied == "" || copied == checkout {
		return
	}
	for i := range run.Results {
		if f := run.Results[i].Failure; f != nil {
			f.Message = strings.ReplaceAll(f.Message, copied, checkout)
			f.Stack = strings.ReplaceAll(f.Stack, copied, checkout)
		}
	}
}
