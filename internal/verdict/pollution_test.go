package verdict

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

func leaving(test, file string, list ...state.Pollution) state.Polluter {
	return state.Polluter{Test: suite.TestID(test), Source: &state.Source{File: file, Line: 10, EndLine: 14}, Pollutes: list}
}

func at(place string, l state.Label) state.Pollution {
	q := state.Pollution{Path: place + ".x", Before: "1", After: "2", Field: place, Label: l, Readers: []suite.TestID{"a.R#r"}}
	if l == state.Breaks {
		q.Breaks = q.Readers
	}
	return q
}

// TestNewPolluters: which tests get an annotation, where, and at which level.
func TestNewPolluters(t *testing.T) {
	resets, restored := at("a.A.s", state.Read), at("a.A.s", state.Read)
	resets.Resets, restored.Restored = true, true
	nowhere := leaving("a.T#t", "", at("a.A.s", state.Breaks))
	nowhere.Source = nil
	spanning := func(first, last int) []state.Polluter {
		t := leaving("a.T#t", "T.java", at("a.A.s", state.Read))
		t.Source.Line, t.Source.EndLine = first, last
		return []state.Polluter{t}
	}
	unlisted := leaving("a.T#t", "T.java", at("a.A.z", state.Read))
	unlisted.More = 1
	hidden := func(test string) []state.Polluter { return []state.Polluter{{Test: suite.TestID(test)}} }
	head := []state.Polluter{leaving("a.T#t", "T.java", at("a.A.s", state.Read))}
	for name, c := range map[string]struct {
		head, base []state.Polluter
		unsure     []string
		file       File
		want       string // level and line; empty: nothing is said
	}{
		"read":                      {head: []state.Polluter{leaving("a.T#t", "T.java", at("a.A.s", state.Read))}, want: "notice 10"},
		"read by a test that fails": {head: []state.Polluter{leaving("a.T#t", "T.java", at("a.A.s", state.Failing))}, want: "notice 10"},
		"breaks": {head: []state.Polluter{leaving("a.T#t", "T.java", at("a.A.s", state.Read),
			at("a.A.z", state.Breaks))}, want: "warning 10"},
		"no other test reads it": {head: []state.Polluter{leaving("a.T#t", "T.java", at("a.A.s", state.Unread),
			at("a.A.c", state.Cache), at("file x", state.Unobserved))}},
		"puts back":       {head: []state.Polluter{leaving("a.T#t", "T.java", resets)}},
		"put back":        {head: []state.Polluter{leaving("a.T#t", "T.java", restored)}},
		"nowhere to mark": {head: []state.Polluter{nowhere}},
		"not in the diff": {head: []state.Polluter{leaving("a.U#t", "U.java", at("a.A.s", state.Read))}},
		"as before": {head: []state.Polluter{leaving("a.T#t", "T.java", at("a.A.s", state.Breaks))},
			base: []state.Polluter{leaving("a.T#t", "T.java", at("a.A.s", state.Unread))}},
		"another place": {head: []state.Polluter{leaving("a.T#t", "T.java", at("a.A.s", state.Read))},
			base: []state.Polluter{leaving("a.T#t", "T.java", at("a.A.z", state.Read))}, want: "notice 10"},
		"another test": {head: []state.Polluter{leaving("a.T#t", "T.java", at("a.A.s", state.Read))},
			base: []state.Polluter{leaving("a.T#u", "T.java", at("a.A.s", state.Read))}, want: "notice 10"},
		"another inner": {head: []state.Polluter{leaving("a.T$I#t", "T.java", at("a.A.s", state.Read))},
			base: []state.Polluter{leaving("a.T$J#t", "T.java", at("a.A.s", state.Read))}, want: "notice 10"},
		"renamed": {head: []state.Polluter{leaving("a.T#t", "T.java", at("a.A.s", state.Read))},
			base: []state.Polluter{leaving("a.Old#t", "Old.java", at("a.A.s", state.Read))},
			file: File{Status: "renamed", Previous: "Old.java"}},
		"only its end": {head: []state.Polluter{leaving("a.T#t", "T.java", at("a.A.s", state.Read))},
			file: File{Status: "modified", Patch: "@@ -11,2 +12,3 @@\n a\n+b\n c"}, want: "notice 12"},
		"of two hunks": {head: spanning(10, 14),
			file: File{Status: "modified", Patch: "@@ -13,1 +13,2 @@\n a\n+b\n@@ -11,1 +11,2 @@\n a\n+b"}, want: "notice 11"},
		"after a hunk": {head: spanning(10, 14),
			file: File{Status: "modified", Patch: "@@ -8,1 +8,2 @@\n a\n+b"}, want: "notice 10"},
		"within a hunk": {head: spanning(10, 10),
			file: File{Status: "modified", Patch: "@@ -9,1 +9,2 @@\n a\n+b"}, want: "notice 10"},
		"endless": {head: spanning(1, math.MaxInt),
			file: File{Status: "modified", Patch: "@@ -1,0 +9223372036854775806,1 @@\n+b"}},
		"long":                         {head: spanning(1, maxLine), want: "notice 1"},
		"before the file":              {head: spanning(0, 3)},
		"backwards":                    {head: spanning(3, 2)},
		"below the file":               {head: spanning(math.MinInt, math.MaxInt)},
		"moved":                        {head: head, base: []state.Polluter{leaving("a.T#t", "Other.java", at("a.A.s", state.Read))}},
		"more than listed":             {head: head, base: []state.Polluter{unlisted}},
		"of who knows where":           {head: head, base: hidden("a.T#t")},
		"renamed, of who knows where":  {head: head, base: hidden("a.Old#t"), file: File{Status: "renamed", Previous: "Old.java"}},
		"added, beside who knows what": {head: head, base: hidden("a.Old#t"), file: File{Status: "added"}, want: "notice 10"},
		"another of who knows where":   {head: head, base: hidden("a.T#u"), want: "notice 10"},
		"not all was seen":             {head: head, unsure: []string{"T.java"}},
		"not all of its old name":      {head: head, unsure: []string{"Old.java"}, file: File{Status: "renamed", Previous: "Old.java"}},
		"not all of another":           {head: head, unsure: []string{"U.java"}, want: "notice 10"},
		"a removed source": {head: []state.Polluter{leaving("a.T#t", "T.java", at("a.A.s", state.Read))},
			file: File{Status: "removed"}},
	} {
		c.file.Path = "T.java"
		check, found := NewPolluters(PollutionInput{Names: named("a.T#t", "a.T#u", "a.U#t", "a.Old#t"),
			Head: c.head, Base: c.base, Unsure: c.unsure, Files: []File{c.file}, BaseSHA: "0123456789abcdef"})
		got := ""
		if found {
			a := check.Annotations[0]
			got = fmt.Sprintf("%s %d", a.Level, a.Start)
			if len(check.Annotations) != 1 || a.Path != "T.java" || a.End != a.Start || check.Conclusion != Neutral ||
				!strings.Contains(check.Summary, "`0123456789`") {
				t.Errorf("%s: %+v", name, check)
			}
		}
		if known := c.unsure == nil; !found && (check.Conclusion == Success) != known {
			t.Errorf("%s: without a new one the check is %s", name, check.Conclusion)
		}
		if got != c.want {
			t.Errorf("%s: %q, not %q", name, got, c.want)
		}
	}
}

// TestManyNewPolluters: one request's worth of lines is marked, those of tests that break others
// first.
func TestManyNewPolluters(t *testing.T) {
	var head []state.Polluter
	for i := range 60 {
		l := state.Read
		if i == 55 {
			l = state.Breaks
		}
		head = append(head, leaving(fmt.Sprintf("a.T#t%d\x1b", i), "T.java", at("a.A.s", l)))
	}
	check, _ := NewPolluters(PollutionInput{Head: head, Files: []File{{Path: "T.java"}}})
	if n := len(check.Annotations); n != maxAnnotations || check.Annotations[0].Level != "warning" {
		t.Errorf("%d annotations, the first a %s", n, check.Annotations[0].Level)
	}
	if diff := cmp.Diff("60 tests newly leave shared state changed; 1 breaks others by it", check.Title); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(check.Summary, "and 10 more tests") ||
		strings.Contains(check.Summary+check.Annotations[0].Title+check.Annotations[0].Message, "\x1b") {
		t.Errorf("%q %+v", check.Summary, check.Annotations[0])
	}
}
