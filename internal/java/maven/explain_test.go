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
			e := messages.Explain(read(t, log), "maven.log")
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

func TestErrorLines(t *testing.T) {
	for line, want := range map[string]string{
		"[ERROR] x y":                  "x y",
		"ERROR: x":                     "x",
		"12:00:01 [ERROR] x":           "x",
		"12:00:01.123 ERROR x":         "x",
		"[FATAL] x":                    "x",
		"[INFO] ERROR in the docs":     "",
		"the word ERROR in the middle": "",
	} {
		if got, _ := errorLine(line); got != want {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
}

func FuzzExplain(f *testing.F) {
	f.Add("[ERROR] COMPILATION ERROR\n[ERROR] a.java:[1,2] x")
	f.Fuzz(func(t *testing.T, text string) {
		if e := messages.Explain(text, "log"); e.Code == "" || e.Message == "" || e.Hint == "" {
			t.Errorf("%+v", e)
		}
	})
}
