package gradle

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/java/build"
)

var update = flag.Bool("update", false, "write the current explanation of each log to its .want file")

// TestExplain reads recorded output of Gradle 4.4.1. It compares the explanation with the .want
// file beside it.
func TestExplain(t *testing.T) {
	logs, _ := filepath.Glob("testdata/logs/*.log")
	if len(logs) < 10 {
		t.Fatalf("only %d recorded logs", len(logs))
	}
	for _, log := range logs {
		t.Run(strings.TrimSuffix(filepath.Base(log), ".log"), func(t *testing.T) {
			text, err := os.ReadFile(log)
			if err != nil {
				t.Fatal(err)
			}
			e := messages.Explain(string(text), "gradle.log")
			got := fmt.Sprintf("code: %s\nmessage: %s\nhint: %s\ndetail:\n%s\n", e.Code, e.Message, e.Hint, e.Detail)
			golden := strings.TrimSuffix(log, ".log") + ".want"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What later versions of Gradle and of the JDK print.
func TestLaterVersions(t *testing.T) {
	for line, want := range map[string]string{
		"Cannot locate tasks that match ':web:test' as project 'web' not found in root project 'shop'.":             build.CodeModule,
		"Cannot locate tasks that match ':web:test' as task 'test' not found in project ':web'.":                    build.CodeNoTests,
		"error: release version 7 not supported":                                                                    build.CodeJDKTooNew,
		"error: release version 21 not supported":                                                                   build.CodeJDKTooOld,
		"> Unsupported class file major version 65":                                                                 build.CodeJDKTooNew,
		"public void m() throws java.net.SocketException { }\n> Compilation failed; see the compiler output below.": build.CodeBroken,
	} {
		if e := messages.Explain("* What went wrong:\n"+line+"\n", "gradle.log"); e.Code != want {
			t.Errorf("%s: %s (%s), want %s", line, e.Code, e.Message, want)
		}
	}
}

// What later versions of Gradle print.
func TestErrorLines(t *testing.T) {
	for line, want := range map[string]string{
		"> Task :compileJava FAILED":                          "",
		"> Configure project :app":                            "",
		"e: /p/src/test/kotlin/A.kt: (3, 5): Unresolved":      "e: /p/src/test/kotlin/A.kt: (3, 5): Unresolved",
		"   > Could not resolve a.b:c:1.":                     "Could not resolve a.b:c:1.",
		"/p/A.java:3: error: cannot find symbol":              "/p/A.java:3: error: cannot find symbol",
		":compileTestJava/p/A.java:3: error: cannot find it":  "/p/A.java:3: error: cannot find it",
		"Execution failed for task ':test'.":                  "Execution failed for task ':test'.",
		"BUILD FAILED in 3s":                                  "",
		"public class A { void m() { if (1 > 0) error(); } }": "",
	} {
		if got, _ := errorLine(line); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

func FuzzExplain(f *testing.F) {
	f.Add("* What went wrong:\nExecution failed for task ':x'.\n> java.io.IOException")
	f.Fuzz(func(t *testing.T, text string) {
		if e := messages.Explain(text, "log"); e.Code == "" || e.Message == "" || e.Hint == "" {
			t.Errorf("%+v", e)
		}
	})
}
