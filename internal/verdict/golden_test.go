package verdict

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

var anyMarker = regexp.MustCompile(`(?m)^<!-- odfix:1 [0-9a-f]{16} \S+ -->$`)

// shownAs is a plan as a text: what people see, and where.
func shownAs(p Plan) string {
	var b strings.Builder
	fmt.Fprintf(&b, "CHECK %s: %s\n\n%s\n-- text --\n%s", p.Check.Conclusion, p.Check.Title, p.Check.Summary, p.Check.Text)
	for _, a := range p.Check.Annotations {
		fmt.Fprintf(&b, "\nANNOTATION %s:%d-%d %s\n%s\n%s\n", a.Path, a.Start, a.End, a.Level, a.Title, a.Message)
	}
	for _, k := range p.Comments {
		fmt.Fprintf(&b, "\nCOMMENT %s %s\n", k.Rung, k.Path)
		for _, i := range k.Inline {
			fmt.Fprintf(&b, "\nINLINE %s:%d-%d\n%s", i.Path, i.StartLine, i.Line, i.Body)
		}
		b.WriteString(k.Body)
		if k.Fix != nil {
			fmt.Fprintf(&b, "\nBRANCH %s\nTITLE %s\nMESSAGE %s\nBODY %s\nFILES %d, removed %d\n",
				k.Fix.Branch, k.Fix.Title, k.Fix.Message, k.Fix.Body, len(k.Fix.Files), len(k.Fix.Removed))
		}
		for l := k.Below; l != nil; l = l.Below {
			fmt.Fprintf(&b, "\nELSE %s %s\n", l.Rung, l.Path)
		}
	}
	return anyMarker.ReplaceAllString(b.String(), "<!-- marker -->")
}

// golden holds a plan against testdata/NAME.md; go test -update writes it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".md")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", path, d)
	}
}
