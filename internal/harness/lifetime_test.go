//go:build unix

package harness

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"syscall"
	"testing"
)

// beParent is the odfix that the test kills. It keeps a harness busy that holds the FIFO open.
func beParent() {
	p, err := NewPool(Config{Exact: fakeSpec(os.Getenv("CHILD_MODE"))})
	if err != nil {
		panic(err)
	}
	fmt.Println(p.Run(context.Background(), order("hang"), fresh))
}

// A signal that the parent cannot catch kills it, and no child remains. The end of the command pipe
// ends the child. On Linux, a child that ignores the pipe ends, too.
func TestChildDiesWithItsParent(t *testing.T) {
	modes := []string{""}
	if runtime.GOOS == "linux" {
		modes = append(modes, "ignores end")
	}
	for _, mode := range modes {
		t.Run("child "+mode, func(t *testing.T) {
			fifo := filepath.Join(t.TempDir(), "alive")
			if err := syscall.Mkfifo(fifo, 0o600); err != nil {
				t.Fatal(err)
			}
			parent := exec.Command(fakeSpec("").Command[0])
			parent.Env = append(os.Environ(), fakeEnv+"=parent", "CHILD_MODE="+mode, "ODFIX_FAKE_ALIVE="+fifo)
			if err := parent.Start(); err != nil {
				t.Fatal(err)
			}
			alive, err := os.Open(fifo) // opens when the child has opened its end
			if err != nil {
				t.Fatal(err)
			}
			defer alive.Close()
			if _, err := io.ReadFull(alive, make([]byte, 1)); err != nil {
				t.Fatalf("the child never ran its test: %v", err)
			}
			parent.Process.Signal(syscall.SIGKILL)
			parent.Wait()
			// The child's end of the FIFO closes when the child has died. If the child survived,
			// this read would time out.
			if n, err := io.Copy(io.Discard, alive); err != nil || n != 0 {
				t.Errorf("read %d bytes, %v", n, err)
			}
		})
	}
}

// announce reports to the test that kills the parent that this process runs.
func announce() {
	if path := os.Getenv("ODFIX_FAKE_ALIVE"); path != "" {
		alive, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			panic(err)
		}
		alive.Write([]byte{1})
		held = alive
	}
}

// held keeps the FIFO open until the process is dead.
var held *os.File

// A grandchild in its own session survives the kill of the group and holds standard output open.
// Nothing may wait for it.
func TestStrayHoldsOutput(t *testing.T) {
	run := mustRun(t, newTestPool(t, Config{}), order("stray"), fresh)
	m := regexp.MustCompile(`STRAY (\d+)`).FindStringSubmatch(run.Output)
	if m == nil {
		t.Fatalf("output = %q", run.Output)
	}
	pid, _ := strconv.Atoi(m[1])
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Errorf("the stray was gone already: %v", err)
	}
	if run.Crash != nil || run.Last().Outcome != pass {
		t.Errorf("run = %+v", run)
	}
}

func TestFloodOfOutput(t *testing.T) {
	run := mustRun(t, newTestPool(t, Config{}), order("flood"), fresh)
	if run.Crash != nil || run.Last().Outcome != pass {
		t.Errorf("crash = %v, last = %+v", run.Crash, run.Last())
	}
	if len(run.Output) > maxMessage+100 || !regexp.MustCompile(`^\[10499[0-9]{5} earlier bytes left out\]\n`).MatchString(run.Output) {
		t.Errorf("output of %d bytes begins %.60q", len(run.Output), run.Output)
	}
}
