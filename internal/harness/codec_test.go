package harness

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/child"
	"github.com/odfix/odfix/internal/state"
)

func TestFramesRoundTrip(t *testing.T) {
	var stream []byte
	for _, m := range []message{
		newMessage(evHello).i64(1).str("17.0.1").i64(42).strs([]string{"junit 4.12", "ü"}),
		append(newMessage('?'), "skipped"...),
		newMessage('~'),
		newMessage(evFinished).i64(7).str("a.B#m").u8('f').i64(5).str("T").str("m").str("s"),
		newMessage(evClass).str("a.B").str("junit4").str("").u8(flagFixed).strs(nil),
	} {
		b, err := m.frame()
		if err != nil {
			t.Fatal(err)
		}
		stream = append(stream, b...)
	}
	want := []event{
		hello{1, "17.0.1", 42, []string{"junit 4.12", "ü"}},
		finished{7, "a.B#m", 'f', 5, "T", "m", "s"},
		classSeen{class: "a.B", framework: "junit4", flags: flagFixed},
	}
	got, err := readAll(stream)
	if err != io.EOF {
		t.Errorf("err = %v", err)
	}
	all := cmp.AllowUnexported(hello{}, finished{}, classSeen{})
	if diff := cmp.Diff(want, got, all); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	for i := 1; i < 12; i++ { // every cut inside the first frame
		if _, err := readAll(stream[:i]); !errors.Is(err, errTruncated) {
			t.Errorf("cut after %d bytes: err = %v", i, err)
		}
	}
}

func readAll(stream []byte) ([]event, error) {
	var out []event
	r := bufio.NewReader(bytes.NewReader(stream))
	for {
		kind, body, err := readFrame(r, knownEvents)
		if err != nil {
			return out, err
		}
		e, err := decode(kind, body)
		if err != nil {
			return out, err
		}
		out = append(out, e)
	}
}

func TestBadFrames(t *testing.T) {
	long := binary.BigEndian.AppendUint32(nil, maxFrame+1)
	for name, c := range map[string]struct {
		stream []byte
		want   string
	}{
		"empty":        {[]byte{0, 0, 0, 0, 'h'}, "a frame of 0 bytes"},
		"too long":     {append(long, 'h'), "a frame of 16777217 bytes"},
		"short field":  {frameOf(newMessage(evComplete).i64(1)), "a field of 8 bytes where 0 are left"},
		"long string":  {frameOf(newMessage(evStacks).u8(255).u8(255).u8(255).u8(255)), "a field of 4294967295 bytes"},
		"long list":    {frameOf(newMessage(evRefused).i64(1).str("").i64(-1)), "a list of 4294967295"},
		"long node":    {frameOf(newMessage(evClass).str("").str("").str("").u8(0).u8(1).u8(0).u8(0).u8(0)), "a list of 16777216"},
		"negative len": {[]byte{255, 255, 255, 255, 'h'}, "a frame of 4294967295 bytes"},
	} {
		_, err := readAll(c.stream)
		if perr := (*protocolError)(nil); !errors.As(err, &perr) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: err = %v, want %s", name, err, c.want)
		}
	}
}

func frameOf(m message) []byte {
	b, err := m.frame()
	if err != nil {
		panic(err)
	}
	return b
}

// FuzzDecode checks that any input gives events or an error, and that nothing read is larger than
// the input.
func FuzzDecode(f *testing.F) {
	f.Add(frameOf(newMessage(evHello).i64(1).str("17").i64(42).strs([]string{"junit 4.12"})))
	f.Add(frameOf(newMessage(evFinished).i64(7).str("a.B#m").u8('f').i64(5).str("T").str("m").str("s")))
	f.Add(frameOf(append(newMessage(evClass).str("A").str("junit4").str("").u8(flagFixed), 0, 0, 0, 2, 'g', 0, 0,
		0, 1, 'x', 0, 't', 0, 0, 0, 3, 'A', '#', 'b', 4)))
	f.Add(frameOf(newMessage(evRefused).i64(1).str("why").strs([]string{"a", "b"}).u8(1)))
	f.Add(frameOf(newMessage(evCapture).u8('t').i64(3).u32(9).u32(2).u8(0).i64(7).
		u32(1).str("a.B.x").str("a.B.x.y").str("0").str("1").u8(1).str("")))
	f.Add(frameOf(newMessage(evCalls).i64(3).u32(1).strs([]string{"block"}).str("store.reset")))
	f.Add(frameOf(newMessage(evCalls).i64(3).u32(0).u32(1).strs([]string{"block"}).str("store").str("src/a.js").str("shelf")))
	f.Add(frameOf(newMessage(evInitClass).str("a.B")))
	f.Add(frameOf(newMessage(evField).u32(0).str("a.B.x").u8(1)))
	f.Add(frameOf(newMessage(evSegment).u8('t').i64(3).u32(1).u32(0).u32(0).u32(0).u32(0).u32(1).u32(0).u8('v').i64(1).i64(2).u32(0)))
	f.Add([]byte{0, 0, 0, 1, '~', 0, 0, 0, 2, 't', 0})
	f.Fuzz(func(t *testing.T, stream []byte) {
		events, err := readAll(stream)
		if err == nil {
			t.Fatal("reading ended without an error")
		}
		for _, e := range events {
			if s, ok := e.(state.Segment); ok && 4*len(s.Read)+25*len(s.Values) > len(stream) {
				t.Fatalf("%d places and %d values from %d bytes", len(s.Read), len(s.Values), len(stream))
			}
			if c, ok := e.(classSeen); ok {
				if len(c.nodes)*6 > len(stream) {
					t.Fatalf("%d nodes from %d bytes", len(c.nodes), len(stream))
				}
				d := newDiscovery([]string{c.class})
				if err := d.add(c); err != nil || len(d.left()) != 0 {
					t.Fatalf("add: %v", err)
				}
			}
		}
	})
}

func TestPrinted(t *testing.T) {
	r := process{out: child.Tail{Size: maxOutput}}
	if r.printed(maxOutput) != "" {
		t.Errorf("an empty tail holds %q", r.printed(maxOutput))
	}
	r.out.Write([]byte("héllo\xff"))
	if got := r.printed(maxOutput); got != "héllo\uFFFD" {
		t.Errorf("got %q", got)
	}
	// The expected result is the end of all that was written.
	all := []byte("héllo\xff")
	for i := range 300 {
		chunk := bytes.Repeat([]byte{byte('a' + i%26)}, i*i%5000)
		if i == 200 {
			chunk = bytes.Repeat([]byte("0123456789"), maxOutput/4)
		}
		r.out.Write(chunk)
		all = append(all, chunk...)
	}
	_, got, _ := strings.Cut(r.printed(maxOutput), "\n")
	if got != string(all[len(all)-maxOutput:]) {
		t.Error("the tail does not hold the end of what was written")
	}
}

func (m message) u32(v uint32) message { return binary.BigEndian.AppendUint32(m, v) }

func (m message) u8(v byte) message { return append(m, v) }
