package state

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// Limits on what is reported. If every test of a suite changes what every other test reads, the
// report grows with the square of the number of tests.
const (
	mostOfTest  = 100
	mostReaders = 20
	mostAlso    = 20
	maxFile     = 1 << 30 // bytes, uncompressed
)

// File encodes the pollutions as JSON, compressed with gzip. Long lists are cut, and the number of
// left-out entries is kept. Readers that break are kept first.
func (p *Pollutions) File() ([]byte, error) {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if err := json.NewEncoder(z).Encode(p.short()); err != nil {
		return nil, err
	}
	err := z.Close()
	return out.Bytes(), err
}

// ParsePollutions reads what File has written.
func ParsePollutions(file []byte) (*Pollutions, error) {
	text, err := unpacked(file, maxFile)
	if err != nil {
		return nil, err
	}
	return pollutionsOf(text)
}

// ReadPollutions is ParsePollutions for a file from an untrusted source. It refuses a file of more
// than most bytes, uncompressed, or with too long lists.
func ReadPollutions(file []byte, most int64) (*Pollutions, error) {
	text, err := unpacked(file, most)
	if err != nil {
		return nil, err
	}
	if err := bounded(text); err != nil {
		return nil, err
	}
	return pollutionsOf(text)
}

func unpacked(file []byte, most int64) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("it is not packed as a file of pollutions is: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(z, most+1))
	if err != nil || int64(len(text)) > most {
		return nil, errors.Join(fmt.Errorf("it cannot be unpacked, or is longer than %d bytes", most), err)
	}
	return text, nil
}

func pollutionsOf(text []byte) (*Pollutions, error) {
	p := &Pollutions{}
	if err := json.Unmarshal(text, p); err != nil {
		return nil, fmt.Errorf("it is not JSON of pollutions: %w", err)
	}
	return p, nil
}

func (p *Pollutions) short() *Pollutions {
	out := *p
	out.Tests = make([]Polluter, len(p.Tests))
	for i, t := range p.Tests {
		list := slices.Clone(t.Pollutes)
		slices.SortStableFunc(list, func(a, b Pollution) int { return a.Label.rank() - b.Label.rank() })
		if more := len(list) - mostOfTest; more > 0 {
			list, t.More = list[:mostOfTest], more
		}
		for k := range list {
			list[k].shorten()
		}
		t.Pollutes = list
		out.Tests[i] = t
	}
	return &out
}

func (q *Pollution) shorten() {
	if more := len(q.Also) - mostAlso; more > 0 {
		q.Also, q.MoreAlso = q.Also[:mostAlso], more
	}
	if outside(q.Field) { // every test that can reach it was taken for a reader
		q.Readers = append([]suite.TestID{}, q.Breaks...)
	}
	more := len(q.Readers) - mostReaders
	if more <= 0 {
		return
	}
	first := slices.Clone(q.Breaks)
	for _, t := range q.Readers {
		if len(first) >= max(mostReaders, len(q.Breaks)) {
			break
		}
		if !slices.Contains(q.Breaks, t) {
			first = append(first, t)
		}
	}
	q.MoreReaders = len(q.Readers) - len(first)
	q.Readers = first
}

func (l Label) rank() int { return slices.Index(Labels, l) }
