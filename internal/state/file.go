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

// FileVersion is the version of the relation file; docs/relation.schema.json
// describes it.
const FileVersion = 1

type file struct {
	Version int           `json:"version"`
	Tests   suite.Order   `json:"tests"`
	Apart   bool          `json:"apart,omitempty"`
	Notes   []string      `json:"notes,omitempty"`
	Places  []placeInFile `json:"places"`
}

// placeInFile holds sets as bytes: test i is bit i%8 of byte i/8.
type placeInFile struct {
	Name    string `json:"name"`
	Ambient bool   `json:"ambient,omitempty"`
	Read    []byte `json:"read,omitempty"`
	Written []byte `json:"written,omitempty"`
	First   []byte `json:"first,omitempty"`
	Changed []byte `json:"changed,omitempty"`
	Unsure  []byte `json:"unsure,omitempty"`
}

// File is the relation as JSON.
func (r *Relation) File() ([]byte, error) {
	f := file{Version: FileVersion, Tests: r.Tests, Apart: r.Apart, Notes: r.Notes, Places: make([]placeInFile, len(r.Places))}
	for i := range r.Places {
		p := &r.Places[i]
		f.Places[i] = placeInFile{p.Name, p.Ambient, pack(p.Read), pack(p.Written), pack(p.First), pack(p.Changed), pack(p.Unsure)}
	}
	return json.Marshal(f)
}

// Parse reads a relation file. It believes nothing.
func Parse(text []byte) (*Relation, error) {
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
			return nil, fmt.Errorf("the test %q stands in it twice, or has no name", t)
		}
		seen[t] = true
	}
	r := &Relation{Tests: f.Tests, Apart: f.Apart, Notes: f.Notes, Places: make([]Place, len(f.Places))}
	for i, p := range f.Places {
		q := &r.Places[i]
		q.Name, q.Ambient = p.Name, p.Ambient
		var errs []error
		for _, s := range []struct {
			to   *set
			from []byte
		}{{&q.Read, p.Read}, {&q.Written, p.Written}, {&q.First, p.First}, {&q.Changed, p.Changed}, {&q.Unsure, p.Unsure}} {
			var err error
			*s.to, err = unpack(s.from, len(f.Tests))
			errs = append(errs, err)
		}
		if err := errors.Join(errs...); err != nil {
			return nil, fmt.Errorf("place %d (%s): %w", i, p.Name, err)
		}
	}
	r.classes()
	return r, nil
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
