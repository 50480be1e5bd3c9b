package shell

import (
	"os/exec"
	"strings"
	"testing"
)

// odd are words that one shell or another would take apart.
var odd = []string{
	"plain", "", "two words", "it's", `"double"`, `back\slash`, `$HOME`, "`id`", "$(id)", "a\tb", "a\nb", "~", "#", "*", "a;b", "a&b",
	"!!", "{a,b}", "[x]", "-Dtest=a.B$C#m+n", "größe", "\xff\xfe", "%s", "'", "''", "a'b'c", "=", "<x>", "(y)", "|",
}

// TestQuote has a real shell take the words apart again.
func TestQuote(t *testing.T) {
	for _, w := range odd {
		out, err := exec.Command("sh", "-c", "printf %s. "+Quote(w)).Output()
		if err != nil || string(out) != w+"." {
			t.Errorf("%q, quoted %s, is %q to the shell (%v)", w, Quote(w), out, err)
		}
	}
}

func TestLine(t *testing.T) {
	out, err := exec.Command("sh", "-c", Line(append([]string{"printf", "%s."}, odd...)...)).Output()
	if want := strings.Join(odd, ".") + "."; err != nil || string(out) != want {
		t.Errorf("the shell saw %q (%v), want %q", out, err, want)
	}
}

func FuzzQuote(f *testing.F) {
	for _, w := range odd {
		f.Add(w)
	}
	f.Fuzz(func(t *testing.T, w string) {
		q := Quote(w)
		if strings.ContainsRune(q, 0) {
			t.Errorf("%q holds a NUL", q)
		}
		bare := strings.ReplaceAll(q, `\'`, "")
		if q != w && strings.Count(bare, "'")%2 != 0 {
			t.Errorf("%q is not closed", q)
		}
	})
}
