package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/config"
)

func TestConfigCheckPrintsTheConfiguration(t *testing.T) {
	d := newWorkspace(t)
	file := d.write(t, ".odfix.yml", "jdk: 17\nnetwork: true\n")
	d.write(t, ".github/.odfix.yml", "jdk: 21\ncomments: {tone: short}\n")
	org := d.write(t, "org.yml", "policy: {forbid: [network]}\nbudgets: {reruns: 5}\n")
	if code := d.run(t.Context(), "config", "check", d.dir, "--organisation", org); code != exitOK {
		t.Fatalf("status %d: %s", code, &d.stderr)
	}
	printed := regexp.MustCompile(` +`).ReplaceAllString(d.stdout.String(), " ")
	wantIn(t, printed, "jdk: 17 # "+file+":1\n", "tone: short # ", "reruns: 5 # "+org+":2\n", "enabled: true # default\n",
		"network: false # "+file+":2; the organisation's policy forbids it\n")
}

func TestConfigCheckOfOneFile(t *testing.T) {
	d := newWorkspace(t)
	file := d.write(t, "any-name.yml", "jdk: 17\n")
	d.write(t, ".odfix.yml", "wrong\n")
	if code := d.run(t.Context(), "config", "check", file); code != exitOK {
		t.Errorf("status %d: %s", code, &d.stderr)
	}
	wantIn(t, d.stdout.String(), "jdk: 17")
}

func TestConfigCheckWithoutFiles(t *testing.T) {
	d := newWorkspace(t)
	if code := d.run(t.Context(), "config", "check", d.dir); code != exitOK {
		t.Errorf("status %d: %s", code, &d.stderr)
	}
	wantIn(t, d.stdout.String(), "There is no .odfix.yml: the defaults hold.", "job-minutes: 20")
}

func TestConfigCheckNamesPositions(t *testing.T) {
	d := newWorkspace(t)
	file := d.write(t, ".odfix.yml", "jdk: 17\nnetwrok: true\ncomments:\n  tone: loud\n")
	if code := d.run(t.Context(), "config", "check", d.dir); code != exitError || d.stdout.Len() > 0 {
		t.Errorf("status %d, printed %s", code, &d.stdout)
	}
	wantIn(t, d.stderr.String(), file+`:2:1: there is no setting "netwrok" here. Did you mean network?`,
		file+`:4:9: comments.tone cannot be "loud".`)
	if code := d.run(t.Context(), "config", "check", d.dir, "--format", "json"); code != exitError {
		t.Errorf("status %d", code)
	}
	var out struct {
		Holds    bool
		Problems []config.Problem
	}
	if err := json.Unmarshal(d.stdout.Bytes(), &out); err != nil || out.Holds || len(out.Problems) != 2 || out.Problems[0].Column != 1 {
		t.Errorf("%v: %s", err, &d.stdout)
	}
}

func TestConfigUsageErrors(t *testing.T) {
	d := newWorkspace(t)
	for _, args := range []string{"config check a b", "config check " + d.dir + "/nothing",
		"config check --organisation nothing", "config check --format xml", "config chekc", "config schema x"} {
		if code := d.run(t.Context(), strings.Fields(args)...); code != exitUsage {
			t.Errorf("%s: status %d: %s", args, code, &d.stderr)
		}
		wantIn(t, d.stderr.String(), "odfix: ", "\n→ ")
	}
}

func TestConfigSchemaIsTheOneInDocs(t *testing.T) {
	d := newWorkspace(t)
	want, err := os.ReadFile("../docs/odfix-yml.schema.json")
	if code := d.run(t.Context(), "config", "schema"); err != nil || code != exitOK || d.stdout.String() != string(want) {
		t.Errorf("status %d, %v", code, err)
	}
}

// TestConfigurationPage checks that every example on the page is valid, and that the page explains
// every setting of the schema.
func TestConfigurationPage(t *testing.T) {
	page, err := os.ReadFile("../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(blocks) < 2 {
		t.Fatalf("%d examples", len(blocks))
	}
	for _, b := range blocks {
		r := config.Resolve(config.Source{Where: config.Organisation, Text: []byte(b[1])})
		for _, p := range r.Problems {
			t.Errorf("%s\n%s", p, b[1])
		}
	}
	text, err := os.ReadFile(filepath.FromSlash("../docs/odfix-yml.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	var walk func(path string, s map[string]any)
	walk = func(path string, s map[string]any) {
		props, _ := s["properties"].(map[string]any)
		for name, p := range props {
			full := strings.TrimPrefix(path+"."+name, ".")
			if sub := p.(map[string]any); sub["properties"] != nil {
				walk(full, sub)
			} else {
				wantIn(t, string(page), "| `"+full+"` |")
			}
		}
	}
	walk("", schema)
}

func TestConfigInit(t *testing.T) {
	d := newWorkspace(t)
	if code := d.run(t.Context(), "config", "init", d.dir); code != exitOK {
		t.Fatalf("status %d: %s", code, &d.stderr)
	}
	if code := d.run(t.Context(), "config", "check", d.dir); code != exitOK {
		t.Errorf("status %d: %s", code, &d.stderr)
	}
	if code := d.run(t.Context(), "config", "init", d.dir); code != exitUsage {
		t.Errorf("an existing file was replaced: status %d", code)
	}
	wantIn(t, d.stderr.String(), "exists already", "odfix config check")
}

func TestConfigCheckOfOddFiles(t *testing.T) {
	d := newWorkspace(t)
	d.write(t, ".odfix.yaml", "jdk: 17\n")
	if code := d.run(t.Context(), "config", "check", d.dir); code != exitError {
		t.Errorf("status %d", code)
	}
	wantIn(t, d.stderr.String(), ".odfix.yaml:1:1: odfix does not read a file of this name. Rename it to .odfix.yml.")
	d.write(t, ".odfix.yml", "# "+strings.Repeat("x", 100_000)+"\n")
	if code := d.run(t.Context(), "config", "check", d.dir); code != exitError {
		t.Errorf("status %d", code)
	}
	wantIn(t, d.stderr.String(), "the file has 100003 bytes, and 65536 is the most")
}
