package state

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/odfix/odfix/internal/suite"
)

// large has one test that leaves 150 fields changed, which 30 other tests read.
func large() *Pollutions {
	t := Polluter{Test: "a.A#x"}
	for i := range 150 {
		q := Pollution{Path: fmt.Sprint("F.f", i), Label: Unread, Readers: []suite.TestID{}, During: DuringTest}
		for k := range 30 {
			q.Readers = append(q.Readers, suite.TestID(fmt.Sprint("b.B#t", k)))
		}
		t.Pollutes = append(t.Pollutes, q)
	}
	last := &t.Pollutes[149]
	last.Label, last.Breaks = Breaks, []suite.TestID{"b.B#t29"}
	for i := range 25 {
		last.Also = append(last.Also, fmt.Sprint("G.g", i))
	}
	return &Pollutions{Tests: []Polluter{t}, Observed: 31}
}

func TestPollutionFile(t *testing.T) {
	p := large()
	file, err := p.File()
	if err != nil {
		t.Fatal(err)
	}
	got, err := ParsePollutions(file)
	if err != nil {
		t.Fatal(err)
	}
	one := got.Tests[0]
	if first := one.Pollutes[0]; first.Path != "F.f149" || first.Readers[0] != "b.B#t29" || len(first.Readers) != mostReaders ||
		first.MoreReaders != 10 {
		t.Errorf("the one that breaks another test is kept as %+v", first)
	}
	if first := one.Pollutes[0]; len(first.Also) != mostAlso || first.MoreAlso != 5 || len(p.Tests[0].Pollutes[149].Also) != 25 {
		t.Errorf("of the ways there %d are kept, %d more", len(first.Also), first.MoreAlso)
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

func packed(t *testing.T, text string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestUntrustedPollutions checks that long lists of an untrusted source are refused, and that files
// written by File are accepted.
func TestUntrustedPollutions(t *testing.T) {
	file, err := large().File()
	if err != nil {
		t.Fatal(err)
	}
	if p, err := ReadPollutions(file, 2<<20); err != nil || len(p.Tests) != 1 {
		t.Errorf("a file of odfix' own: %v", err)
	}
	many := func(n int, one string) string { return "[" + strings.Repeat(one+",", n-1) + one + "]" }
	test := func(field string) string { return `{"tests":[{"pollutes":[` + field + `]}]}` }
	for name, c := range map[string]struct {
		text string
		good bool
	}{
		"tests":              {`{"tests":` + many(10_000, "{}") + `}`, true},
		"too many tests":     {`{"tests":` + many(10_001, "{}") + `}`, false},
		"fields":             {`{"tests":[{"pollutes":` + many(100, "{}") + `}]}`, true},
		"too many fields":    {`{"tests":[{"pollutes":` + many(101, "{}") + `}]}`, false},
		"too many nulls":     {`{"tests":[{"pollutes":` + many(101, "null") + `}]}`, false},
		"too many in all":    {`{"tests":` + many(301, `{"pollutes":`+many(100, "{}")+`}`) + `}`, false},
		"readers":            {test(`{"readers":` + many(100, `""`) + `,"breaks":` + many(100, `""`) + `}`), true},
		"too many readers":   {test(`{"readers":` + many(101, `""`) + `}`), false},
		"too many breaks":    {test(`{"breaks":` + many(101, `""`) + `}`), false},
		"too many ways":      {test(`{"also":` + many(101, `""`) + `}`), false},
		"an unknown list":    {`{"x":` + many(10_001, "1") + `}`, false},
		"deeper than it has": {strings.Repeat("[", 100_000), false},
		"no end":             {`{"tests":[`, false},
		"a stray end":        {`]`, false},
		"too long":           {`{"x":"` + strings.Repeat(" ", 2<<20) + `"}`, false},
	} {
		if _, err := ReadPollutions(packed(t, c.text), 2<<20); (err == nil) != c.good {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzParsePollutions(f *testing.F) {
	file, err := large().File()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(file)
	f.Add([]byte("{}"))
	f.Fuzz(func(t *testing.T, file []byte) {
		_, _ = ReadPollutions(file, 1<<20)
		p, err := ParsePollutions(file)
		if (p == nil) == (err == nil) || err != nil && !strings.HasPrefix(err.Error(), "it ") {
			t.Errorf("%v %v", p, err)
		}
	})
}
