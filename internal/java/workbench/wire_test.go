package workbench

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"
)

// sink takes requests and answers none.
type sink struct{ bytes.Buffer }

func (*sink) Close() error { return nil }

// FuzzWire: whatever the process prints, a call ends, and only with its own answer.
func FuzzWire(f *testing.F) {
	f.Add([]byte(`{"version":1,"java":"8","compiler":true}` + "\n" + `{"id":1,"result":{"statements":[]}}` + "\n"))
	f.Add([]byte("{\"version\":1}\nnoise\n{\"id\":1}\n{\"id\":2,\"error\":{\"code\":\"x\",\"message\":\"y\"}}\n"))
	f.Add([]byte("\x00\xff\n\n"))
	f.Fuzz(func(t *testing.T, out []byte) {
		gate := make(chan struct{})
		w := newWire(&sink{}, &gated{r: bytes.NewReader(out), gate: gate})
		id, ch := w.enter()
		close(gate)
		<-w.ended
		select {
		case a := <-ch:
			if a.ID != id {
				t.Errorf("the answer to %d came for %d", a.ID, id)
			}
			_ = a.into(new(Script))
		default:
		}
		if err := w.call(context.Background(), "script", nil, new(Script)); !errors.Is(err, ErrClosed) {
			t.Errorf("a call after the end: %v", err)
		}
	})
}

// gated reads nothing before the gate opens.
type gated struct {
	r    *bytes.Reader
	gate chan struct{}
}

func (g *gated) Read(p []byte) (int, error) {
	<-g.gate
	return g.r.Read(p)
}

func TestClosure(t *testing.T) {
	st := func(id string, needs []string, inner ...*Statement) *Statement {
		return &Statement{ID: id, Needs: needs, Inner: inner}
	}
	s := &Script{Statements: []*Statement{
		st("0", nil),
		st("1", []string{"0"}),
		st("2", nil, st("2.0", nil), st("2.1", []string{"2.0", "1"})),
		st("3", []string{"2.0"}),
	}}
	for _, c := range []struct{ ids, want []string }{
		{nil, nil},
		{[]string{"nowhere"}, nil},
		{[]string{"1"}, []string{"0", "1"}},
		{[]string{"2.1"}, []string{"0", "1", "2.0", "2.1"}},
		{[]string{"3", "2"}, []string{"2", "3"}},                      // 2 as a whole holds 2.0
		{[]string{"2", "2.1"}, []string{"0", "1", "2", "2.0", "2.1"}}, // 2 in part does not
	} {
		if got := s.Closure(c.ids); !slices.Equal(got, c.want) {
			t.Errorf("Closure(%v) = %v, want %v", c.ids, got, c.want)
		}
	}
}

func TestEnvironment(t *testing.T) {
	got := environment([]string{"HOME=/h", "JAVA_TOOL_OPTIONS=-agentlib:x", "_JAVA_OPTIONS=-Xmx1m", "CLASSPATH=x", "A=b=c"})
	if !slices.Equal(got, []string{"HOME=/h", "A=b=c"}) {
		t.Errorf("%q", got)
	}
}
