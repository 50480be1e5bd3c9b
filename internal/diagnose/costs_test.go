package diagnose

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

var update = flag.Bool("update", false, "write testdata/costs.txt anew")

// costs holds what each diagnosis of these tests costs and gives, by test name and number. A change
// of the search shows there which diagnoses become cheaper and which more expensive.
var costs struct {
	sync.Mutex
	known map[string]string
	calls map[string]int
}

const costsFile = "testdata/costs.txt"

func TestMain(m *testing.M) {
	flag.Parse()
	costs.known, costs.calls = map[string]string{}, map[string]int{}
	text, err := os.ReadFile(costsFile)
	if err != nil && !*update {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for line := range strings.Lines(string(text)) {
		name, what, _ := strings.Cut(strings.TrimSpace(line), ": ")
		costs.known[name] = what
	}
	code := m.Run()
	if *update {
		var b strings.Builder
		for _, name := range slices.Sorted(maps.Keys(costs.known)) {
			fmt.Fprintf(&b, "%s: %s\n", name, costs.known[name])
		}
		if err := os.WriteFile(costsFile, []byte(b.String()), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// maxCosts is how many diagnoses of one test are compared.
const maxCosts = 6

// checkCosts compares what a diagnosis cost and gave with testdata/costs.txt. go test -update writes
// the file.
func checkCosts(t *testing.T, res *Result, events int) {
	t.Helper()
	costs.Lock()
	defer costs.Unlock()
	costs.calls[t.Name()]++
	n := costs.calls[t.Name()]
	if n == 1 {
		t.Cleanup(func() { // with -count, the test runs again
			costs.Lock()
			defer costs.Unlock()
			delete(costs.calls, t.Name())
		})
	}
	if n > maxCosts {
		return
	}
	name := fmt.Sprintf("%s %d", t.Name(), n)
	got := costOf(res, events)
	if *update {
		costs.known[name] = got
	} else if want := costs.known[name]; got != want {
		t.Errorf("%s has changed; go test -update writes it\n got %s\nwant %s", name, got, want)
	}
}

// costOf formats a result as one line.
func costOf(res *Result, events int) string {
	q := res.Cost.Questions
	line := fmt.Sprintf("%d fresh, %d warm, %d batched, %d tests, %d events, %d notes", q[suite.Fresh], q[suite.Warm], q[suite.Batched],
		res.Cost.Tests, events, len(res.Notes))
	if res.Unfinished {
		line += ", unfinished"
	}
	of := map[string]int{}
	for _, r := range res.Tests {
		one := fmt.Sprintf("%s after %d polluters %d setters %d cleaners, minimal %d, %d answers, %d notes, %d runs", r.Verdict,
			len(r.Polluters), len(r.StateSetters), len(r.Cleaners), len(r.MinimalOrder), len(r.Evidence), len(r.Notes), r.Cost.Total())
		if r.Unfinished {
			one += ", unfinished"
		}
		of[one]++
	}
	for _, one := range slices.Sorted(maps.Keys(of)) {
		line += fmt.Sprintf(" | %d %s", of[one], one)
	}
	return line
}
