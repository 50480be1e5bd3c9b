package state

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/suite"
)

// FileVersion is the version of the file that holds a relation; docs/relation.schema.json describes
// the file.
const FileVersion = 1

type file struct {
	Version int         `json:"version"`
	Tests   suite.Order `json:"tests"`
	Apart   bool        `json:"apart,omitempty"`
	Notes   []string    `json:"notes,omitempty"`
	// Failed holds tests, encoded as in doingInFile.
	Failed []byte `json:"failed,omitempty"`
	// Spans holds four numbers for each test: Begin, End, VisitBegin and VisitEnd.
	Spans  []int         `json:"spans"`
	Fields []fieldInFile `json:"places"`
}

type fieldInFile struct {
	Name    string      `json:"name"`
	Ambient bool        `json:"ambient,omitempty"`
	Tests   doingInFile `json:"tests,omitzero"`
	Around  doingInFile `json:"around,omitzero"`
	// Segments and Held are the field's history. Equal values in Held mean equal contents. 0 means
	// unknown contents.
	Segments []int `json:"segments,omitempty"`
	Held     []int `json:"held,omitempty"`
}

// doingInFile holds sets as bytes: test i is bit i%8 of byte i/8.
type doingInFile struct {
	Read    []byte `json:"read,omitempty"`
	Written []byte `json:"written,omitempty"`
	First   []byte `json:"first,omitempty"`
	Changed []byte `json:"changed,omitempty"`
	Unsure  []byte `json:"unsure,omitempty"`
}

// sets returns the sets in the order of Doing.sets.
func (d *doingInFile) sets() []*[]byte {
	return []*[]byte{&d.Read, &d.Written, &d.First, &d.Changed, &d.Unsure}
}

// File encodes the relation as JSON.
func (r *Relation) File() ([]byte, error) {
	f := file{Version: FileVersion, Tests: r.Tests, Apart: r.Apart, Notes: r.Notes, Failed: pack(r.failed),
		Fields: make([]fieldInFile, len(r.Fields))}
	for i := range r.Fields {
		p := &r.Fields[i]
		f.Fields[i] = fieldInFile{Name: p.Name, Ambient: p.Ambient}
		f.Fields[i].Segments, f.Fields[i].Held = packHistory(p.History)
		for j, s := range p.Tests.sets() {
			*f.Fields[i].Tests.sets()[j] = pack(*s)
		}
		for j, s := range p.Around.sets() {
			*f.Fields[i].Around.sets()[j] = pack(*s)
		}
	}
	for _, s := range r.spans {
		f.Spans = append(f.Spans, s.Begin, s.End, s.VisitBegin, s.VisitEnd)
	}
	return json.Marshal(f)
}

// Parse reads the file of a relation, and checks every number in it.
func Parse(text []byte, groups *suite.Groups) (*Relation, error) {
	var f file
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, fmt.Errorf("it is not JSON of a relation: %w", err)
	}
	if f.Version != FileVersion {
		return nil, fmt.Errorf("its version is %d; this odfix reads version %d", f.Version, FileVersion)
	}
	seen := map[suite.TestID]bool{}
	for _, t := range f.Tests {
		if strings.TrimSpace(string(t)) == "" || seen[t] {
			return nil, fmt.Errorf("the test %q is in it twice, or has no name", t)
		}
		seen[t] = true
	}
	r := &Relation{groups: groups, Tests: f.Tests, Apart: f.Apart, Notes: f.Notes, Fields: make([]Field, len(f.Fields))}
	for i, p := range f.Fields {
		q := &r.Fields[i]
		q.Name, q.Ambient = p.Name, p.Ambient
		if len(p.Held) != len(p.Segments) || !slices.IsSorted(p.Segments) {
			return nil, fmt.Errorf("field %d (%s): its history is no history", i, p.Name)
		}
		for j, at := range p.Segments {
			q.History = append(q.History, Moment{Segment: at, Held: int64(p.Held[j]), Unknown: p.Held[j] == 0})
		}
		if err := errors.Join(p.Tests.into(&q.Tests, len(f.Tests)), p.Around.into(&q.Around, len(f.Tests))); err != nil {
			return nil, fmt.Errorf("field %d (%s): %w", i, p.Name, err)
		}
	}
	var err error
	if r.failed, err = unpack(f.Failed, len(f.Tests)); err != nil {
		return nil, fmt.Errorf("the tests that failed: %w", err)
	}
	if len(f.Spans) != 4*len(f.Tests) {
		return nil, fmt.Errorf("it has %d spans for %d tests", len(f.Spans)/4, len(f.Tests))
	}
	for s := range slices.Chunk(f.Spans, 4) {
		r.spans = append(r.spans, Span{s[0], s[1], s[2], s[3]})
	}
	r.classes()
	return r, nil
}

func (d *doingInFile) into(to *Doing, tests int) error {
	var errs []error
	for i, b := range d.sets() {
		s, err := unpack(*b, tests)
		*to.sets()[i] = s
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// packHistory replaces fingerprints by small numbers. Only the equality of two fingerprints
// matters.
func packHistory(h []Moment) (segments, held []int) {
	number := map[int64]int{}
	for _, m := range h {
		n := 0
		if !m.Unknown {
			if number[m.Held] == 0 {
				number[m.Held] = len(number) + 1
			}
			n = number[m.Held]
		}
		segments, held = append(segments, m.Segment), append(held, n)
	}
	return segments, held
}

func pack(s set) []byte {
	var out []byte
	for _, w := range s {
		out = binary.LittleEndian.AppendUint64(out, w)
	}
	for len(out) > 0 && out[len(out)-1] == 0 {
		out = out[:len(out)-1]
	}
	return out
}

func unpack(b []byte, tests int) (set, error) {
	if n := len(b); n > 0 && (n-1)*8+bits.Len8(b[n-1]) > tests {
		return nil, fmt.Errorf("it names test %d of %d", (n-1)*8+bits.Len8(b[n-1]), tests)
	}
	if len(b) == 0 {
		return nil, nil
	}
	b = append(slices.Clone(b), make([]byte, 7)...)
	out := make(set, len(b)/8)
	for i := range out {
		out[i] = binary.LittleEndian.Uint64(b[i*8:])
	}
	return out, nil
}
