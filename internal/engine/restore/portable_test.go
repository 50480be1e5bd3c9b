package restore

import (
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/state"
)

// What is one process's or this machine's own is no value to write into a patch, nor to show to
// others.
func TestPortable(t *testing.T) {
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	here := []string{"/builds/proj-1/tree", "/tmp"}
	change := func(path, before, after string) state.Change {
		return state.Change{Field: "a.B.c", Path: path, Before: before, After: after}
	}
	first := []state.Change{
		change(`a.B.c["vdm"]`, "absent", `"x"`), change("a.B.c.base", `"/builds/proj-1/tree/m"`, `"x"`), change("a.B.c.started",
			"1763776543210", "0"),
		change("a.B.c.port", "0", "41873"), change(`a.B.c["/tmp/1"]`, "absent", "1"), change(`a.B.c["3f2a"]`, "absent", "1"),
		change("a.B.c.host", strconv.Quote(host), strconv.Quote(host+" is a word")),
	}
	again := slices.Clone(first)
	again[2].Before, again[3].After, again[5].Path = "1763776549999", "39114", `a.B.c["77b0"]`
	want := []state.Change{first[0], change("a.B.c.base", "", `"x"`), change("a.B.c.started", "", "0"), change("a.B.c.port", "0", ""),
		change("a.B.c.host", "", strconv.Quote(host+" is a word"))}
	if diff := cmp.Diff(want, portable(first, again, here)); diff != "" {
		t.Error(diff)
	}
	if got := reportedChanges(first[1:2], []string{"a.B.c"}, here); len(got) != 1 || got[0].Before != `"…/m"` {
		t.Errorf("%+v", got)
	}
}
