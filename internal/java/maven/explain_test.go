package maven

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the current explanation of each log to its .want file")

// TestExplain reads recorded output of Maven (see testdata/README.md). It compares the explanation
// with the .want file beside it.
func TestExplain(t *testing.T) {
	logs, _ := filepath.Glob("testdata/logs/*.log")
	if len(logs) < 15 {
		t.Fatalf("only %d recorded logs", len(logs))
	}
	for _, log := range logs {
		t.Run(strings.TrimSuffix(filepath.Base(log), ".log"), func(t *testing.T) {
			e := explain(feed(t, read(t, log)), "maven.log")
			got := fmt.Sprintf("code: %s\nmessage: %s\nhint: %s\ndetail:\n%s\n", e.Code, e.Message, e.Hint, e.Detail)
			golden := strings.TrimSuffix(log, ".log") + ".want"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(read(t, golden), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func feed(t testing.TB, text string) *output {
	o, err := newOutput(filepath.Join(t.TempDir(), "log"), nil)
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

func TestErrorLines(t *testing.T) {
	for line, want := range map[string]string{
		"[ERROR] x y":                  "x y",
		"ERROR: x":                     "x",
		"12:00:01 [ERROR] x":           "x",
		"12:00:01.123 ERROR x":         "x",
		"[FATAL] x":                    "x",
		"[INFO] ERROR in the docs":     "",
		"the word ERROR in the middle": "",
		"\x1b[1;31mERROR\x1b[m x":      "x",
		"[\x1b[1;31mERROR\x1b[m] x\r":  "x",
	} {
		got := strings.Join(feed(t, line+"\n").Errors(), "|")
		if got != want {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
}

func TestOutputIsBounded(t *testing.T) {
	o := feed(t, "")
	long := strings.Repeat("x", 3*maxLine)
	for range 3 * maxLines {
		o.Write([]byte("[ERROR] " + long + "\n"))
	}
	if n := len(o.tail); n > maxLines {
		t.Errorf("%d lines kept", n)
	}
	if n := len(o.tail[0]); n > maxLine {
		t.Errorf("a line of %d bytes kept", n)
	}
	if n := len(explain(o, "x").Detail); n > (maxDetail+2)*maxLine {
		t.Errorf("detail of %d bytes", n)
	}
	if info, _ := o.file.Stat(); info.Size() > maxLog+1<<20 {
		t.Errorf("log of %d bytes", info.Size())
	}
}

func FuzzExplain(f *testing.F) {
	f.Add("[ERROR] COMPILATION ERROR\n[ERROR] a.java:[1,2] x")
	f.Fuzz(func(t *testing.T, text string) {
		if e := explain(feed(t, text), "log"); e.Code == "" || e.Message == "" || e.Hint == "" {
			t.Errorf("%+v", e)
		}
	})
}
