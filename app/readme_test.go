package main

import (
	"os"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// TestReadme checks that README.md names exactly the flags of fix, and the exit statuses in the
// words of --help.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	readme := string(text)
	_, table, _ := strings.Cut(readme, "| flag of `fix` |")
	table, _, _ = strings.Cut(table, "\n\n")
	var code int
	named := map[string]bool{}
	fixCommand(world{}, &code).Flags().VisitAll(func(f *pflag.Flag) {
		named[f.Name] = true
		wantIn(t, table, "| `--"+f.Name+"`")
	})
	for row := range strings.Lines(table) {
		_, name, ok := strings.Cut(row, "| `--")
		name, _, _ = strings.Cut(name, "`")
		if ok && !named[name] {
			t.Errorf("the README names --%s, which there is not", name)
		}
	}
	_, statuses, _ := strings.Cut(about, "Exit status of fix:\n")
	for l := range strings.Lines(statuses) {
		if number, meaning, ok := strings.Cut(strings.TrimSpace(l), "  "); ok {
			wantIn(t, readme, "| "+number+" | "+meaning+" |")
		}
	}
}
