package workbench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// TestMain lets the test binary act as a broken java: see TestStartRefusals.
func TestMain(m *testing.M) {
	switch os.Getenv("WORKBENCH_FAKE_JAVA") {
	case "":
		os.Exit(m.Run())
	case "jre":
		fmt.Println(`{"version":1,"java":"11.0.2","home":"/opt/jre","compiler":false}`)
		_, _ = os.Stdin.Read(make([]byte, 1))
	case "mute":
		fmt.Println(`{"version":1,"java":"17","home":"/opt/jdk","compiler":true}`)
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "dies":
		fmt.Fprintln(os.Stderr, "Error: Could not create the Java Virtual Machine.")
		os.Exit(1)
	}
}

var (
	sharedOnce   sync.Once
	sharedClient *Client
	sharedErr    error
)

// client is one process for all tests, because starting it takes longer than most of them.
func client(t *testing.T) *Client {
	t.Helper()
	sharedOnce.Do(func() { sharedClient, sharedErr = start(Options{}) })
	if sharedErr != nil {
		t.Fatal(sharedErr)
	}
	return sharedClient
}

func start(o Options) (*Client, error) {
	java, err := exec.LookPath("java")
	if err != nil {
		return nil, fmt.Errorf("these tests need a JDK on the PATH: %w", err)
	}
	if o.Java == "" {
		o.Java = java
	}
	o.Dir = filepath.Join(os.TempDir(), "odfix-workbench-test")
	c, err := Start(context.Background(), o)
	if err != nil {
		return nil, fmt.Errorf("%w (run `make jars` first)", err)
	}
	return c, nil
}

// project is a small JUnit-like project. It declares the annotations itself.
type project struct {
	Project
	dir string
}

const (
	stubs = `package org.junit;
import java.lang.annotation.*;
@Retention(RetentionPolicy.RUNTIME) public @interface Test {}
`
	before = `package org.junit;
public @interface Before {}
`
	switches = `package io.odfix.harness;
public class Switch { public static boolean on(int i) { String s = System.getProperty("s", ""); return i >= s.length() || s.charAt(i) == '1'; } }
`
	state = `package p;
public class State { public static String value = "clean"; public static void reset() { value = "clean"; } }
`
	helper = `package p;
import org.junit.Test;
public class HelperTest {
    @Test public void cleans() throws Exception {
        String note = "n";
        Thread.sleep(0);
        State.value = note;
        State.reset();
    }
}
`
	victim = `package q;
import org.junit.Test;
import p.State;
public class VictimTest {
    @Test
    public void victim() {
        if (!State.value.equals("clean")) throw new AssertionError(State.value);
    }
    public static void main(String[] a) throws Exception { State.value = "dirty"; new VictimTest().victim(); }
}
`
)

func newProject(t *testing.T) *project {
	t.Helper()
	dir := t.TempDir()
	p := &project{dir: dir}
	p.SourceRoots = []string{filepath.Join(dir, "src")}
	p.ClassPath = []string{filepath.Join(dir, "classes")}
	tests := map[string]string{"p/HelperTest.java": helper, "q/VictimTest.java": victim}
	files := map[string]string{}
	for name, text := range map[string]string{"org/junit/Test.java": stubs, "org/junit/Before.java": before,
		"io/odfix/harness/Switch.java": switches, "p/State.java": state} {
		files[filepath.Join(dir, "main", name)] = text
	}
	for name, text := range tests {
		path := filepath.Join(dir, "src", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		files[path] = text
	}
	var c struct {
		OK          bool `json:"ok"`
		Diagnostics any  `json:"diagnostics"`
	}
	err := client(t).call(context.Background(), "compile",
		map[string]any{"files": files, "options": CompilerOptions{}, "outDir": p.ClassPath[0]}, &c)
	if err != nil || !c.OK {
		t.Fatalf("the project does not compile: %v %+v", err, c)
	}
	return p
}

func (p *project) attempt(out string, place patch.Location) AttemptRequest {
	r := AttemptRequest{OutDir: filepath.Join(p.dir, out)}
	r.Project = p.Project
	r.Helpers = []suite.TestID{"p.HelperTest#cleans"}
	r.Location = Location{Kind: string(place), Test: "q.VictimTest#victim"}
	return r
}

// run runs VictimTest's main with a patch's classes first.
func (p *project) run(t *testing.T, out, on string) (string, error) {
	t.Helper()
	path := strings.Join([]string{filepath.Join(p.dir, out), p.ClassPath[0]}, string(os.PathListSeparator))
	b, err := exec.Command("java", "-Xshare:auto", "-Ds="+on, "-cp", path, "q.VictimTest").CombinedOutput()
	return string(b), err
}

func TestFromHelperToPatch(t *testing.T) {
	ctx, c, p := context.Background(), client(t), newProject(t)
	script, err := c.Script(ctx, ScriptRequest{Project: p.Project, Helpers: []suite.TestID{"p.HelperTest#cleans"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(script.Statements) != 4 || script.Statements[3].Text != "State.reset();" {
		t.Fatalf("script: %+v", script.Statements)
	}

	r := p.attempt("switched", patch.VictimStart)
	r.Switched = true
	for _, s := range script.Statements {
		r.Keep = append(r.Keep, s.ID)
	}
	a, err := c.Attempt(ctx, r)
	if err != nil || !a.OK {
		t.Fatalf("%v %+v", err, a)
	}
	for on, passes := range map[string]bool{"0000": false, "0001": true, "0010": false, "1111": true} {
		out, err := p.run(t, "switched", on)
		if (err == nil) != passes {
			t.Errorf("switches %s: %v %s", on, err, out)
		}
	}

	r = p.attempt("final", patch.VictimSetup)
	r.Keep, r.Comment = []string{script.Statements[3].ID}, "VictimTest needs a clean state."
	a, err = c.Attempt(ctx, r)
	if err != nil || !a.OK {
		t.Fatalf("%v %+v", err, a)
	}
	f := a.Rendered.Files[0]
	if len(a.Rendered.Files) != 1 || !bytes.Equal(f.Data, []byte(f.Text)) {
		t.Errorf("files: %+v", a.Rendered.Files)
	}
	want := strings.Replace(victim, "import org.junit.Test;\n", "import org.junit.Before;\nimport org.junit.Test;\n", 1)
	want = strings.Replace(want, "    @Test\n", `    @Before
    public void prepareSharedState() {
        // VictimTest needs a clean state.
        State.reset();
    }

    @Test
`, 1)
	if f.Text != want {
		t.Errorf("got\n%s\nwant\n%s", f.Text, want)
	}
	if got := a.Rendered.Statements; len(got) != 1 || got[0] != "State.reset();" || a.Rendered.Into != "prepareSharedState" {
		t.Errorf("statements %q into %q", got, a.Rendered.Into)
	}
}

func TestAttemptNamesCulprits(t *testing.T) {
	p := newProject(t)
	r := p.attempt("broken", patch.VictimStart)
	r.Keep, r.ClassPath = []string{"0.1", "0.3"}, nil
	r.Options.ClassPath = []string{filepath.Join(p.dir, "nowhere")}
	a, err := client(t).Attempt(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	if a.OK || a.Code != "compile" || !strings.Contains(a.Reason, "VictimTest.java:") {
		t.Errorf("%+v", a)
	}
	if got := strings.Join(a.Culprits, " "); got != "0.3" {
		t.Errorf("culprits %q", got)
	}
}

func TestOutline(t *testing.T) {
	p := newProject(t)
	o, err := client(t).Outline(context.Background(), OutlineRequest{Project: p.Project, Type: "q.VictimTest"})
	if err != nil {
		t.Fatal(err)
	}
	if len(o.Types) != 1 || o.Types[0].Framework != "junit4" || o.Types[0].Methods[0].Role != "test" ||
		o.Types[0].Methods[0].Line != 6 {
		t.Errorf("%+v", o)
	}
}

func TestProblemsAreReturned(t *testing.T) {
	p := newProject(t)
	_, err := client(t).Script(context.Background(), ScriptRequest{Project: p.Project, Helpers: []suite.TestID{"p.NoTest#x"}})
	var problem *Problem
	if !errors.As(err, &problem) || problem.Code != "no-source" || !strings.Contains(problem.Message, "p.NoTest") {
		t.Errorf("%v", err)
	}
}

func TestConcurrentCalls(t *testing.T) {
	p := newProject(t)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			r := p.attempt(fmt.Sprint("out", i), patch.VictimStart)
			r.Keep, r.Comment = []string{"0.3"}, fmt.Sprint("mark ", i)
			a, err := client(t).Attempt(context.Background(), r)
			if err != nil || !a.OK || !strings.Contains(a.Rendered.Files[0].Text, fmt.Sprintf("// mark %d\n", i)) {
				t.Errorf("%d: %v %+v", i, err, a)
			}
		})
	}
	wg.Wait()
}

func TestBudgets(t *testing.T) {
	c, p := client(t), newProject(t)
	ctx, cancel := context.WithTimeout(context.Background(), time.Nanosecond)
	defer cancel()
	_, err := c.Script(ctx, ScriptRequest{Project: p.Project, Helpers: []suite.TestID{"p.HelperTest#cleans"}})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	var slow *SlowError
	if errors.As(err, &slow) {
		t.Errorf("the caller's own time was over, and the error is %v", err)
	}
	// A late answer is dropped, and the next call returns its own.
	if _, err := c.Outline(context.Background(), OutlineRequest{Project: p.Project, Type: "q.VictimTest"}); err != nil {
		t.Error(err)
	}
}

// The error of a slow call differs from the error of a call whose caller has no more time.
func TestSlowCall(t *testing.T) {
	t.Setenv("WORKBENCH_FAKE_JAVA", "mute")
	c, err := start(Options{Java: os.Args[0], Budget: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var slow *SlowError
	if _, err := c.Outline(t.Context(), OutlineRequest{}); !errors.As(err, &slow) || slow.Op != "outline" {
		t.Errorf("%v", err)
	}
}

func TestStartRefusals(t *testing.T) {
	for fake, want := range map[string]string{"jre": "point JAVA_HOME at a JDK", "dies": "Could not create the Java"} {
		t.Setenv("WORKBENCH_FAKE_JAVA", fake)
		if c, err := start(Options{Java: os.Args[0]}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", fake, err)
			if c != nil {
				c.Close()
			}
		}
	}
	t.Setenv("WORKBENCH_FAKE_JAVA", "")
	if _, err := start(Options{Java: filepath.Join(t.TempDir(), "java")}); err == nil {
		t.Error("a java that is not there was started")
	}
}

func TestEndsWithItsInput(t *testing.T) {
	c, err := start(Options{})
	if err != nil {
		t.Fatal(err)
	}
	c.wire.close() // as when the parent dies; the process gets no other signal
	select {
	case <-c.done:
	case <-time.After(30 * time.Second):
		t.Fatal("the process lives on without its input")
	}
	_, err = c.Outline(context.Background(), OutlineRequest{})
	if !errors.Is(err, ErrClosed) {
		t.Errorf("%v", err)
	}
	if err := errors.Join(c.Close(), c.Close()); err != nil {
		t.Error(err)
	}
}

func TestDeathIsNoticed(t *testing.T) {
	c, err := start(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Outline(context.Background(), OutlineRequest{}); !errors.Is(err, ErrClosed) {
		t.Errorf("%v", err)
	}
}
