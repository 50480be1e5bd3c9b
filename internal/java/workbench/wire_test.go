package workbench

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"
)

// sink accepts requests and answers none.
type sink struct{ bytes.Buffer }

func (*sink) Close() error { return nil }

// FuzzWire checks that a call ends, and only with its own answer, whatever the process prints.
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

// gated returns nothing before the gate opens.
type gated struct {
	r    *bytes.Reader
	gate chan struct{}
}

func (g *gated) Read(p []byte) (int, error) {
	<-g.gate
	return g.r.Read(p)
}

func TestEnvironment(t *testing.T) {
	got := environment([]string{"HOME=/h", "JAVA_TOOL_OPTIONS=-agentlib:x", "_JAVA_OPTIONS=-Xmx1m", "CLASSPATH=x", "A=b=c"})
	if !slices.Equal(got, []string{"HOME=/h", "A=b=c"}) {
		t.Errorf("%q", got)
	}
}
