package projecttest

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/job"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares a text with testdata/NAME.txt; go test -update writes it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if *update {
		writeFile(t, path, got)
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", path, d)
	}
}

// readable formats a report as text. It leaves out times and folders, which differ from run to run.
// It breaks values of objects and lists that do not fit on one line.
func readable(t *testing.T, r *job.Report, told map[string]int, dirs ...string) string {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	if err := json.Unmarshal([]byte(named(string(text), dirs)), &all); err != nil {
		t.Fatal(err)
	}
	phases := all["cost"].(map[string]any)["seconds"].(map[string]any)
	all["phases"] = slices.Sorted(maps.Keys(phases))
	unpack(t, all, "pollution", "relation", "suite")
	untimed(all)
	var b strings.Builder
	write(&b, "", all)
	for _, line := range slices.Sorted(maps.Keys(told)) {
		if laterOrder.MatchString(line) {
			continue
		}
		fmt.Fprintf(&b, "sent %d times: %s\n", told[line], line)
	}
	return named(timeLeft.ReplaceAllString(b.String(), "some time left"), dirs)
}

// named replaces the folders of the project and of the patches by names, so that how a report is
// broken into lines does not depend on where temporary files are.
func named(text string, dirs []string) string {
	for i, dir := range dirs {
		if dir != "" {
			text = strings.ReplaceAll(text, dir, []string{"DIR", "OUT"}[i])
		}
	}
	return text
}

// timeLeft matches the time that is left in messages. laterOrder matches the progress of a detection
// after its first order: the clock decides which of these are sent.
var (
	timeLeft   = regexp.MustCompile(`[0-9hms.]+ left`)
	laterOrder = regexp.MustCompile(`^detect: order ([2-9]|\d\d)`)
)

// unpack replaces fields that hold a file, compressed or not, with the file's text.
func unpack(t *testing.T, all map[string]any, fields ...string) {
	t.Helper()
	for _, field := range fields {
		packed, ok := all[field].(string)
		if !ok {
			continue
		}
		file, err := base64.StdEncoding.DecodeString(packed)
		if err != nil {
			t.Fatal(err)
		}
		if z, err := gzip.NewReader(bytes.NewReader(file)); err == nil {
			if file, err = io.ReadAll(z); err != nil {
				t.Fatal(err)
			}
		}
		var v any
		if err := json.Unmarshal(file, &v); err != nil {
			v = string(file)
		}
		all[field] = v
	}
}

// timed lists the fields that differ from run to run.
var timed = []string{"seconds", "total", "firstPatch", "started", "tool", "revision", "nanos"}

// untimed removes these fields.
func untimed(v any) {
	switch v := v.(type) {
	case map[string]any:
		maps.DeleteFunc(v, func(k string, _ any) bool { return slices.Contains(timed, k) })
		for _, x := range v {
			untimed(x)
		}
	case []any:
		for _, x := range v {
			untimed(x)
		}
	}
}

// write writes each value on its own line. It indents values that need several lines.
func write(b *strings.Builder, indent string, v any) {
	const width = 120
	line := func(name string, v any) {
		text, _ := json.Marshal(v)
		if _, str := v.(string); str || len(indent)+len(name)+len(text) <= width {
			fmt.Fprintf(b, "%s%s %s\n", indent, name, text)
			return
		}
		fmt.Fprintf(b, "%s%s\n", indent, name)
		write(b, indent+"  ", v)
	}
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			line(k, v[k])
		}
	case []any:
		for _, x := range v {
			line("-", x)
		}
	}
}
