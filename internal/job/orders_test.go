package job

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOrdersKeepOddNames(t *testing.T) {
	want := [][]string{
		{"a.B#plain", "a.B#m[a\tb]", "a.B#m[line\nbreak\r]"},
		{`a.B#path[C:\temp\new]`, `a.B#end\`, `a.B#\\t`, "a.B#größe ✓"},
	}
	var b bytes.Buffer
	if err := WriteOrders(&b, want); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "\n"); n != len(want) {
		t.Errorf("%d orders became %d lines", len(want), n)
	}
	got, err := ReadOrders(&b)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

// TestOrdersByHand: what a person types is read as it stands.
func TestOrdersByHand(t *testing.T) {
	got, err := ReadOrders(strings.NewReader("a.B#m\ta.C#x[\\d+]\r\n\n  \na.D#y"))
	if diff := cmp.Diff([][]string{{"a.B#m", `a.C#x[\d+]`}, {"a.D#y"}}, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

func FuzzOrders(f *testing.F) {
	f.Add("a.B#m", "x\ty\\")
	f.Fuzz(func(t *testing.T, a, b string) {
		want := [][]string{{a + "#", b + "#"}, {b + "#"}}
		var text bytes.Buffer
		if err := WriteOrders(&text, want); err != nil {
			t.Fatal(err)
		}
		got, err := ReadOrders(&text)
		if err != nil || !slices.EqualFunc(want, got, slices.Equal) {
			t.Errorf("%q came back as %q (%v)", want, got, err)
		}
	})
}

func FuzzReadOrders(f *testing.F) {
	f.Add("a.A#x\ta.B#y\r\n\n")
	f.Add("a\\\\t\t\\t")
	f.Fuzz(func(t *testing.T, text string) {
		orders, err := ReadOrders(strings.NewReader(text))
		if (err == nil) != (len(orders) > 0) {
			t.Errorf("%v, %v", orders, err)
		}
		for _, test := range slices.Concat(orders...) {
			if strings.TrimSpace(test) == "" {
				t.Errorf("test %q", test)
			}
		}
	})
}
