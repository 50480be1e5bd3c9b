package repair

import (
	"context"
	"fmt"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

// flipping returns a world whose helper has eight useless statements and the given ones with their
// effects.
func flipping(effects map[string]func(map[string]bool) error, ids ...string) *world {
	w := registry()
	var statements []Statement
	for i := range 8 {
		statements = append(statements, Statement{ID: fmt.Sprintf("noise%d", i), Role: "body"})
	}
	for _, id := range ids {
		statements = append(statements, Statement{ID: id, Role: "body"})
		w.effects[id] = effects[id]
	}
	w.scripts[suite.Order{"C#clean"}.Key()] = statements
	return w
}

func cleans(s map[string]bool) error { s["dirty"] = false; return nil }

// One process shows which statement is enough by itself. A search would take several processes.
func TestStatementIsFoundInOneProcess(t *testing.T) {
	for where, ids := range map[string][]string{"last": {"clear"}, "before others": {"clear", "other"}} {
		w := flipping(map[string]func(map[string]bool) error{"clear": cleans}, ids...)
		p := &Patcher{Groups: groups, Editor: w, Runner: w}
		cs, err := p.Candidates(context.Background(), registryCause())
		if err != nil || len(cs) == 0 || labels(cs[0]) != "polluter-teardown clear" {
			t.Fatalf("%s: %v, %v", where, cs, err)
		}
		if most := 2; w.runs > most {
			t.Errorf("%s: %d processes, want at most %d: one for the statements, one for the patch", where, w.runs, most)
		}
	}
}

// In one process, an earlier statement may cause the result of a later one, or the polluter may no
// longer pollute.
func TestOneProcessMayMislead(t *testing.T) {
	for name, w := range map[string]*world{
		"an earlier statement armed it": flipping(map[string]func(map[string]bool) error{
			"arm": func(s map[string]bool) error { s["armed"] = true; return nil },
			"clear": func(s map[string]bool) error {
				s["dirty"] = s["dirty"] && !s["armed"]
				return nil
			},
		}, "arm", "clear"),
		"a statement helps for ever": flipping(map[string]func(map[string]bool) error{
			"arm": func(s map[string]bool) error { s["armed"] = true; return nil },
			"clear": func(s map[string]bool) error {
				if s["armed"] {
					s["immune"] = true
				}
				return nil
			},
		}, "arm", "clear"),
	} {
		clean := w.tests["V#one"]
		for _, v := range []suite.TestID{"V#one", "V#two", "W#three"} {
			w.tests[v] = func(s map[string]bool) bool { return clean(s) || s["immune"] }
		}
		p := &Patcher{Groups: groups, Editor: w, Runner: w}
		cs, err := p.Candidates(context.Background(), registryCause())
		if err != nil || len(cs) == 0 || len(cs[0].Edit.Keep) != 2 {
			t.Errorf("%s: %v, %v", name, cs, err)
		}
	}
}
