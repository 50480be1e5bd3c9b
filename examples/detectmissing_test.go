package examples_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/odfix/odfix/examples"
	"github.com/odfix/odfix/internal/suite"
)

// shelfTest has one more test while its condition holds.
const shelfTest = `package com.example.shop;

import static org.junit.Assert.assertTrue;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;

@RunWith(Parameterized.class)
public class ShelfTest {
  @Parameterized.Parameters(name = "{0}")
  public static Collection<Object[]> shelves() {
    List<Object[]> all = new ArrayList<>();
    all.add(new Object[] {"top"});
    if (%s) {
      all.add(new Object[] {"bottom"});
    }
    return all;
  }

  private final String shelf;

  public ShelfTest(String shelf) {
    this.shelf = shelf;
  }

  @Test
  public void exists() {
    assertTrue(shelf.length() > 2);
  }
}
`

// withTest returns an example and a checkout with one more test class.
func withTest(t *testing.T, example, name, text string) (ex examples.Example, dir string) {
	t.Helper()
	ex, err := examples.One(example)
	if err != nil {
		t.Fatal(err)
	}
	dir = checkout(t, ex)
	if err := os.WriteFile(filepath.Join(dir, "src/test/java/com/example/shop", name+".java"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return ex, dir
}

// TestDetectWithMissingTests: detection names and leaves out a test that disappears after it
// has run once, although new processes list it at first. All other tests have their orders and true
// results.
func TestDetectWithMissingTests(t *testing.T) {
	if testing.Short() {
		t.Skip("a variant of TestDetectKnowsTheExamples")
	}
	t.Parallel()
	flag := fmt.Sprintf(`new java.io.File("%s")`, filepath.ToSlash(filepath.Join(t.TempDir(), "flag")))
	text := strings.Replace(fmt.Sprintf(shelfTest, "!"+flag+".exists()"), "exists() {\n",
		"exists() throws java.io.IOException {\n    "+flag+".createNewFile();\n", 1)
	ex, dir := withTest(t, "two-causes", "ShelfTest", text)
	out := filepath.Join(t.TempDir(), "out")
	_, printed := shell(t, dir, "odfix detect --technique intra-class --budget 10h --out '"+out+"'")
	r := readReport(t, out)
	if r.Detection == nil || !r.Detection.Exhausted || r.Error != nil {
		t.Fatalf("not all orders were run\n%s", printed)
	}
	holdDetection(t, ex, r)
	const bottom = suite.TestID("com.example.shop.ShelfTest#exists[bottom]")
	if len(r.Detection.Missing) != 1 || r.Detection.Missing[0] != bottom || !strings.Contains(printed, string(bottom)) {
		t.Errorf("missing: %v\n%s", r.Detection.Missing, printed)
	}
}

// TestDetectResumesWithTheSameTests: detection does not continue if a test is missing, even though
// no code has changed. It keeps its results, and continues when the test is there again.
func TestDetectResumesWithTheSameTests(t *testing.T) {
	if testing.Short() {
		t.Skip("a variant of TestDetectKnowsTheExamples")
	}
	t.Parallel()
	flag := filepath.Join(t.TempDir(), "flag")
	put := func() {
		if err := os.WriteFile(flag, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put()
	ex, dir := withTest(t, "two-causes", "ShelfTest",
		fmt.Sprintf(shelfTest, fmt.Sprintf(`new java.io.File("%s").exists()`, filepath.ToSlash(flag))))
	out := filepath.Join(t.TempDir(), "out")
	shell(t, dir, "odfix detect --technique reverse --budget 10h --out '"+out+"'")
	if err := os.Remove(flag); err != nil {
		t.Fatal(err)
	}
	again := "odfix detect --resume --technique intra-class --budget 10h --out '" + out + "'"
	status, printed := shell(t, dir, again)
	if status != 1 || !strings.Contains(strings.Join(strings.Fields(printed), " "), "have changed since the interrupted run") {
		t.Errorf("status %d without a test\n%s", status, printed)
	}
	put()
	_, printed = shell(t, dir, again)
	r := readReport(t, out)
	if r.Detection == nil || r.Detection.Remembered == 0 || !r.Detection.Exhausted {
		t.Fatalf("it did not go on\n%s", printed)
	}
	holdDetection(t, ex, r)
}
