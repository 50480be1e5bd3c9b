package examples

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

var (
	verdicts = []string{"victim", "brittle", "victim-brittle", "flaky", "genuine", "unresolved"}
	outcomes = []string{"green", "red", "crash", "random"}
)

func TestExpectedAgreesWithSources(t *testing.T) {
	all := load(t)
	if len(all) < 15 {
		t.Fatalf("only %d examples found", len(all))
	}
	for _, ex := range all {
		t.Run(ex.Name, func(t *testing.T) {
			if ex.Story == "" || !slices.Contains(outcomes, ex.MvnTest+ex.GradleTest+ex.NpmTest) || len(ex.Findings) == 0 {
				t.Errorf("story %q, mvnTest %q, gradleTest %q, npmTest %q, %d findings: give a story, findings, and one of the results",
					ex.Story, ex.MvnTest, ex.GradleTest, ex.NpmTest, len(ex.Findings))
			}
			for _, f := range ex.Findings {
				checkFinding(t, ex, f)
			}
		})
	}
}

func checkFinding(t *testing.T, ex Example, f Finding) {
	t.Helper()
	if !slices.Contains(verdicts, f.Verdict) {
		t.Errorf("%s: verdict %q is none", f.Test, f.Verdict)
	}
	order, err := ex.Order(f.FailingOrder)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(order, f.Test) {
		t.Errorf("%s is not in %s", f.Test, f.FailingOrder)
	}
	checkSets(t, f)
	ids := append([]string{f.Test}, order...)
	for _, set := range [][][]string{f.Polluters, f.StateSetters, f.Cleaners} {
		ids = append(ids, slices.Concat(set...)...)
	}
	for _, id := range ids {
		checkExists(t, ex, id)
	}
}

// checkSets compares the verdict with the sets that a finding with this verdict must have and must
// not have.
func checkSets(t *testing.T, f Finding) {
	t.Helper()
	needs := map[string][2]bool{"victim": {true, false}, "brittle": {false, true}, "victim-brittle": {true, true}}[f.Verdict]
	if got := [2]bool{len(f.Polluters) > 0, len(f.StateSetters) > 0}; got != needs {
		t.Errorf("%s: a %s test has polluters, state-setters = %v, want %v", f.Test, f.Verdict, got, needs)
	}
	if helper := len(f.StateSetters) > 0 || len(f.Cleaners) > 0; f.Patch != (helper || f.Kind == "reset") {
		t.Errorf("%s: patch %v of kind %q, but helpers %v", f.Test, f.Patch, f.Kind, helper)
	}
	if (f.Hangs || f.Exits) != (f.Verdict == "unresolved") {
		t.Errorf("%s: unresolved needs hangs or exits, and only it", f.Test)
	}
	if self := slices.ContainsFunc(f.Polluters, func(p []string) bool { return slices.Contains(p, f.Test) }); self != f.NonIdempotent {
		t.Errorf("%s: nonIdempotent %v, among its own polluters %v", f.Test, f.NonIdempotent, self)
	}
}

// checkExists finds the class's file and a method of that name in the right class of it.
func checkExists(t *testing.T, ex Example, id string) {
	t.Helper()
	class, method, ok := strings.Cut(id, "#")
	if !ok {
		t.Errorf("%q is no test id", id)
		return
	}
	if ex.Jest() {
		checkTitles(t, ex, class, method)
		return
	}
	if suite, inner, ok := strings.Cut(class, ">"); ok {
		readSource(t, ex, suite)
		class = inner
	}
	top, nested, _ := strings.Cut(class, "$")
	body := readSource(t, ex, top)
	for _, n := range strings.Split(nested, "$") {
		if n == "" {
			continue
		}
		_, after, found := strings.Cut(body, "class "+n+" ")
		if !found {
			t.Errorf("%s: no class %s in %s", id, n, top)
		}
		body = after
	}
	name := method[:len(method)-len(strings.TrimLeft(method, word))]
	if !regexp.MustCompile(`\s` + regexp.QuoteMeta(name) + `\s*\(`).MatchString(body) {
		t.Errorf("%s: no method %s in %s", id, name, class)
	}
}

// checkTitles finds the titles of describe blocks and of the test in their file, in this order.
func checkTitles(t *testing.T, ex Example, file, titles string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(ex.Dir, filepath.FromSlash(file)))
	if err != nil {
		t.Error(err)
		return
	}
	rest := string(b)
	for _, title := range strings.Split(titles, " › ") {
		_, after, found := strings.Cut(rest, "'"+title+"'")
		if !found {
			t.Errorf("%s: there is no %q in %s", ex.Name, title, file)
		}
		rest = after
	}
}

const word = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

func readSource(t *testing.T, ex Example, class string) string {
	t.Helper()
	file := filepath.Join(ex.Dir, ex.Module, "src", "test", "java", filepath.FromSlash(strings.ReplaceAll(class, ".", "/"))+".java")
	b, err := os.ReadFile(file)
	if err != nil {
		t.Errorf("%s: %v", ex.Name, err)
	}
	return string(b)
}

func TestReadmeListsEveryExample(t *testing.T) {
	b, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, ex := range load(t) {
		if !strings.Contains(string(b), "[`"+ex.Name+"`]("+ex.Name+"/)") {
			t.Errorf("README.md has no row for %s", ex.Name)
		}
	}
}

func TestLatin1ExampleKeptItsBytes(t *testing.T) {
	files, err := filepath.Glob("latin1-crlf/src/test/java/com/example/addresses/*.java")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		s := string(b)
		if strings.Count(s, "\n") != strings.Count(s, "\r\n") || !strings.Contains(s, "\n\t") {
			t.Errorf("%s: an editor or git changed its line ends or tabs", f)
		}
		if utf8.ValidString(s) {
			t.Errorf("%s is no longer ISO-8859-1", f)
		}
	}
}

func load(t *testing.T) []Example {
	t.Helper()
	all, err := Load(".")
	if err != nil {
		t.Fatal(err)
	}
	return all
}
