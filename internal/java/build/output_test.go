package build

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// marked is how a tool says what went wrong that marks errors.
var marked = &Messages{Noise: regexp.MustCompile(`^$`), ErrorLine: func(line string) (string, bool) {
	return strings.CutPrefix(line, "ERROR ")
}}

func feed(t testing.TB, text string) *output {
	o, err := newOutput(filepath.Join(t.TempDir(), "log"), nil, marked.ErrorLine)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { o.Close() })
	for len(text) > 0 { // in pieces that do not end with lines
		n := min(7, len(text))
		o.Write([]byte(text[:n]))
		text = text[n:]
	}
	return o
}

func TestOutputFindsErrors(t *testing.T) {
	for line, want := range map[string]string{
		"ERROR x y":                 "x y",
		"fine":                      "",
		"\x1b[1;31mERROR\x1b[m x\r": "x",
	} {
		if got := strings.Join(feed(t, line+"\n").Errors(), "|"); got != want {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
}

func TestOutputIsBounded(t *testing.T) {
	o := feed(t, "")
	long := strings.Repeat("x", 3*maxLine)
	for range 3 * maxLines {
		o.Write([]byte("ERROR " + long + "\n"))
	}
	if n := len(o.tail); n > maxLines {
		t.Errorf("%d lines kept", n)
	}
	if n := len(o.tail[0]); n > maxLine {
		t.Errorf("a line of %d bytes kept", n)
	}
	if n := len(marked.explain(o, "x").Detail); n > (maxDetail+2)*maxLine {
		t.Errorf("detail of %d bytes", n)
	}
	if info, _ := o.file.Stat(); info.Size() > maxLog+1<<20 {
		t.Errorf("log of %d bytes", info.Size())
	}
}
