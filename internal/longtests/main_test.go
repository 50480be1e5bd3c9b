package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The sample itself asks nothing, so that this package counts as none with long tests.
const sample = `package sample

func TestAsks(t *testing.T)      { if testing.SHORT() { t.Skip("slow") } }
func TestCallsOne(t *testing.T)  { t.Run("a", func(t *testing.T) { first(t) }) }
func TestOfAMethod(t *testing.T) { new(world).run(t) }
func TestShort(t *testing.T)     { other(t) }

func first(t *testing.T)      { second(t) }
func second(t *testing.T)     { if testing.SHORT() { t.Skip("slow") } }
func (w *world) run(t *testing.T) { first(t) }
func other(t *testing.T)      { other(t) }
`

func TestLong(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "sample_test.go"), []byte(strings.ReplaceAll(sample, "SHORT", "Short")), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := long([]string{dir}); err != nil || !slices.Equal(got, []string{"TestAsks", "TestCallsOne", "TestOfAMethod"}) {
		t.Errorf("%q, %v", got, err)
	}
}

// TestLongOfApp: of odfix's own tests, the long ones are found.
func TestLongOfApp(t *testing.T) {
	got, err := long([]string{"../../app", "../../examples"})
	if err != nil {
		t.Fatal(err)
	}
	for name, is := range map[string]bool{"TestDay": true, "TestExamples": true, "TestServe": false, "TestVersion": false} {
		if slices.Contains(got, name) != is {
			t.Errorf("%s is long: %v", name, !is)
		}
	}
}
