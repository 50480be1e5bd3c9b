package ledger

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/suite"
)

func run(o suite.Order, outcomes string) *suite.Run {
	r := &suite.Run{Order: o, Price: suite.Fresh, Nanos: 7}
	for i, t := range o {
		res := suite.Result{Test: t, Position: i}
		switch outcomes[i] {
		case 'p':
			res.Outcome = suite.Pass
		case 'f':
			res.Outcome, res.Failure = suite.Fail, &suite.Failure{Type: "E", Message: "größe"}
		case '?':
			res.Outcome = suite.Unresolved
			r.Crash, r.Output = &suite.Crash{Kind: "exit", During: t}, "bye"
		}
		r.Results = append(r.Results, res)
	}
	return r
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// odd returns a file name with characters that are special in a URL.
func odd(t *testing.T) string { return filepath.Join(t.TempDir(), "a b?c#d%20.db") }

func TestRunsAreReturnedInOrder(t *testing.T) {
	file := odd(t)
	l, err := Open(t.Context(), file, "code", false)
	must(t, err)
	ab, ba := suite.Order{"a#1", "b#x\n[2]"}, suite.Order{"b#x\n[2]", "a#1"}
	first, second, third := run(ab, "pf"), run(ab, "pp"), run(ba, "p?")
	must(t, l.Record(t.Context(), first, false))
	must(t, l.Record(t.Context(), second, true))
	must(t, l.Record(t.Context(), third, false))
	if got, err := l.Recall(t.Context(), ab, false); got != nil || err != nil {
		t.Errorf("a run stored since opening was returned: %v, %v", got, err)
	}
	must(t, l.Keep(t.Context(), "k", "n", []string{"x"}))
	must(t, l.Close())
	if _, err := os.Stat(file); err != nil {
		t.Fatal(err)
	}

	l, err = Open(t.Context(), file, "code", true)
	must(t, err)
	defer l.Close()
	for i, want := range []*suite.Run{first, second, nil} {
		got, err := l.Recall(t.Context(), ab, false)
		must(t, err)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("answer %d: %s", i, d)
		}
	}
	if got, _ := l.Recall(t.Context(), ba, true); got != nil {
		t.Error("a run with others beside passed for a lone one")
	}
	got, err := l.Recall(t.Context(), ba, false)
	must(t, err)
	if d := cmp.Diff(third, got); d != "" {
		t.Error(d)
	}
	var kept []string
	if ok, err := l.Kept(t.Context(), "k", "n", &kept); !ok || err != nil || len(kept) != 1 {
		t.Errorf("%v %v %v", ok, err, kept)
	}
	if ok, _ := l.Kept(t.Context(), "k", "other", &kept); ok {
		t.Error("a value that was never kept")
	}
	if old, reused := l.Old(); old != 3 || reused != 3 {
		t.Errorf("%d old, %d reused", old, reused)
	}
}

func TestOpen(t *testing.T) {
	file := odd(t)
	if _, err := Open(t.Context(), file, "code", true); !errors.Is(err, ErrNone) {
		t.Errorf("nothing there: %v", err)
	}
	l, err := Open(t.Context(), file, "code", false)
	must(t, err)
	must(t, l.Record(t.Context(), run(suite.Order{"a"}, "p"), false))
	for _, resume := range []bool{true, false} {
		if _, err := Open(t.Context(), file, "code", resume); !errors.Is(err, ErrBusy) {
			t.Errorf("in use: %v", err)
		}
	}
	must(t, l.Close())
	if _, err := Open(t.Context(), file, "other code", true); !errors.Is(err, ErrChanged) {
		t.Errorf("other code: %v", err)
	}
	l, err = Open(t.Context(), file, "other code", false)
	must(t, err)
	if old, _ := l.Old(); old != 0 {
		t.Error("begun anew with old runs")
	}
	must(t, l.Close())
	l, err = Open(t.Context(), file+".old", "code", true)
	must(t, err)
	defer l.Close()
	if old, _ := l.Old(); old != 1 {
		t.Error("what was there before is lost")
	}
}

// TestHistory: a new ledger remembers the searches of those that it replaced, of each the last
// result, and a limited number.
func TestHistory(t *testing.T) {
	file := odd(t)
	for i := range maxHistory + 3 {
		l, err := Open(t.Context(), file, fmt.Sprint("code ", i), false)
		must(t, err)
		earlier, err := l.Earlier(t.Context())
		must(t, err)
		if len(earlier) != min(i, maxHistory) {
			t.Fatalf("search %d remembers %d", i, len(earlier))
		}
		if i > 0 && earlier[len(earlier)-1].Revision != fmt.Sprint("second ", i-1) {
			t.Errorf("search %d remembers %+v last", i, earlier[len(earlier)-1])
		}
		for _, part := range []string{"first", "second"} {
			must(t, l.Remember(t.Context(), Search{Revision: fmt.Sprint(part, " ", i), Tests: []suite.TestID{"a#b"}}))
		}
		must(t, l.Close())
		if l, err = Open(t.Context(), file, fmt.Sprint("code ", i), true); err != nil {
			t.Fatal(err)
		}
		again, err := l.Earlier(t.Context())
		must(t, err)
		if d := cmp.Diff(earlier, again); d != "" {
			t.Errorf("a resumed search remembers something else: %s", d)
		}
		must(t, l.Close())
	}
}

func TestDamage(t *testing.T) {
	file := odd(t)
	must(t, os.WriteFile(file, []byte("this file is not a database, and it is long enough to be read as one"), 0o600))
	if _, err := Open(t.Context(), file, "code", true); err == nil {
		t.Error("any file passes for a ledger")
	}
	l, err := Open(t.Context(), file, "code", false)
	must(t, err)
	must(t, l.Record(t.Context(), run(suite.Order{"a", "b"}, "pp"), false))
	_, err = l.db.Exec("UPDATE runs SET tests = x'ff'")
	must(t, err)
	must(t, l.Close())
	l, err = Open(t.Context(), file, "code", true)
	must(t, err)
	defer l.Close()
	if _, err := l.Recall(t.Context(), suite.Order{"a", "b"}, false); err == nil {
		t.Error("a damaged run passes")
	}
}

// TestFull checks that a value that does not fit is an error, that earlier values stay, and that
// the ledger works again once there is space.
func TestFull(t *testing.T) {
	file := odd(t)
	l, err := Open(t.Context(), file, "code", false)
	must(t, err)
	small := suite.Order{"a", "b"}
	must(t, l.Record(t.Context(), run(small, "pf"), false))
	var big suite.Order
	var outcomes strings.Builder
	for i := range 5000 {
		big = append(big, suite.TestID(fmt.Sprintf("some.Class#method%d", i)))
		outcomes.WriteByte('p')
	}
	_, err = l.db.Exec("PRAGMA max_page_count = 12") // like a full disk: SQLITE_FULL
	must(t, err)
	if err := l.Record(t.Context(), run(big, outcomes.String()), false); err == nil {
		t.Error("what did not fit was kept")
	}
	if err := l.Keep(t.Context(), "k", "n", outcomes.String()+outcomes.String()+strings.Repeat("x", 1<<16)); err == nil {
		t.Error("what did not fit was kept")
	}
	_, err = l.db.Exec("PRAGMA max_page_count = 100000")
	must(t, err)
	must(t, l.Record(t.Context(), run(big, outcomes.String()), false))
	must(t, l.Close())
	l, err = Open(t.Context(), file, "code", true)
	must(t, err)
	defer l.Close()
	for _, o := range []suite.Order{small, big} {
		if got, err := l.Recall(t.Context(), o, false); got == nil || err != nil {
			t.Errorf("of %d tests: %v, %v", len(o), got, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte{0, 1}, []byte("pf"), `{"failures":{"1":{"type":"E"}}}`)
	f.Add([]byte{0x80}, []byte(""), "null")
	f.Fuzz(func(t *testing.T, tests, outcomes []byte, text string) {
		l := &Ledger{ids: []suite.TestID{"a", "b"}}
		run, err := l.decode(tests, outcomes, text)
		if err == nil && len(run.Results) != len(run.Order) {
			t.Errorf("%+v", run)
		}
	})
}
