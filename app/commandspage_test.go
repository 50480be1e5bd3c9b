//go:build sandbox

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCommandsPage: docs/commands.md is the help of all commands.
func TestCommandsPage(t *testing.T) {
	d := newWorkspace(t)
	if code := d.run(t.Context(), "man", "--markdown", d.dir); code != exitOK {
		t.Fatalf("status %d: %s", code, &d.stderr)
	}
	got, err := os.ReadFile(filepath.Join(d.dir, "commands.md"))
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("../docs/commands.md", got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("../docs/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("docs/commands.md is not the help (-page +help);\n"+
			"go test -tags sandbox ./app -run CommandsPage -update writes it:\n%s", diff)
	}
}

// TestDocumentedCommands: each command and each flag that the README and the pages of docs show exists.
func TestDocumentedCommands(t *testing.T) {
	page, err := os.ReadFile("../docs/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{}
	for section := range strings.SplitSeq(string(page), "\n## ") {
		name, text, _ := strings.Cut(section, "\n")
		sections[name] = text
	}
	pages, err := filepath.Glob("../docs/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal(pages, err)
	}
	inText := regexp.MustCompile("`(odfix[^`]*)`")
	inCode := regexp.MustCompile(`(?:^|&& |\$ )(odfix [^#|]*)`)
	flag := regexp.MustCompile(`^--[a-z-]+`)
	n := 0
	for _, file := range append(pages, "../README.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		code := false
		for line := range strings.Lines(string(text)) {
			use := inText
			switch {
			case strings.HasPrefix(strings.TrimSpace(line), "```"):
				code = !code
				continue
			case code:
				use = inCode
			}
			for _, m := range use.FindAllStringSubmatch(line, -1) {
				own, _, _ := strings.Cut(m[1], " -- ") // what follows is for Maven or Jest
				if strings.ContainsAny(own, "…→") {
					continue // a message
				}
				words := strings.Fields(own)
				name := words[0]
				for len(words) > 1 && sections[name+" "+words[1]] != "" {
					name, words = name+" "+words[1], words[1:]
				}
				if len(words) > 1 && name == "odfix" && words[1] != "help" && words[1] != "man" && !strings.HasPrefix(words[1], "-") {
					t.Errorf("%s: there is no command %q", file, m[1])
				}
				for _, w := range words {
					if f := flag.FindString(w); f != "" && f != "--help" && words[1] != "man" && !strings.Contains(sections[name], f+" ") {
						t.Errorf("%s: %s has no flag %s", file, name, f)
					}
				}
				n++
			}
		}
	}
	if n < 30 {
		t.Errorf("only %d uses of commands were found", n)
	}
}
