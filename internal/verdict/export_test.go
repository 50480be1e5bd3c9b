package verdict

import (
	"testing"

	"github.com/odfix/odfix/internal/config"
)

// Step is a scene of the ladder as tests from outside see it.
type Step struct {
	Name       string
	Base, Head map[string]string
	Want       map[string]string // the touched files with all suggestions accepted
	Rung       config.Rung
	Input      func(*testing.T) Input
}

// Steps are the scenes of the ladder.
func Steps() []Step {
	var out []Step
	for _, c := range steps() {
		one := Step{Name: c.name, Base: c.s.base, Head: c.s.head, Rung: c.rung, Input: c.s.input}
		if c.s.tested == nil {
			one.Want = c.s.patched
		}
		out = append(out, one)
	}
	return out
}
