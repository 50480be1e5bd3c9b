package state

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Bounds on what is reported of pollutions: a suite in which every test changes what every other
// one reads has the square of its tests to report.
const (
	mostOfTest  = 100
	mostReaders = 20
	mostAlso    = 20
	maxFile     = 1 << 30 // bytes, unpacked
)

// File is the pollutions as JSON, packed by gzip. Of long lists it keeps the beginning and says so:
// of readers those that break come first.
func (p *Pollutions) File() ([]byte, error) {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if err := json.NewEncoder(z).Encode(p.short()); err != nil {
		return nil, err
	}
	err := z.Close()
	return out.Bytes(), err
}

// ParsePollutions reads a File.
func ParsePollutions(file []byte) (*Pollutions, error) {
	text, err := unpacked(file, maxFile)
	if err != nil {
		return nil, err
	}
	return pollutionsOf(text)
}

// ReadPollutions reads a File of at most so many bytes, unpacked, and of no longer lists than
// strangers may have: for those who do not trust whoever made it.
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

func (l Label) rank() int { return slices.Index([]Label{Breaks, Read, Unseen, Nobody, Cache}, l) }
