package verdict

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/config"
)

// PlanOf is New for tests, which have all the time they want.
func PlanOf(in Input) Plan {
	p, err := New(context.Background(), in)
	if err != nil {
		panic(err)
	}
	return p
}

// Step is a pull request of TestLadder, for tests outside the package. Its files are in a folder of
// their own, so that one repository can hold all steps.
type Step struct {
	Name, Folder string
	Base, Head   map[string]string
	Want         map[string]string // the touched files with all suggestions accepted
	Rung         config.Rung
	Input        func(*testing.T) Input
}

// Steps are the pull requests of TestLadder.
func Steps() []Step {
	var out []Step
	for i, c := range steps() {
		folder := fmt.Sprintf("step%d/", i)
		pr := c.s.in(folder)
		one := Step{Name: c.name, Folder: folder, Base: pr.base, Head: pr.head, Rung: c.rung, Input: pr.input}
		if pr.tested == nil {
			one.Want = pr.patched
		}
		out = append(out, one)
	}
	return out
}

// in is the same pull request with all its files in a folder.
func (pr *pullRequest) in(folder string) *pullRequest {
	out := &pullRequest{diff: pr.diff, report: pr.report, config: pr.config}
	move := func(files texts) texts {
		if files == nil {
			return nil
		}
		moved := texts{}
		for path, text := range files {
			moved[folder+path] = text
		}
		return moved
	}
	out.base, out.head, out.tested, out.patched = move(pr.base), move(pr.head), move(pr.tested), move(pr.patched)
	for _, side := range []string{" a/", " b/"} {
		out.diff = strings.ReplaceAll(out.diff, side, side+folder)
	}
	return out
}
