package state

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/odfix/odfix/internal/suite"
)

// crowd is one test that leaves 150 places changed which 30 others read.
func crowd() *Pollutions {
	t := Polluter{Test: "a.A#x"}
	for i := range 150 {
		q := Pollution{Path: fmt.Sprint("F.f", i), Label: Nobody, Readers: []suite.TestID{}, During: DuringTest}
		for k := range 30 {
			q.Readers = append(q.Readers, suite.TestID(fmt.Sprint("b.B#t", k)))
		}
		t.Pollutes = append(t.Pollutes, q)
	}
	last := &t.Pollutes[149]
	last.Label, last.Breaks = Breaks, []suite.TestID{"b.B#t29"}
	return &Pollutions{Tests: []Polluter{t}, Observed: 31}
}

func TestPollutionFile(t *testing.T) {
	p := crowd()
	file, err := p.File()
	if err != nil {
		t.Fatal(err)
	}
	got, err := ParsePollutions(file)
	if err != nil {
		t.Fatal(err)
	}
	one := got.Tests[0]
	if first := one.Pollutes[0]; first.Path != "F.f149" || first.Readers[0] != "b.B#t29" || len(first.Readers) != mostReaders || first.MoreReaders != 10 {
		t.Errorf("the one that breaks somebody is kept as %+v", first)
	}
	if len(one.Pollutes) != mostOfTest || one.More != 50 {
		t.Errorf("%d are listed, %d more", len(one.Pollutes), one.More)
	}
	if len(p.Tests[0].Pollutes) != 150 || p.Tests[0].Pollutes[0].MoreReaders != 0 {
		t.Error("writing the file changed what is written")
	}
	small := &Pollutions{Tests: []Polluter{{Test: "a.A#x", Pollutes: p.Tests[0].Pollutes[:1]}}}
	small.Tests[0].Pollutes[0].Readers = small.Tests[0].Pollutes[0].Readers[:2]
	file, err = small.File()
	if err != nil {
		t.Fatal(err)
	}
	back, err := ParsePollutions(file)
	if diff := cmp.Diff(small, back, cmpopts.IgnoreUnexported(Pollution{})); diff != "" || err != nil {
		t.Errorf("%v -want +got:\n%s", err, diff)
	}
}

func FuzzParsePollutions(f *testing.F) {
	file, err := crowd().File()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(file)
	f.Add([]byte("{}"))
	f.Fuzz(func(t *testing.T, file []byte) {
		p, err := ParsePollutions(file)
		if (p == nil) == (err == nil) || err != nil && !strings.HasPrefix(err.Error(), "it ") {
			t.Errorf("%v %v", p, err)
		}
	})
}
