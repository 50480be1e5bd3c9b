package examples_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/odfix/odfix/examples"
	"github.com/odfix/odfix/internal/suite"
)

// TestSeveralStatesInOneOrder: two tests that change different state run before the failing test. A
// statement for one of them does not fix the order. The patch has both.
func TestSeveralStatesInOneOrder(t *testing.T) {
	if testing.Short() {
		t.Skip("the example covers another order of the same tests")
	}
	t.Parallel()
	ex, err := examples.One("several-states")
	if err != nil {
		t.Fatal(err)
	}
	dir, f := checkout(t, ex), ex.Findings[0]
	class, _, _ := strings.Cut(f.Test, "#")
	f.FailingOrder = "both.txt"
	write(t, filepath.Join(dir, f.FailingOrder), class+"#germanWarehousesReadGerman\n"+class+"#glossyPaperIsNamed\n"+f.Test+"\n")
	r, status, out := fix(t, dir, []examples.Finding{f})
	p := r.Proved(suite.TestID(f.Test))
	if p == nil {
		t.Fatalf("exit %d\n%s", status, out)
	}
	for _, want := range []string{`System.clearProperty("labels.language");`, `System.clearProperty("labels.paper");`} {
		if !strings.Contains(p.Diff, want) {
			t.Errorf("no %s in the patch:\n%s", want, p.Diff)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
