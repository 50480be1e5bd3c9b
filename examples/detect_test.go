package examples_test

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/odfix/odfix/examples"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// TestDetectKnowsTheExamples: detection finds each order-dependent test of an example, with a true
// cause, and reports no other test as order-dependent.
func TestDetectKnowsTheExamples(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"victim-and-brittle", "genuine-failure", "flaky", "hang", "system-exit"} {
		t.Run(name, func(t *testing.T) {
			onlyShort(t, name, "victim-and-brittle")
			t.Parallel()
			ex, err := examples.One(name)
			if err != nil {
				t.Fatal(err)
			}
			out := filepath.Join(t.TempDir(), "out")
			_, text := shell(t, checkout(t, ex), "odfix detect --budget 10h --test-timeout "+testTimeout(ex.Findings)+" --out '"+out+"'")
			r := readReport(t, out)
			if r.Detection == nil || !r.Detection.Exhausted || r.Error != nil {
				t.Fatalf("not all orders were run\n%s", text)
			}
			holdDetection(t, ex, r)
			for _, file := range []string{"detect.html", "detect.xml"} {
				if fi, err := os.Stat(filepath.Join(out, file)); err != nil || fi.Size() == 0 {
					t.Errorf("%s: %v", file, err)
				}
			}
		})
	}
}

// holdDetection compares a detection with the example's findings.
func holdDetection(t *testing.T, ex examples.Example, r *job.Report) {
	t.Helper()
	known := map[suite.TestID]examples.Finding{}
	for _, f := range ex.Findings {
		known[suite.TestID(f.Test)] = f
	}
	seen := map[suite.TestID]bool{}
	for _, x := range r.Tests {
		f, ok := known[x.Test]
		// A brittle test is also a victim if it fails after a polluter in another order. The search
		// need not run such an order.
		half := f.Verdict == string(suite.VictimBrittle) && x.Verdict == suite.Brittle
		if !ok || string(x.Verdict) != f.Verdict && !half {
			t.Errorf("%s is called %s (%s), it is %q", x.Test, x.Verdict, x.Reason, f.Verdict)
		}
		seen[x.Test] = true
	}
	for id, f := range known {
		if v := suite.Verdict(f.Verdict); (v.OrderDependent() || v == suite.Genuine) && !seen[id] {
			t.Errorf("%s is %s, and was not found", id, f.Verdict)
		}
		if f.Hangs || f.Exits {
			if len(r.Detection.LeftOut) == 0 || r.Detection.LeftOut[0].Test != id {
				t.Errorf("%s ends its process, and %v is left out", id, r.Detection.LeftOut)
			}
		}
	}
}

// TestDetectSurvivesKill: a killed detection continues with --resume, also with another number of
// processes.
func TestDetectSurvivesKill(t *testing.T) {
	if testing.Short() {
		t.Skip("a variant of TestDetectKnowsTheExamples")
	}
	t.Parallel()
	ex, err := examples.One("demo")
	if err != nil {
		t.Fatal(err)
	}
	dir, out := checkout(t, ex), filepath.Join(t.TempDir(), "out")
	killed, _ := signalAfter(t, dir, os.Kill, regexp.MustCompile("order [6-9] "), "detect", "-v", "--budget", "10h", "--out", out, ".")
	if _, err := os.Stat(filepath.Join(out, "report.json")); err == nil || !killed {
		t.Fatal("it was done before it was killed")
	}
	shell(t, dir, "odfix detect --resume --parallel 1 --budget 10h --out '"+out+"'")
	r := readReport(t, out)
	if r.Detection.Remembered < 4 || !r.Detection.Exhausted {
		t.Errorf("%d runs were taken over, exhausted: %v", r.Detection.Remembered, r.Detection.Exhausted)
	}
	holdDetection(t, ex, r)
	sh(t, dir, "echo '// changed' >> $(git ls-files | grep ReceiptTest.java) && sed -i.bak 's/public void "+
		"printsTheTotal/@Deprecated public void printsTheTotal/' $(git ls-files | grep ReceiptTest.java)")
	before := sh(t, out, "find . -type f -exec cksum {} + | sort")
	status, text := shell(t, dir, "odfix detect --resume --budget 10h --out '"+out+"'")
	if status != 1 || !strings.Contains(strings.Join(strings.Fields(text), " "), "have changed since") {
		t.Errorf("status %d with other code\n%s", status, text)
	}
	if after := sh(t, out, "find . -type f -exec cksum {} + | sort"); after != before {
		t.Errorf("the refused detection changed the folder\n%s\n%s", before, after)
	}
}

// TestDetectStopped: Ctrl-C keeps the results so far. The printed command continues from there.
func TestDetectStopped(t *testing.T) {
	if testing.Short() {
		t.Skip("a variant of TestDetectKnowsTheExamples")
	}
	t.Parallel()
	ex, err := examples.One("victim-and-brittle")
	if err != nil {
		t.Fatal(err)
	}
	dir, out := checkout(t, ex), filepath.Join(t.TempDir(), "out")
	stopped, text := signalAfter(t, dir, os.Interrupt, regexp.MustCompile("order [4-9] "), "detect", "-v", "--budget", "10h", "--out", out)
	r := readReport(t, out)
	if !stopped || r.Detection == nil || r.Detection.Exhausted || r.Detection.Orders < 4 {
		t.Fatalf("stopped: %v, %+v\n%s", stopped, r.Detection, text)
	}
	again := regexp.MustCompile("odfix detect --resume .*").FindString(text)
	shell(t, dir, again)
	r = readReport(t, out)
	if again == "" || r.Detection.Remembered < 4 || !r.Detection.Exhausted {
		t.Errorf("%q: %d runs were taken over, exhausted: %v\n%s", again, r.Detection.Remembered, r.Detection.Exhausted, text)
	}
	holdDetection(t, ex, r)
}

// writerTest writes a file into the working directory. After a while it expects to read the same
// text.
const writerTest = `package com.example.shop;

import static org.junit.Assert.assertEquals;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import org.junit.Test;

public class WriterTest {
  @Test
  public void readsWhatItWrote() throws Exception {
    Path file = Paths.get("scratch.txt");
    String mine = ManagementFactory.getRuntimeMXBean().getName();
    Files.write(file, mine.getBytes("UTF-8"));
    Thread.sleep(500);
    assertEquals(mine, new String(Files.readAllBytes(file), "UTF-8"));
  }
}
`

// TestDetectInWorkingCopies: parallel processes have working copies of their own, so tests that
// write into the project's folder do not read each other's files. The results are those of one
// process at a time.
func TestDetectInWorkingCopies(t *testing.T) {
	if testing.Short() {
		t.Skip("a variant of TestDetectKnowsTheExamples")
	}
	t.Parallel()
	ex, err := examples.One("two-causes")
	if err != nil {
		t.Fatal(err)
	}
	dir, out := checkout(t, ex), filepath.Join(t.TempDir(), "out")
	if err := os.WriteFile(filepath.Join(dir, "src/test/java/com/example/shop/WriterTest.java"), []byte(writerTest), 0o600); err != nil {
		t.Fatal(err)
	}
	_, text := shell(t, dir, "odfix detect --technique intra-class --budget 10h --out '"+out+"'")
	r := readReport(t, out)
	if r.Detection == nil || !r.Detection.Exhausted || r.Detection.Sequential || runtime.NumCPU() > 1 && r.Detection.Copies < 2 {
		t.Fatalf("not in working copies of their own\n%s", text)
	}
	holdDetection(t, ex, r)
}

// signalAfter starts odfix and sends it a signal when a line on standard error matches the words.
// It returns what odfix printed.
func signalAfter(t *testing.T, dir string, signal os.Signal, words *regexp.Regexp, args ...string) (sent bool, printed string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Hour)
	defer cancel()
	cmd := exec.CommandContext(ctx, odfix(t), args...)
	cmd.Dir = dir
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stderr)
	lines.Buffer(nil, 1<<22)
	for lines.Scan() {
		if !sent && words.MatchString(lines.Text()) {
			sent = cmd.Process.Signal(signal) == nil
		}
	}
	_ = cmd.Wait()
	return sent, stdout.String()
}
