package config

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write golden files anew")

// Decode decodes one file, without defaults, as Resolve does.
func Decode(file string, text []byte) (Config, []Problem) {
	l := decodeLayer(Source{File: file, Text: text})
	return l.config, l.problems
}

// TestErrors checks the problems of each file in testdata/errors, with line and column.
func TestErrors(t *testing.T) {
	files, err := filepath.Glob("testdata/errors/*.yml")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, problems := Decode(filepath.Base(file), text)
		var b strings.Builder
		for _, p := range problems {
			b.WriteString(p.String() + "\n")
		}
		golden := strings.TrimSuffix(file, ".yml") + ".txt"
		if *update {
			if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil || b.String() != string(want) || b.Len() == 0 {
			t.Errorf("%s: %v\n%s\nwanted\n%s", file, err, &b, want)
		}
	}
}

// TestBombs checks that each file is refused. Expanding one would take longer than the test's time
// limit.
func TestBombs(t *testing.T) {
	var laughs strings.Builder
	laughs.WriteString("a0: &a0 [x, x]\n")
	for i := range 30 {
		laughs.WriteString("a" + string(rune('a'+i%26)) + strings.Repeat("z", i/26) + ": &b [*a0, *a0, *a0, *a0]\n")
	}
	for name, text := range map[string]string{
		"aliases":    laughs.String(),
		"itself":     "jdk: &a [*a]\n",
		"merge":      "x: &x {jdk: 17}\n<<: *x\n",
		"merge only": "<<: {jdk: 17}\n",
		"size":       "jdk: 17\n#" + strings.Repeat("x", MaxBytes),
		"flow depth": strings.Repeat("[", MaxBytes-2),
		"map depth":  "jdk: " + strings.Repeat("{a: ", 9000),
		"dash depth": strings.Repeat("- ", 20000),
		"columns":    strings.Repeat("? ", 30000),
		"keys":       strings.Repeat("a: 1\n", 12000),
		"items":      "environment: [" + strings.Repeat("A, ", 20000) + "]",
		"tag":        "jdk: !!python/object:os.system 17\n",
		"binary":     "\x00\x01\x02\xff",
		"utf-16":     "\xff\xfej\x00d\x00k\x00",
	} {
		_, problems := Decode("bomb", []byte(text))
		if len(problems) == 0 || len(problems) > maxProblems {
			t.Errorf("%s: %d problems", name, len(problems))
		}
		for _, p := range problems {
			if len(p.String()) > 1200 {
				t.Errorf("%s: a problem of %d characters", name, len(p.String()))
			}
		}
	}
}

// TestColumnsCountCharacters checks that columns count characters, as in editors and on GitHub.
func TestColumnsCountCharacters(t *testing.T) {
	_, problems := Decode("f", []byte("ci: {jobs: [\"äöü€\", 17]}\n"))
	if len(problems) != 1 || problems[0].Line != 1 || problems[0].Column != 21 {
		t.Errorf("%v", problems)
	}
}

// FuzzDecode checks that nothing panics, that every problem has a position in the file, and that an
// accepted file is printed as a file with the same meaning.
func FuzzDecode(f *testing.F) {
	f.Add(greedy)
	f.Add("policy: {forbid: [enabling], never-patch: ['a b']}\n---\n")
	f.Add("jdk: &a 17\nnetwork: *a\n? [x]\n: {}\n\tx")
	files, _ := filepath.Glob("testdata/errors/*.yml")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	schema := compiledSchema(f)
	f.Fuzz(func(t *testing.T, text string) {
		watchdog := time.AfterFunc(time.Minute, func() { panic("this takes too long") })
		defer watchdog.Stop()
		r := Resolve(Source{Where: Organisation, Text: []byte(text)})
		lines := strings.Count(text, "\n") + 1
		for _, p := range r.Problems {
			if p.Line < 1 || p.Line > lines || p.Column < 1 || p.Message == "" || p.Hint == "" ||
				strings.ContainsAny(p.String(), "\n\x1b") {
				t.Errorf("%d lines: %+v", lines, p)
			}
		}
		agree(t, schema, text, r.Problems)
		if len(r.Problems) > 0 {
			return
		}
		again := Resolve(Source{Where: Organisation, Text: []byte(r.YAML())})
		if len(again.Problems) > 0 || len(r.Refused) == 0 && again.YAML() == "" {
			t.Errorf("%s\nreads back as %v", r.YAML(), again.Problems)
		}
	})
}
