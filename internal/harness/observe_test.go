//go:build unix

package harness

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// witness records what it receives.
type witness struct {
	places   []string
	segments []state.Segment
	notes    []string
	calls    []Call
	imports  []Imported
	classes  []string
}

func (w *witness) Field(_ int, name string, ambient bool) {
	if ambient {
		name += " (ambient)"
	}
	w.places = append(w.places, name)
}
func (w *witness) Segment(s state.Segment)  { w.segments = append(w.segments, s) }
func (w *witness) Initialised(class string) { w.classes = append(w.classes, class) }
func (w *witness) Note(text string)         { w.notes = append(w.notes, text) }
func (w *witness) Calls(_ int, calls []Call, imports []Imported) {
	w.calls, w.imports = append(w.calls, calls...), append(w.imports, imports...)
}

func TestObserve(t *testing.T) {
	var w witness
	run, err := newTestPool(t, Config{}).Observe(t.Context(), order("pass", "touches", "notes", "calls", "initialises"), &w, 0)
	if err != nil || run.Crash != nil {
		t.Fatal(err, run)
	}
	want := witness{
		places: []string{"a.B.x", "locale (ambient)"},
		segments: []state.Segment{{
			Kind: 't', Position: 1, Read: []int{0, 1}, InitWrite: []int{1},
			Values: []state.Value{{Field: 0, Before: -1, After: 7, Behind: 2}, {Field: 1, Unsure: true}},
		}},
		notes:   []string{"a.C is too large"},
		classes: []string{"a.B", "a.C"},
		calls:   []Call{{Blocks: []string{"block"}, Function: "store.reset"}, {Function: "clear"}},
		imports: []Imported{{Blocks: []string{"block"}, Path: "store", File: "src/a.js", Variable: "shelf"}},
	}
	if diff := cmp.Diff(want, w, cmp.AllowUnexported(witness{})); diff != "" {
		t.Errorf("received (-want +got):\n%s", diff)
	}
	if _, err := newTestPool(t, Config{}).Observe(t.Context(), order("pass"), nil, 0); err == nil {
		t.Error("an observation for nobody was made")
	}
}

// ending is a witness for whom the time ends with the first note.
type ending struct {
	witness
	noted chan struct{}
}

func (e *ending) Note(text string) {
	e.witness.Note(text)
	close(e.noted)
}

// TestObserveWithin: an observed run that is stopped has the tests that ended until then.
func TestObserveWithin(t *testing.T) {
	const within = 41 * time.Second // no limit of the pool
	w := ending{noted: make(chan struct{})}
	clock := newFakeClock(func(d time.Duration, _ int) <-chan struct{} {
		if d == within {
			return w.noted
		}
		return nil
	})
	run, err := newTestPool(t, Config{clock: clock}).Observe(t.Context(), order("pass", "touches", "notes", "hang"), &w, within)
	if err != nil || run.Crash == nil || run.Crash.Kind != "killed" || run.Crash.Detail != "it was stopped after 41s" {
		t.Fatalf("%v, %+v", err, run)
	}
	if run.Results[1].Outcome != pass || run.Last().Outcome != unresolved || len(w.segments) != 1 {
		t.Errorf("%v, %+v", outcomes(run), w.segments)
	}
}

// TestObserveLies checks that an impossible event is a protocol error and does not reach the
// observer.
func TestObserveLies(t *testing.T) {
	for what, want := range map[string]string{
		"unannounced": "place 5 was never announced", "unannounced value": "place 9 was never announced",
		"announces twice": "place 0 announced where 1 was due",
		"segment nowhere": "a segment at position 77", "calls nowhere": "calls at position 77",
		"odd segment": "unknown kind 'z'", "segments for ever": "more than 16 segments",
	} {
		var w witness
		run, err := newTestPool(t, Config{}).Observe(t.Context(), order(what), &w, 0)
		if err != nil || run.Crash == nil || run.Crash.Kind != "protocol" || !strings.Contains(run.Crash.Detail, want) {
			t.Errorf("%s: %v, %+v", what, err, run)
		}
		if what != "segments for ever" && len(w.segments) > 0 {
			t.Errorf("%s: received %+v", what, w.segments)
		}
	}
	run := mustRun(t, newTestPool(t, Config{}), order("touches"), fresh)
	if run.Crash == nil || run.Results[0].Outcome != suite.Unresolved {
		t.Errorf("a run that nobody observes took what was observed: %+v", run)
	}
}

// observed sends what a fake test reports about static state.
func (f *fake) observed(i int64, what string) bool {
	place := func(n uint32, name string, flags byte) { f.send(newMessage(evField).u32(n).str(name).u8(flags)) }
	none := func(m message) message { return m.u32(0) }
	begin := newMessage(evSegment).u8('t').i64(i)
	switch what {
	case "touches":
		place(0, "a.B.x", 0)
		place(1, "locale", 1)
		m := none(begin.u32(2).u32(0).u32(1)) // read, written
		m = none(m).u32(1).u32(1)             // while initialising
		f.send(m.u32(2).u32(0).u8('v').i64(-1).i64(7).u32(2).u32(1).u8('u').i64(0).i64(0).u32(0))
	case "notes":
		f.send(newMessage(evNote).str("a.C is too large"))
	case "initialises":
		f.send(newMessage(evInitClass).str("a.B"))
		f.send(newMessage(evInitClass).str("a.C"))
	case "calls":
		f.send(newMessage(evCalls).i64(i).u32(2).strs([]string{"block"}).str("store.reset").strs(nil).str("clear").
			u32(1).strs([]string{"block"}).str("store").str("src/a.js").str("shelf"))
	case "calls nowhere":
		f.send(newMessage(evCalls).i64(77).u32(0))
	case "unannounced":
		f.send(none(none(none(none(begin.u32(1).u32(5))))))
	case "unannounced value":
		f.send(none(none(none(none(begin)))).u32(1).u32(9).u8('v').i64(0).i64(0).u32(0))
	case "announces twice":
		place(0, "a.B.x", 0)
		place(0, "a.B.x", 0)
	case "segment nowhere":
		f.send(none(none(none(none(none(newMessage(evSegment).u8('b').i64(77)))))))
	case "odd segment":
		f.send(none(none(none(none(none(newMessage(evSegment).u8('z').i64(i)))))))
	case "segments for ever":
		for range 17 {
			f.send(none(none(none(none(none(newMessage(evSegment).u8('t').i64(i)))))))
		}
	default:
		return false
	}
	return true
}

func TestAgentCommand(t *testing.T) {
	j := JVM{Java: "java", Args: []string{"-javaagent:jacoco.jar"}, HarnessJar: "h.jar", Agent: "a b/s.jar"}
	s, err := j.Spec()
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Command[1:3]; !cmp.Equal(got, []string{"-javaagent:jacoco.jar", "-javaagent:a b/s.jar"}) {
		t.Errorf("arguments %q", got)
	}
	j.Agent = "a=b/s.jar"
	if _, err := j.Spec(); err == nil || !strings.Contains(err.Error(), "another folder") {
		t.Errorf("a path that a JVM cuts: %v", err)
	}
}
