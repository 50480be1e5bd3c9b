package java

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

// TestJavaString compiles and runs a Java class that prints the literals, and compares the output.
func TestJavaString(t *testing.T) {
	words := []string{
		"plain", `back\slash`, `C:\temp\new`, `say "hi"`, "a\tb\nc\rd", "$dollar${x}", "größe ✓", "😀",
		"\a\v\x00\x1b", `\u000a`, `\\u0022`, "\u2028", "%s",
	}
	var b strings.Builder
	b.WriteString("public class W { public static void main(String[] a) throws Exception {\n")
	for _, w := range words {
		b.WriteString("System.out.write((" + javaString(w) + " + \"\\1\").getBytes(\"UTF-8\"));\n")
	}
	b.WriteString("System.out.flush(); } }\n")
	file := filepath.Join(t.TempDir(), "W.java")
	if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("java", file).Output()
	if want := strings.Join(words, "\x01") + "\x01"; err != nil || string(out) != want {
		t.Errorf("Java reads %q (%v), want %q", out, err, want)
	}
	for _, r := range b.String() {
		if r > 0x7e {
			t.Fatalf("%q is not ASCII", r)
		}
	}
}

func TestReproductionKeepsNames(t *testing.T) {
	text := reproductionText(suite.Order{"a.All>a.B$C#m[x\ty]", `a.D#p[C:\new]`})
	for _, want := range []string{`{"a.B$C", "m[x\ty]"},`, `{"a.D", "p[C:\\new]"},`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing in:\n%s", want, text)
		}
	}
}
