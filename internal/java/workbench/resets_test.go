package workbench

import (
	"context"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// A patch without a helper: its statement is found in the byte code, inserted with an import,
// compiled, and makes the victim pass.
func TestFromFieldToPatch(t *testing.T) {
	ctx, c, p := context.Background(), client(t), newProject(t)
	found, err := c.Resets(ctx, ResetsRequest{Project: p.Project, Field: "p.State.value", Tests: []suite.TestID{"q.VictimTest#victim"}})
	if err != nil || !found.Known || len(found.Candidates) == 0 {
		t.Fatalf("%v %+v", err, found)
	}
	if got := found.Candidates[0].Statement; got != "p.State.reset();" {
		t.Errorf("the likeliest is %s", got)
	}
	r := p.attempt("reset", patch.VictimStart)
	r.Made = &Made{Statements: []string{found.Candidates[0].Statement}}
	r.Helpers, r.Keep = []suite.TestID{MadeHelper}, []string{"0.0"}
	a, err := c.Attempt(ctx, r)
	if err != nil || !a.OK {
		t.Fatalf("%v %+v", err, a)
	}
	if text := a.Rendered.Files[0].Text; !strings.Contains(text, "        State.reset();\n") {
		t.Errorf("it reads\n%s", text)
	}
	if out, err := p.run(t, "reset", ""); err != nil {
		t.Errorf("the victim fails with it: %v\n%s", err, out)
	}
}

func TestNoFieldHasNoResets(t *testing.T) {
	p := newProject(t)
	for _, place := range []string{"", "p.State", "p.State.nothing", "q.Nobody.x", "system property a.b",
		"p..value", "p.State.value[", "\x00.\x00"} {
		found, err := client(t).Resets(context.Background(),
			ResetsRequest{Project: p.Project, Field: place, Tests: []suite.TestID{"q.VictimTest#victim"}})
		if err != nil || found.Known != strings.HasPrefix(place, "p.State.value") {
			t.Errorf("%q: %v %+v", place, err, found)
		}
	}
}
