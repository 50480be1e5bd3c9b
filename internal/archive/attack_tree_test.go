package archive

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// TestAttackTreeBeyondLimits: a tree counts bytes, members, and the folders that they are in.
func TestAttackTreeBeyondLimits(t *testing.T) {
	l := Limits{Members: 5, Bytes: 1000}
	for name, c := range map[string]struct {
		list []member
		ok   bool
	}{
		"within":        {[]member{{name: "a/1/x", text: "x"}, {name: "a/2/x", text: strings.Repeat("x", 900)}}, true},
		"members":       {[]member{{name: "a/1"}, {name: "a/2"}, {name: "a/3"}, {name: "a/4"}, {name: "a/5"}, {name: "a/6"}}, false},
		"bytes":         {[]member{{name: "a/1", text: strings.Repeat("x", 600)}, {name: "a/2", text: strings.Repeat("x", 600)}}, false},
		"folders":       {[]member{{name: "a/" + strings.Repeat("d/", 2*l.Members) + "x"}}, false},
		"other folders": {[]member{{name: "a/1/2/3/4/x"}, {name: "a/5/6/7/8/x"}, {name: "a/9/x"}}, false},
	} {
		got, err := OpenTree(t.Context(), bytes.NewReader(tarOf(t, c.list...)), t.TempDir(), l)
		if err == nil {
			err = got.Close()
		}
		if (err == nil) != c.ok || err != nil && !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAttackBuffers: members cost no buffer each.
func TestAttackBuffers(t *testing.T) {
	list := make([]member, 2000)
	for i := range list {
		list[i] = member{name: fmt.Sprintf("a/%d", i), text: "x"}
	}
	packed := tarOf(t, list...)
	for name, read := range map[string]func() error{
		"unpacked": func() error { return Sources(t.Context(), bytes.NewReader(packed), t.TempDir(), Limits{}) },
		"a tree": func() error {
			tree, err := OpenTree(t.Context(), bytes.NewReader(packed), t.TempDir(), Limits{})
			if err != nil {
				return err
			}
			return tree.Close()
		},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := read()
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; err != nil || used > 32<<20 {
			t.Errorf("%s: %d members take %d KiB, %v", name, len(list), used>>10, err)
		}
	}
}
