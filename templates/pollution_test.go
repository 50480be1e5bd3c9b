package templates

import (
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// TestPollutionNote: foreign text stays within its sentence, and long lists are cut.
func TestPollutionNote(t *testing.T) {
	var r job.Report
	r.NameTests(job.NameBy(junitid.Syntax{}), "a.b.T#t", "a.A#a", "a.B#b", "a.C#c")
	p := NewPolluter{Names: r.Names, Test: "a.b.T#t", Path: "a.S.x", Before: "null", After: "\"y\n\x1b[1m\"",
		Readers: []suite.TestID{"a.A#a", "a.B#b", "a.C#c", "a.D#d"}, MoreReaders: 4, More: 2}
	title, message := PollutionNote(p)
	if want := "T#t leaves shared state changed"; title != want {
		t.Errorf("title %q", title)
	}
	if want := `a.S.x: null before, "y\n\x1b[1m" after this test; read by A#a, B#b, C#c and 5 more, none of which was seen to fail. It leaves 2 more places changed, too.`; message != want {
		t.Errorf("got  %q\nwant %q", message, want)
	}
	p.Fails, p.More = true, 0
	if _, message = PollutionNote(p); !strings.HasSuffix(message, "and 5 more, one of which fails in the suite's own order; the reason is not known.") {
		t.Errorf("a reader fails: %q", message)
	}
	p.Readers, p.MoreReaders = p.Readers[:1], 0
	if _, message = PollutionNote(p); !strings.HasSuffix(message, "read by A#a, which fails in the suite's own order; the reason is not known.") {
		t.Errorf("the only reader fails: %q", message)
	}
	p = NewPolluter{Names: r.Names, Test: "a.T#t", Path: "a.S.x", Before: "1", After: "2",
		WrittenBy: "a.S.put(S.java:7)", Breaks: []suite.TestID{"a.A#a", "a.B#b"}}
	_, message = PollutionNote(p)
	if want := "a.S.x: 1 before, 2 after this test, written by a.S.put(S.java:7); A#a and B#b pass by themselves " +
		"and fail directly after it."; message != want {
		t.Errorf("got  %q\nwant %q", message, want)
	}
}
